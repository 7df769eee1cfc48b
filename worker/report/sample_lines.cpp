#include "worker/report/sample_lines.hpp"

#include <fmt/format.h>

#include <ostream>

namespace ringrun::worker {
namespace {

std::string spread_text(const Statistics& spread) {
  return fmt::format("min {:.2f} p50 {:.2f} p95 {:.2f} p99 {:.2f} max {:.2f} us, CV {:.1f} %", spread.min * 1e6,
                     spread.p50 * 1e6, spread.p95 * 1e6, spread.p99 * 1e6, spread.max * 1e6, spread.variation());
}

}  // namespace

void print_sample(std::ostream& out, const char* placement, const std::optional<Sample>& sample) {
  if (!sample) return;
  out << fmt::format("#  {:>12}: {}, {} iterations{}\n", placement, spread_text(sample->inside), sample->iterations,
                     sample->settled ? "" : " (the most allowed: still spread)");
  if (sample->ranks.size() < 2) return;
  for (const RankSample& rank : sample->ranks) {
    out << fmt::format("#   rank {:3} on {}: {}; arrives {:.2f} us late, at worst {:.2f}, last in {:.0f} %\n",
                       rank.rank, rank.host, spread_text(rank.inside), rank.median_late * 1e6, rank.worst_late * 1e6,
                       rank.last_in_share * 100);
  }
  out << fmt::format("#   arrivals lie {:.2f} us apart, at worst {:.2f} (clocks compared within {:.2f} us); ",
                     sample->median_skew * 1e6, sample->worst_skew * 1e6, sample->clock_error * 1e6);
  const RankSample* straggler = straggler_of(*sample);
  if (straggler == nullptr) {
    out << "no straggler\n";
  } else {
    out << fmt::format("straggler: rank {} on {}\n", straggler->rank, straggler->host);
  }
}

}  // namespace ringrun::worker
