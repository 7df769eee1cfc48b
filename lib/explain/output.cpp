#include "lib/explain/output.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "lib/explain/catalogue.hpp"
#include "lib/explain/host_queries.hpp"
#include "lib/explain/output_patterns.hpp"
#include "lib/explain/word_search.hpp"

namespace ringrun {
namespace {

constexpr std::size_t kLongestLine = 8192;
constexpr std::size_t kLongestEvidence = 400;

/// All patterns' words, each once, and which of them each pattern needs.
struct PatternIndex {
  std::vector<std::string_view> words;
  std::vector<WordSearch::Found> needed;
  std::vector<WordSearch::Found> forbidden;

  PatternIndex() {
    for (const OutputPattern& pattern : output_patterns()) {
      needed.emplace_back();
      forbidden.emplace_back();
      for (const std::string_view word : pattern.words) {
        if (!word.empty()) needed.back().set(place(word));
      }
      if (!pattern.unless.empty()) forbidden.back().set(place(pattern.unless));
    }
  }

  std::size_t place(std::string_view word) {
    const auto known = std::find(words.begin(), words.end(), word);
    if (known != words.end()) return static_cast<std::size_t>(known - words.begin());
    words.push_back(word);
    return words.size() - 1;
  }
};

/// The text between `before` and the first of `ends`; "" where `before` is not there.
std::string between(std::string_view line, std::string_view before, std::string_view ends) {
  const std::string lower = lower_case(line);
  const std::size_t at = lower.find(before);
  if (at == std::string::npos) return {};
  const std::string_view rest = line.substr(at + before.size());
  return std::string(rest.substr(0, rest.find_first_of(ends)));
}

struct Connection {
  std::string address;
  std::string port;
  std::string reason;
};

Connection connection_in(std::string_view line, LineKind kind) {
  switch (kind) {
    case LineKind::nccl_connect: {
      Connection found{between(line, "connect to ", "< "), between(line, "<", "> "), between(line, "> failed", "")};
      if (found.reason.empty()) found.reason = between(line, "> returned ", ",");
      return found;
    }
    case LineKind::open_mpi_connect: {
      const std::string address = between(line, "connect() to ", ": ");
      return {address, between(line, "connect() to " + address + ":", " "), between(line, " failed", "")};
    }
    case LineKind::ucx_connect: {
      const std::string address = between(line, "dest_addr=", ": ),");
      return {address, between(line, "dest_addr=" + address + ":", " ),"), between(line, "failed", "")};
    }
    case LineKind::gloo_connect:
      return {between(line, "remote=[", "]"), between(line, "]:", " ,:)"), {}};
    case LineKind::torch_connect:
      return {between(line, "failed to connect to [", "],"), between(line, "]:", " ,()"),
              between(line, "(errno: ", ")")};
    case LineKind::plain:
    case LineKind::chosen_interface:
      break;
  }
  return {};
}

/// Which row a failed connection belongs to, by the address and the reason.
std::string id_of_connection(const Connection& connection, const OutputPattern& pattern) {
  const std::string& address = connection.address;
  const bool mpi = pattern.kind == LineKind::open_mpi_connect;
  if (pattern.kind == LineKind::gloo_connect || pattern.kind == LineKind::ucx_connect) return std::string(pattern.id);
  if (address.rfind("127.", 0) == 0 && pattern.kind == LineKind::torch_connect) return "W8";
  if (address.rfind("127.", 0) == 0) return mpi ? "I7" : "I2";
  if (lower_case(address).rfind("fe80", 0) == 0) return "I5";
  if (in_container_pool(address)) {
    // The first address of such a network is the bridge itself, on the docker host; others are containers.
    const bool bridge = address.size() > 4 && address.compare(address.size() - 4, 4, ".0.1") == 0;
    return bridge ? (mpi ? "I7" : "I1") : "C1";
  }
  if (contains_word(lower_case(connection.reason), "network is unreachable")) return "NET";
  return std::string(pattern.id);
}

/// "" where the interface is a good one.
std::string id_of_interface(const std::string& name, const std::string& address) {
  if (name == "lo" || address.rfind("127.", 0) == 0) return "I2";
  if (lower_case(address).rfind("fe80", 0) == 0) return "I5";
  for (const char* beginning : {"docker", "br-", "veth", "virbr", "cni", "tailscale", "tun"}) {
    if (name.rfind(beginning, 0) == 0) return "I1";
  }
  return {};
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" :\t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The row's remedy for a terminal, and how to learn which host it is.
std::string fix_of(const CatalogueRow& row) {
  std::string fix = "# " + row.fix;
  fix.erase(std::remove(fix.begin(), fix.end(), '`'), fix.end());
  return fix + "\nringrun --doctor …   # with the same hosts: tries every pair of them and names the one to mend";
}

/// "…, retrying (1/34) after sleep for 100 msec": NCCL goes on, and a peer that is slow to start is met so.
bool is_early_retry(std::string_view line) {
  constexpr int kWorrying = 5;
  const std::string number = between(line, "retrying (", "/)");
  int retry = kWorrying;
  std::from_chars(number.data(), number.data() + number.size(), retry);
  return retry < kWorrying;
}

OutputMeaning meaning_of(const OutputPattern& pattern, const std::string& id, std::string_view line,
                         const std::string& parsed) {
  OutputMeaning meaning;
  meaning.fatal = pattern.fatal && !is_early_retry(line);
  meaning.secondary = pattern.secondary;
  Finding& finding = meaning.finding;
  finding.id = id;
  finding.severity = Severity::error;
  finding.evidence = parsed.empty() ? "" : parsed + "\n";
  finding.evidence += trimmed(line.substr(0, kLongestEvidence));
  const std::vector<CatalogueRow>& rows = catalogue();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const CatalogueRow& each) { return each.id == id; });
  if (row != rows.end()) {
    finding.why = "This is what is seen where " + row->cause + ".";
    finding.fix = fix_of(*row);
  }
  return meaning;
}

/// The head of a table, which says among other things why this or that was not used; also behind a rank's mark.
bool is_remark(std::string_view line) {
  return line.substr(0, 1) == "#" || line.find("<stdout>:#") != std::string_view::npos;
}

std::optional<OutputMeaning> apply(const OutputPattern& pattern, std::string_view line) {
  if (pattern.kind == LineKind::plain) return meaning_of(pattern, std::string(pattern.id), line, {});
  if (pattern.kind == LineKind::chosen_interface) {
    const std::string name = between(line, "using ", ": ");
    const std::string address = between(line, "using " + lower_case(name) + ":", "<");
    const std::string id = id_of_interface(name, address);
    if (id.empty()) return std::nullopt;
    OutputMeaning meaning = meaning_of(pattern, id, line, "NCCL took " + name + " " + address);
    meaning.finding.severity = Severity::warning;
    return meaning;
  }
  const Connection connection = connection_in(line, pattern.kind);
  const std::string reason(trimmed(connection.reason));
  std::string parsed = connection.address + (connection.port.empty() ? "" : " port " + connection.port);
  if (!reason.empty()) parsed += ": " + reason;
  return meaning_of(pattern, id_of_connection(connection, pattern), line, parsed);
}

}  // namespace

