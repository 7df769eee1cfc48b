#include "worker/report/table.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <ostream>
#include <string_view>

#include "lib/version.hpp"
#include "worker/report/expected_lines.hpp"
#include "worker/report/sample_lines.hpp"

namespace ringrun::worker {
namespace {

constexpr const char* kTimestamp = "%Y-%m-%d %H:%M:%S";

/// One line of the heading: `of_placement` stands twice.
std::string heading_line(const std::string& of_row, const std::string& of_placement, const std::string& at_end) {
  return "# " + of_row + of_placement + of_placement + " " + at_end + "\n";
}

std::string heading(const TableColumns& columns) {
  const std::string blank = fmt::format("{:>10}  {:>12}  {:>8}  {:>6}  {:>6}", "", "", "", "", "");
  const std::string measured =
      fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", columns.cpu_time ? "cputime" : "time", "algbw", "busbw", "#wrong");
  const std::string units = fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", "(us)", "(GB/s)", "(GB/s)", "");
  std::string spread;
  std::string spread_units;
  std::string end;
  std::string end_units;
  if (columns.each_iteration) {
    spread = fmt::format("  {:>7}  {:>7}  {:>7}  {:>7}", "i_min", "i_max", "i_p99", "i_cv%");
    spread_units = fmt::format("  {:>7}  {:>7}  {:>7}  {:>7}", "(us)", "(us)", "(us)", "(%)");
  }
  if (columns.timestamps) {
    end = fmt::format("{:>19}", "timestamp");
    end_units = fmt::format("{:>19}", kTimestamp);
  }
  if (columns.groups) {
    end += fmt::format("{:>7}", "group");
    end_units += columns.timestamps ? "" : fmt::format("{:>7}", "");
  }
  const char* placements =
      columns.each_iteration
          ? "              out-of-place (+ per-iteration)                                in-place (+ per-iteration)"
          : "           out-of-place                       in-place          ";
  return "#\n# " + blank + placements + "\n" +
         heading_line(fmt::format("{:>10}  {:>12}  {:>8}  {:>6}  {:>6}", "size", "count", "type", "redop", "root"),
                      measured + spread, end) +
         heading_line(fmt::format("{:>10}  {:>12}  {:>8}  {:>6}  {:>6}", "(B)", "(elements)", "", "", ""),
                      units + spread_units, end_units);
}

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), kTimestamp, &parts);
  return text.data();
}

/// As many decimals, up to two, as leave the number in its column; where it has too many digits, it stands as "4e+06",
/// in the wider columns as "1.2e+07".
std::string number(double value, int width) {
  for (int decimals : {2, 1, 0}) {
    const std::string text = fmt::format("{:{}.{}f}", value, width, decimals);
    if (text.size() <= static_cast<std::size_t>(width)) return text;
  }
  return fmt::format("{:{}.{}e}", value, width, width >= 7 ? 1 : 0);
}

/// "none" where nothing is reduced, as nccl-tests prints it.
std::string_view reduction_column(const Operation& operation) {
  return operation.description().reduces ? name_of(operation.op) : "none";
}

void print_measurement(std::ostream& out, const TableColumns& columns, const Measurement& measured) {
  const double seconds = columns.cpu_time ? measured.enqueued_seconds : measured.seconds;
  const std::string wrong = measured.wrong ? fmt::format("{:g}", static_cast<double>(*measured.wrong)) : "N/A";
  out << fmt::format("  {}  {}  {}  {:>6}", number(seconds * 1e6, 7), number(measured.bandwidth.algorithm, 6),
                     number(measured.bandwidth.bus, 6), wrong);
  if (!columns.each_iteration) return;
  const Statistics spread = measured.statistics();
  out << fmt::format("  {}  {}  {}  {}", number(spread.min * 1e6, 7), number(spread.max * 1e6, 7),
                     number(spread.p99 * 1e6, 7), number(spread.variation(), 7));
}

