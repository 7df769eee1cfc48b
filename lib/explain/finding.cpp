#include "lib/explain/finding.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

#include "lib/explain/catalogue.hpp"
#include "lib/explain/host_queries.hpp"

namespace ringrun {
namespace {

const char* word_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      break;
  }
  return "note";
}

std::size_t place_of(const std::string& id) {
  const std::vector<CatalogueRow>& rows = catalogue();
  return static_cast<std::size_t>(
      std::find_if(rows.begin(), rows.end(), [&](const CatalogueRow& row) { return row.id == id; }) - rows.begin());
}

bool alike(const Finding& a, const Finding& b) {
  return a.id == b.id && a.severity == b.severity && a.evidence == b.evidence && a.why == b.why && a.fix == b.fix &&
         a.done == b.done;
}

void print_lines(std::ostream& out, std::string_view title, std::string_view text) {
  if (text.empty()) return;
  out << "  " << title;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    out << text.substr(start, end - start) << '\n';
    if (end == text.size()) return;
    start = end + 1;
    out << std::string(2 + title.size(), ' ');
  }
}

}  // namespace

bool has_errors(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.severity == Severity::error; });
}

Findings arrange(Findings findings) {
  Findings arranged;
  for (Finding& finding : findings) {
    const auto same =
        std::find_if(arranged.begin(), arranged.end(), [&](const Finding& earlier) { return alike(earlier, finding); });
    if (same == arranged.end()) {
      arranged.push_back(std::move(finding));
      continue;
    }
    for (std::string& host : finding.hosts) {
      if (std::find(same->hosts.begin(), same->hosts.end(), host) == same->hosts.end()) {
        same->hosts.push_back(std::move(host));
      }
    }
  }
  std::stable_sort(arranged.begin(), arranged.end(), [](const Finding& a, const Finding& b) {
    return a.severity != b.severity ? a.severity > b.severity : place_of(a.id) < place_of(b.id);
  });
  return arranged;
}

void print(std::ostream& out, const Findings& findings, std::string_view prefix) {
  const std::vector<CatalogueRow>& rows = catalogue();
  for (const Finding& finding : findings) {
    out << prefix << word_of(finding.severity) << ' ' << finding.id;
    if (!finding.hosts.empty()) out << " on " << join(finding.hosts);
    if (const std::size_t place = place_of(finding.id); place < rows.size()) out << ": " << rows[place].cause;
    out << '\n';
    print_lines(out, "seen: ", finding.evidence);
    print_lines(out, "why:  ", finding.why);
    print_lines(out, "fix:  ", finding.fix);
    print_lines(out, "done: ", finding.done);
  }
}

std::string to_json(const Findings& findings) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    array.push_back({{"id", finding.id},
                     {"severity", word_of(finding.severity)},
                     {"hosts", finding.hosts},
                     {"evidence", finding.evidence},
                     {"why", finding.why},
                     {"fix", finding.fix},
                     {"done", finding.done}});
  }
  // What a host said may be no UTF-8; that must not end the report.
  return array.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace ringrun
