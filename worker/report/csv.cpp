#include "worker/report/csv.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>

#include "worker/report/expected_lines.hpp"
#include "worker/report/report_file.hpp"

namespace ringrun::worker {
namespace {

constexpr const char* kOption = "--csv";

std::string spread_columns(const Measurement& measured) {
  if (!measured.sample && measured.iterations.empty()) return ",,,,,,";
  const Statistics spread = measured.sample ? measured.sample->inside : measured.statistics();
  const std::size_t iterations =
      measured.sample ? static_cast<std::size_t>(measured.sample->iterations) : measured.counted_iterations().size();
  return fmt::format("{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.2f}", iterations, spread.min * 1e6, spread.p50 * 1e6,
                     spread.p95 * 1e6, spread.p99 * 1e6, spread.max * 1e6, spread.variation());
}

std::string arrival_columns(const std::optional<Sample>& sample) {
  if (!sample) return ",";
  const RankSample* straggler = straggler_of(*sample);
  return fmt::format("{:.3f},{}", sample->median_skew * 1e6,
                     straggler == nullptr ? "" : std::to_string(straggler->rank));
}

}  // namespace

CsvReport::CsvReport(const std::string& file)
    : file_(file), open_(open_to_write(file, O_CREAT | O_TRUNC)), out_(open_.get()) {
  if (!open_) throw_unwritten(kOption, file_, errno);
  out_ << "collective,group,ranks,size,count,type,redop,root,placement,time_us,algbw_gbs,busbw_gbs,wrong,"
          "iterations,min_us,p50_us,p95_us,p99_us,max_us,cv_pct,skew_us,straggler,"
       << expected_heading() << '\n'
       << std::flush;
  require_good();
}

void CsvReport::add(const Row& row) {
  const Operation& operation = row.operation;
  for (const Measurement* measured : {&row.out_of_place, &row.in_place}) {
    out_ << fmt::format("{},{},{},{},{},{},{},{},{},{:.3f},{:.4f},{:.4f},{},{},{},{}\n", name_of(operation.kind),
                        row.group, operation.ranks, operation.bytes(), operation.layout.count, name_of(operation.type),
                        operation.description().reduces ? name_of(operation.op) : "none", operation.root,
                        measured == &row.out_of_place ? "out_of_place" : "in_place", measured->seconds * 1e6,
                        measured->bandwidth.algorithm, measured->bandwidth.bus,
                        measured->wrong ? std::to_string(*measured->wrong) : "", spread_columns(*measured),
                        arrival_columns(measured->sample), expected_columns(measured->expected));
  }
  out_.flush();
  require_good();
}

void CsvReport::require_good() const {
  if (!out_) throw_unwritten(kOption, file_, out_.error());
}

}  // namespace ringrun::worker