/// "1.50 GB", with three digits.
std::string memory_text(double bytes) {
  const char* unit = "B";
  for (const char* larger : {"KB", "MB", "GB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = larger;
  }
  return fmt::format("{:.{}f} {}", bytes, bytes < 10 ? 2 : bytes < 100 ? 1 : 0, unit);
}

/// The lines of nccl-tests about what is not as usual.
void print_ways(std::ostream& out, const TableHead& head) {
  switch (head.plan.blocking) {
    case Blocking::kNot:
      break;
    case Blocking::kWaitAndBarrier:
      out << "# Blocking Enabled: wait for completion and barrier after each collective \n";
      break;
    case Blocking::kWait:
      out << "# Blocking Enabled: wait for completion after each collective (no barrier) \n";
      break;
    case Blocking::kWaitForGroup:
      out << "# Blocking Enabled: wait for completion after each group of collectives (no barrier) \n";
      break;
  }
  if (head.columns.each_iteration) {
    const int skipped = head.plan.skipped_iterations;
    out << "# Per-Iteration Report: i_* uses max over process rows"
        << (skipped > 0 ? fmt::format("; summary skips first {} iterations", skipped) : "") << " \n";
  }
  if (head.parallel_init) out << "# Parallel Init Enabled: threads call into NcclInitRank concurrently \n";
}

}  // namespace

void print_run(std::ostream& out, const TableHead& head) {
  const SweepPlan& plan = head.plan;
  out << fmt::format("# ringrun worker version {} {}\n", kVersion, head.versions)
      << fmt::format("# Collective test starting: {}_perf\n", name_of(plan.kind))
      << fmt::format(
             "# nThread {} nGpus {} minBytes {} maxBytes {} step: {}({}) warmup iters: {} iters: {} agg iters: {} "
             "validation: {} graph: {} unalign: {}\n",
             head.threads, head.gpus, head.smallest, head.largest, head.factor > 1 ? head.factor : head.step,
             head.factor > 1 ? "factor" : "bytes", plan.warmups, plan.iterations, plan.aggregate, plan.checks,
             plan.graph_launches, head.misalignment);
  print_ways(out, head);
  print_devices(out, head);
}

void print_devices(std::ostream& out, const TableHead& head) {
  out << "#\n# Using devices\n";
  for (const DeviceLine& line : head.devices) {
    out << fmt::format("#  Rank {:2} Group {:2} Pid {:6} on {:>10} {}\n", line.rank, line.group, line.pid, line.host,
                       line.device);
  }
  for (const std::string& remark : head.remarks) out << "# " << remark << '\n';
}

void print_head(std::ostream& out, const TableHead& head) {
  print_run(out, head);
  out << heading(head.columns);
  out.flush();
}

void print_row(std::ostream& out, const TableColumns& columns, const Row& row) {
  const Operation& operation = row.operation;
  out << fmt::format("{:12}  {:12}  {:>8}  {:>6}  {:>6}", operation.bytes(), operation.layout.count,
                     name_of(operation.type), reduction_column(operation), operation.root);
  print_measurement(out, columns, row.out_of_place);
  print_measurement(out, columns, row.in_place);
  if (columns.timestamps) out << fmt::format("{:>21}", time_of_day());
  if (columns.groups) out << fmt::format(" {:6}", row.group);
  out << '\n';
  for (const Measurement* measured : {&row.out_of_place, &row.in_place}) {
    for (const std::string& location : measured->wrong_locations) out << "# " << location << '\n';
  }
  print_expected(out, row);
  print_sample(out, "out-of-place", row.out_of_place.sample);
  print_sample(out, "in-place", row.in_place.sample);
  out.flush();
}

void print_foot(std::ostream& out, CollectiveKind kind, const SweepSummary& summary,
                std::optional<double> least_bandwidth, const MemoryReport& memory) {
  const char* verdict = !least_bandwidth ? "" : summary.is_fast_enough(*least_bandwidth) ? "OK" : "FAILED";
  out << fmt::format("# Out of bounds values : {} {}\n", summary.wrong, summary.wrong == 0 ? "OK" : "FAILED")
      << fmt::format("# Avg bus bandwidth    : {:g} {}\n", summary.average_bus_bandwidth(), verdict);
  if (!memory.uses.empty()) {
    double total = 0;
    out << fmt::format("# {:20} : ", memory.where + " memory usage");
    for (const MemoryUse& use : memory.uses) {
      out << use.what << ' ' << memory_text(use.bytes) << " | ";
      total += use.bytes;
    }
    out << "Total " << memory_text(total) << '\n';
  }
  out << fmt::format("#\n# Collective test concluded: {}_perf\n#\n", name_of(kind));
  out.flush();
}

}  // namespace ringrun::worker