std::optional<OutputMeaning> explain_line(std::string_view line) {
  static const PatternIndex index;
  static const WordSearch search(index.words);
  const WordSearch::Found found = search.find(line);
  if (found.none() || is_remark(line)) return std::nullopt;
  const std::vector<OutputPattern>& patterns = output_patterns();
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if ((index.needed[i] & ~found).any() || (index.forbidden[i] & found).any()) continue;
    if (auto meaning = apply(patterns[i], line)) return meaning;
  }
  return std::nullopt;
}

std::vector<OutputMeaning> OutputReader::feed(std::string_view text) {
  std::vector<OutputMeaning> fresh;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line_.empty() || end == std::string_view::npos) {
      line_.append(line.substr(0, kLongestLine - std::min(line_.size(), kLongestLine)));
      if (end == std::string_view::npos) break;
      line = line_;
    }
    std::optional<OutputMeaning> meaning = explain_line(line.substr(0, kLongestLine));
    line_.clear();
    if (!meaning) continue;
    if (meaning->fatal) ++fatal_lines_;
    const auto known = std::find_if(meanings_.begin(), meanings_.end(), [&](const OutputMeaning& earlier) {
      return earlier.finding.id == meaning->finding.id;
    });
    if (known == meanings_.end()) {
      meanings_.push_back(*meaning);
    } else if ((meaning->fatal && !known->fatal) || (known->secondary && !meaning->secondary)) {
      // The later line says more than the earlier one of its kind.
      meaning->fatal = meaning->fatal || known->fatal;
      *known = *meaning;
    } else {
      continue;
    }
    fresh.push_back(std::move(*meaning));
  }
  return fresh;
}

Findings OutputReader::findings() const {
  const bool only_echoes =
      std::all_of(meanings_.begin(), meanings_.end(), [](const OutputMeaning& meaning) { return meaning.secondary; });
  Findings findings;
  for (const OutputMeaning& meaning : meanings_) {
    if (only_echoes || !meaning.secondary) findings.push_back(meaning.finding);
  }
  return arrange(std::move(findings));
}

}  // namespace ringrun
