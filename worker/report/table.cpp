#include "worker/report/table.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <ostream>
#include <string_view>

#include "lib/version.hpp"

namespace ringrun::worker {
namespace {

constexpr const char* kHeading =
    "#\n"
    "#                                                              out-of-place                       in-place        "
    "  \n"
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  "
    "#wrong \n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)  "
    "       \n";

/// As many decimals, up to two, as leave the number in its column.
std::string number(double value, int width) {
  int digits = 0;
  for (double power = 1; value >= power; power *= 10) ++digits;
  const int decimals = digits < width - 2 ? 2 : digits < width - 1 ? 1 : 0;
  return fmt::format("{:{}.{}f}", value, width, decimals);
}

/// "none" where nothing is reduced, as nccl-tests prints it.
std::string_view reduction_column(const Operation& operation) {
  return operation.description().reduces ? name_of(operation.op) : "none";
}

void print_measurement(std::ostream& out, const Measurement& measured) {
  const std::string wrong = measured.wrong ? fmt::format("{:g}", static_cast<double>(*measured.wrong)) : "N/A";
  out << fmt::format("  {}  {}  {}  {:>6}", number(measured.seconds * 1e6, 7), number(measured.bandwidth.algorithm, 6),
                     number(measured.bandwidth.bus, 6), wrong);
}

}  // namespace

void print_head(std::ostream& out, const TableHead& head) {
  const SweepPlan& plan = head.plan;
  out << fmt::format("# ringrun worker version {} {}\n", kVersion, head.versions)
      << fmt::format("# Collective test starting: {}_perf\n", name_of(plan.kind))
      << fmt::format(
             "# nThread 1 nGpus {} minBytes {} maxBytes {} step: {}({}) warmup iters: {} iters: {} agg iters: {} "
             "validation: {} graph: 0 unalign: 0\n",
             head.gpus, head.smallest, head.largest, head.factor > 1 ? head.factor : head.step,
             head.factor > 1 ? "factor" : "bytes", plan.warmups, plan.iterations, plan.aggregate, plan.checks)
      << "#\n# Using devices\n";
  for (const DeviceLine& line : head.devices) {
    out << fmt::format("#  Rank {:2} Group  0 Pid {:6} on {:>10} {}\n", line.rank, line.pid, line.host, line.device);
  }
  for (const std::string& remark : head.remarks) out << "# " << remark << '\n';
  out << kHeading;
  out.flush();
}

void print_row(std::ostream& out, const Row& row) {
  const Operation& operation = row.operation;
  out << fmt::format("{:12}  {:12}  {:>8}  {:>6}  {:>6}", operation.bytes(), operation.layout.count,
                     name_of(operation.type), reduction_column(operation), operation.root);
  print_measurement(out, row.out_of_place);
  print_measurement(out, row.in_place);
  out << '\n';
  for (const Measurement* measured : {&row.out_of_place, &row.in_place}) {
    for (const std::string& location : measured->wrong_locations) out << "# " << location;
  }
  out.flush();
}

void print_foot(std::ostream& out, CollectiveKind kind, const SweepSummary& summary,
                std::optional<double> least_bandwidth) {
  const char* verdict = !least_bandwidth ? "" : summary.is_fast_enough(*least_bandwidth) ? "OK" : "FAILED";
  out << fmt::format("# Out of bounds values : {} {}\n", summary.wrong, summary.wrong == 0 ? "OK" : "FAILED")
      << fmt::format("# Avg bus bandwidth    : {:g} {}\n", summary.average_bus_bandwidth(), verdict)
      << fmt::format("#\n# Collective test concluded: {}_perf\n#\n", name_of(kind));
  out.flush();
}

}  // namespace ringrun::worker
