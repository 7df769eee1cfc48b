#include "worker/report/scan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "worker/sweep/statistics.hpp"

namespace ringrun::worker {
namespace {

using nlohmann::json;

const char* node_word(ScanKind kind) { return kind == ScanKind::kPairsOfRanks ? "rank" : "host"; }

std::string value_text(const ScanValue& value) {
  return value.repeats() > 0 ? fmt::format("{:.3g}", value.median()) : "-";
}

std::string matrix_text(const ScanResult& result) {
  std::size_t width = 7;
  for (const std::string& name : result.names) width = std::max(width, name.size());
  std::string text = fmt::format("{:>{}}", "", width);
  for (const std::string& name : result.names) text += fmt::format("  {:>{}}", name, width);
  text += '\n';
  for (int row = 0; row < result.pairs.nodes(); ++row) {
    text += fmt::format("{:>{}}", result.names[static_cast<std::size_t>(row)], width);
    for (int column = 0; column < result.pairs.nodes(); ++column)
      text += fmt::format("  {:>{}}", value_text(result.pairs.at(row, column)), width);
    text += '\n';
  }
  return text;
}

std::string without_text(const ScanResult& result) {
  std::size_t width = 0;
  for (const std::string& name : result.names) width = std::max(width, name.size());
  std::string text = fmt::format("{:{}}  {:>7}\n", "all", width + 8, value_text(result.with_all));
  for (std::size_t node = 0; node < result.names.size(); ++node)
    text += fmt::format("without {:{}}  {:>7}\n", result.names[node], width, value_text(result.without[node]));
  return text;
}

const std::string& name_of(const ScanResult& result, int node) { return result.names[static_cast<std::size_t>(node)]; }

struct Outliers {
  std::vector<Outlier> nodes;
  std::vector<Outlier> pairs;
};

Outliers outliers_of(const ScanResult& result) {
  if (result.kind != ScanKind::kLeaveOneOut) {
    Outliers found{slow_nodes(result.pairs), {}};
    found.pairs = slow_pairs(result.pairs, found.nodes);
    return found;
  }
  return {braking_nodes(result.with_all, result.without), {}};
}

std::string rule_text(ScanKind kind) {
  const std::string rule = fmt::format(
      "more than {:g} % of it and {:g} deviations (1.4826 times the median absolute one)", 100 * kClearly, kDeviations);
  if (kind == ScanKind::kLeaveOneOut)
    return "# Rule: faster than the median without each of the others, by " + rule +
           ", and in all repeats but one than the best of those\n";
  return fmt::format(
      "# Rule: slower than the median by {}, and in the best repeat than the others in all but one; a {} is, where "
      "three "
      "in four of its pairs are, held against those without it\n",
      rule, node_word(kind));
}

std::vector<ScanValue> values_of(const ScanResult& result) {
  if (result.kind == ScanKind::kLeaveOneOut) {
    std::vector<ScanValue> values = result.without;
    values.push_back(result.with_all);
    return values;
  }
  std::vector<ScanValue> values;
  for (int a = 0; a < result.pairs.nodes(); ++a)
    for (int b = a + 1; b < result.pairs.nodes(); ++b) values.push_back(result.pairs.at(a, b));
  return values;
}

/// How far the same thing is from itself: less than that no rule can tell.
std::string spread_text(const ScanResult& result) {
  std::vector<double> spreads;
  for (const ScanValue& value : values_of(result)) spreads.push_back(value.spread());
  return fmt::format(
      "# Spread: repeats of the same are {:.0f} % around their median (the median of all, half the range)\n",
      100 * upper_median_of(spreads));
}

std::string pairs_verdict(const ScanResult& result, const Outliers& found) {
  const char* const word = node_word(result.kind);
  std::string text;
  for (const Outlier& one : found.nodes) {
    text += fmt::format("# Slow {}: {}: its pairs have {:.3g} GB/s in the median, those without it {:.3g}\n", word,
                        name_of(result, one.node), one.bandwidth, one.usual);
  }
  if (found.nodes.empty()) text += fmt::format("# Slow {}s: none\n", word);
  for (const Outlier& one : found.pairs) {
    text += fmt::format("# Slow pair: {} and {}: {:.3g} GB/s, all pairs {:.3g} in the median\n",
                        name_of(result, one.node), name_of(result, one.other), one.bandwidth, one.usual);
  }
  if (found.pairs.empty()) text += "# Slow pairs: none\n";
  return text;
}

std::string without_verdict(const ScanResult& result, const Outliers& found) {
  std::string text;
  for (const Outlier& one : found.nodes) {
    text += fmt::format("# Slow host: {}: without it all others reach {:.3g} GB/s, with all {:.3g}\n",
                        name_of(result, one.node), one.bandwidth, result.with_all.median());
  }
  return found.nodes.empty() ? "# Slow hosts: none\n" : text;
}

json to_json(const ScanResult& result, const std::vector<Outlier>& outliers) {
  json all = json::array();
  for (const Outlier& one : outliers) {
    json names = json::array({name_of(result, one.node)});
    if (one.other >= 0) names.push_back(name_of(result, one.other));
    all.push_back(
        {{"nodes", names}, {"bus_bw", one.bandwidth}, {"others_bus_bw", one.usual}, {"limit_bus_bw", one.limit}});
  }
  return all;
}

json to_json(const ScanValue& value) {
  if (value.repeats() == 0) return nullptr;
  return {{"bus_bw", value.median()}, {"error_pct", 100 * value.spread()}, {"repeats", value.repeats()}};
}

}  // namespace

std::string text_of(const ScanResult& result) {
  const bool leaves_out = result.kind == ScanKind::kLeaveOneOut;
  const std::string values = leaves_out ? without_text(result) : matrix_text(result);
  if (!leaves_out && result.names.size() == 2) return values + "# One pair has nothing to be compared with\n";
  if (!result.judged())
    return values +
           fmt::format("# Nothing is called slow, or not slow, before all was measured {} times\n", kFewestRepeats);
  const Outliers found = outliers_of(result);
  return values + rule_text(result.kind) + spread_text(result) +
         (leaves_out ? without_verdict(result, found) : pairs_verdict(result, found));
}

json scan_json(const ScanResult& result) {
  const Outliers found = outliers_of(result);
  json scan{{"kind", result.kind == ScanKind::kLeaveOneOut ? "leave-one-out" : "pairs"},
            {"nodes", result.names},
            {"complete", result.complete()},
            {"judged", result.judged()},
            {"slow_nodes", to_json(result, found.nodes)}};
  if (result.kind == ScanKind::kLeaveOneOut) {
    scan["with_all"] = to_json(result.with_all);
    scan["without"] = json::array();
    for (const auto& value : result.without) scan["without"].push_back(to_json(value));
    return scan;
  }
  scan["slow_pairs"] = to_json(result, found.pairs);
  scan["matrix"] = json::array();
  for (int row = 0; row < result.pairs.nodes(); ++row) {
    json values = json::array();
    for (int column = 0; column < result.pairs.nodes(); ++column)
      values.push_back(to_json(result.pairs.at(row, column)));
    scan["matrix"].push_back(values);
  }
  return scan;
}

ScanReport::ScanReport(std::ostream& out, const Options& options, const TableHead& head, const ScanNodes& nodes)
    : out_(out) {
  if (!options.json_file.empty()) json_.emplace(options.json_file, head);
  const ScanKind kind = *options.scan;
  const SweepPlan& plan = options.plan;
  print_run(out_, head);
  const std::string what = kind == ScanKind::kLeaveOneOut
                               ? fmt::format("all {} hosts, then all but each in turn", nodes.names.size())
                               : fmt::format("all pairs of {} {}s, side by side where they share no host",
                                             nodes.names.size(), node_word(kind));
  const int rounds = rounds_of(kind, nodes);
  out_ << fmt::format("# Scan: {}: {} round{}, {} times over, each {} of {} bytes of {}, out-of-place\n", what, rounds,
                      rounds == 1 ? "" : "s", kPasses, description_of(plan.kind).words, plan.sizes.back(),
                      ringrun::worker::name_of(plan.types.front()))
       << "# Bus bandwidth (GB/s), of the median iteration of the median time\n";
  out_.flush();
}

void ScanReport::show(const ScanResult& result) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  result_ = result;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  line_.clear();
  line_.write(fmt::format("round {} of {}, about {:.0f} s left", result.rounds_done, result.rounds,
                          elapsed / result.rounds_done * (result.rounds - result.rounds_done)));
}

bool ScanReport::end() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(ended_, true);
}

void ScanReport::print(const std::vector<std::string>& errors) {
  line_.end();
  const auto tell = [this] {
    if (result_) out_ << text_of(*result_);
    out_.flush();
  };
  // The file may fail; of a partial report nobody may read the text.
  if (errors.empty()) tell();
  if (json_) {
    if (result_) json_->set("scan", scan_json(*result_));
    json_->write({}, std::nullopt, errors);
  }
  if (!errors.empty()) tell();
}

void ScanReport::finish() {
  if (end()) print({});
}

void ScanReport::finish_partial(const std::string& why) {
  if (!end()) return;
  const int rounds = result_ ? result_->rounds_done : 0;
  const std::string partial = fmt::format("{} after {} round{}", why, rounds, rounds == 1 ? "" : "s");
  out_ << "# PARTIAL: " << partial << '\n';
  print({"partial: " + partial});
}

}  // namespace ringrun::worker
