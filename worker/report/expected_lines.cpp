#include "worker/report/expected_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

namespace ringrun::worker {
namespace {

using nlohmann::json;

std::string choice_text(const LibraryChoice& choice) {
  std::string text;
  if (!choice.algorithm.empty()) text += " " + choice.algorithm;
  if (!choice.protocol.empty()) text += " " + choice.protocol;
  if (choice.channels > 0) text += fmt::format(" on {} channel{}", choice.channels, choice.channels == 1 ? "" : "s");
  if (choice.estimated_seconds > 0) text += fmt::format(", NCCL expects {:.2f} us", choice.estimated_seconds * 1e6);
  return text.empty() ? "" : ";" + text;
}

void print_remark(std::ostream& out, const char* placement, const Expectation& expected) {
  if (expected.remark.empty()) return;
  out << fmt::format("#   {}{}: {}\n", expected.impossible ? "IMPOSSIBLE " : "", placement, expected.remark);
}

json text_or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

}  // namespace

void print_expected(std::ostream& out, const Row& row) {
  if (!row.out_of_place.expected || !row.in_place.expected) return;
  const Expectation& first = *row.out_of_place.expected;
  const Expectation& second = *row.in_place.expected;
  out << "#   ceiling ";
  if (first.ceiling) {
    out << fmt::format("{:.2f} GB/s, reached {:.1f} % out-of-place, {:.1f} % in-place", *first.ceiling,
                       100 * first.reached, 100 * second.reached);
  } else {
    out << "-";
  }
  const std::string choice = choice_text(first.choice);
  const std::string other = choice_text(second.choice);
  out << choice << (other == choice ? "" : "; in-place" + other.substr(std::min<std::size_t>(other.size(), 1))) << '\n';
  print_remark(out, "out-of-place", first);
  print_remark(out, "in-place", second);
}

json expected_json(const Expectation& expected) {
  const LibraryChoice& choice = expected.choice;
  return {{"ceiling_bus_bw", expected.ceiling ? json(*expected.ceiling) : json(nullptr)},
          {"reached_pct", expected.ceiling ? json(100 * expected.reached) : json(nullptr)},
          {"algorithm", text_or_null(choice.algorithm)},
          {"protocol", text_or_null(choice.protocol)},
          {"channels", choice.channels > 0 ? json(choice.channels) : json(nullptr)},
          {"estimate_us", choice.estimated_seconds > 0 ? json(choice.estimated_seconds * 1e6) : json(nullptr)},
          {"impossible", expected.impossible},
          {"remark", text_or_null(expected.remark)}};
}

std::string expected_heading() { return "ceiling_gbs,reached_pct,algorithm,protocol,channels,estimate_us,impossible"; }

std::string expected_columns(const std::optional<Expectation>& expected) {
  if (!expected) return ",,,,,,";
  const LibraryChoice& choice = expected->choice;
  return fmt::format("{},{},{},{},{},{},{}", expected->ceiling ? fmt::format("{:.4f}", *expected->ceiling) : "",
                     expected->ceiling ? fmt::format("{:.2f}", 100 * expected->reached) : "", choice.algorithm,
                     choice.protocol, choice.channels > 0 ? std::to_string(choice.channels) : "",
                     choice.estimated_seconds > 0 ? fmt::format("{:.3f}", choice.estimated_seconds * 1e6) : "",
                     expected->impossible ? 1 : 0);
}

}  // namespace ringrun::worker
