#include "worker/report/reports.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "lib/error.hpp"

namespace ringrun::worker {

Reports::Reports(std::ostream& out, const Options& options, const TableHead& head)
    : out_(out),
      options_(options),
      columns_(head.columns),
      highlights_(head.columns.groups),
      progress_(head.plan, options.cycles) {
  if (!options.baseline_file.empty())
    before_ = read_baseline(options.baseline_file, {head.devices.size(), head.nccl_version == 0});
  if (!options.json_file.empty()) json_.emplace(options.json_file, head);
  if (!options.csv_file.empty()) csv_.emplace(options.csv_file);
  print_head(out_, head);
}

void Reports::add(const Row& row) {
  const std::lock_guard printing(printing_);
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    if (rows_++ == 0) own_group_ = row.group;
    summary_.add(row);
    highlights_.add(row);
    if (json_) json_->add(row);
    if (csv_) csv_->add(row);
    if (!before_.empty()) add_row(now_, row);
  }
  progress_.clear();
  print_row(out_, columns_, row);
  if (row.group == own_group_) progress_.show(static_cast<std::int64_t>(row.operation.bytes()));
}

void Reports::set_soak(const SoakResult& result) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  soak_ = result;
  summary_.wrong = result.wrong;
}

void Reports::print_end(const MemoryReport& memory) {
  progress_.end();
  if (soak_) out_ << text_of(*soak_);
  for (const std::string& line : highlights_.lines()) out_ << line;
  if (comparison_) out_ << text_of(*comparison_, options_.baseline_file, options_.allowed_growth);
  print_foot(out_, options_.plan.kind, summary_, options_.least_bandwidth, memory);
}

void Reports::write_json(const std::vector<std::string>& errors) {
  if (!json_) return;
  if (soak_) {
    json_->set("soak", {{"operations", soak_->operations},
                        {"bytes", soak_->bytes},
                        {"seconds", soak_->seconds},
                        {"smallest_bytes", options_.smallest},
                        {"largest_bytes", options_.largest},
                        {"wrong", soak_->locations},
                        {"okay", soak_->wrong == 0},
                        {"complete", errors.empty()}});
  }
  json_->write(summary_, options_.least_bandwidth, errors);
}

/// "12 rows", "1 operation".
std::string Reports::so_far() const {
  const std::uint64_t count = soak_ ? soak_->operations : static_cast<std::uint64_t>(rows_);
  return fmt::format("{} {}{}", count, soak_ ? "operation" : "row", count == 1 ? "" : "s");
}

bool Reports::end() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(ended_, true);
}

void Reports::finish(const MemoryReport& memory) {
  if (!end()) return;
  if (!before_.empty()) comparison_ = compare(before_, now_, options_.allowed_growth);
  print_end(memory);
  write_json({});
}

void Reports::finish_partial(const std::string& why) {
  if (!end()) return;
  const std::string partial = why + " after " + so_far();
  std::string unwritten;
  try {
    write_json({"partial: " + partial});
  } catch (const UserError& error) {
    unwritten = fmt::format("# {}\n", error.what());
  }
  // The other thread may hold it for ever: mpirun does not read on once it was told to end.
  const std::unique_lock printing(printing_, std::chrono::milliseconds(300));
  if (!printing.owns_lock()) return;
  progress_.clear();
  out_ << "# PARTIAL: " << partial << '\n' << unwritten;
  print_end({});
}

}  // namespace ringrun::worker
