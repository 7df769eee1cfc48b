#include "worker/report/json.hpp"

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "lib/version.hpp"
#include "worker/report/expected_lines.hpp"
#include "worker/report/report_file.hpp"

namespace ringrun::worker {
namespace {

using nlohmann::json;

constexpr int kSchema = 3;

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return text.data();
}

json to_json(const Measurement& measured, bool cpu_time) {
  return {{cpu_time ? "cpu_time" : "time", (cpu_time ? measured.enqueued_seconds : measured.seconds) * 1e6},
          {"alg_bw", measured.bandwidth.algorithm},
          {"bus_bw", measured.bandwidth.bus},
          {"nwrong", measured.wrong ? json(*measured.wrong) : json(nullptr)}};
}

json to_json(const Statistics& spread) {
  return {{"min_us", spread.min * 1e6},         {"max_us", spread.max * 1e6},  {"avg_us", spread.average * 1e6},
          {"p50_us", spread.p50 * 1e6},         {"p95_us", spread.p95 * 1e6},  {"p99_us", spread.p99 * 1e6},
          {"stdev_us", spread.deviation * 1e6}, {"cv_pct", spread.variation()}};
}

json microseconds(const std::vector<double>& times) {
  json converted = json::array();
  for (double seconds : times) converted.push_back(seconds * 1e6);
  return converted;
}

json spread_of(const Measurement& measured) {
  json spread = to_json(measured.statistics());
  spread["skipped_iterations"] = measured.skipped_iterations;
  spread["times_us"] = microseconds(measured.iterations);
  // As nccl-tests: not of one process alone, whose times those are.
  if (measured.iterations_of_processes.size() < 2) return spread;
  for (const auto& of_process : measured.iterations_of_processes)
    spread["per_process_max_times_us"].push_back(microseconds(of_process));
  return spread;
}

json to_json(const Sample& sample) {
  json ranks = json::array();
  for (const RankSample& rank : sample.ranks) {
    json one = to_json(rank.inside);
    one.update({{"rank", rank.rank},
                {"hostname", rank.host},
                {"median_late_us", rank.median_late * 1e6},
                {"worst_late_us", rank.worst_late * 1e6},
                {"last_in_pct", rank.last_in_share * 100}});
    ranks.push_back(one);
  }
  const RankSample* straggler = straggler_of(sample);
  json all = to_json(sample.inside);
  all.update({{"iterations", sample.iterations},
              {"settled", sample.settled},
              {"clock_error_us", sample.clock_error * 1e6},
              {"median_skew_us", sample.median_skew * 1e6},
              {"worst_skew_us", sample.worst_skew * 1e6},
              {"straggler", straggler == nullptr ? json(nullptr) : json(straggler->rank)},
              {"ranks", ranks}});
  return all;
}

json config_of(const TableHead& head) {
  json devices = json::array();
  for (const DeviceLine& line : head.devices) {
    devices.push_back({{"rank", line.rank},
                       {"group", line.group},
                       {"pid", line.pid},
                       {"hostname", line.host},
                       {"device", line.index},
                       {"device_hex", line.bus_id},
                       {"device_info", line.name}});
  }
  const SweepPlan& plan = head.plan;
  json config{{"nthreads", head.threads},
              {"ngpus", head.gpus},
              {"minimum_bytes", head.smallest},
              {"maximum_bytes", head.largest},
              {"warmup_iters", plan.warmups},
              {"iterations", plan.iterations},
              {"aggregated_iterations", plan.aggregate},
              {"validation", plan.checks},
              {"graph", plan.graph_launches},
              {"blocking_collectives", plan.blocking != Blocking::kNot},
              {"per_iter_timing", plan.each_iteration},
              {"per_iter_skip", plan.skipped_iterations},
              {"parallel_init", head.parallel_init},
              {"devices", devices}};
  config[head.factor > 1 ? "step_factor" : "step_bytes"] = head.factor > 1 ? head.factor : head.step;
  return config;
}

}  // namespace

struct JsonReport::Document {
  explicit Document(const std::string& name) : file("-J", name) {}

  ReportFile file;
  json root;
  bool cpu_time = false;
  SweepPlan plan;
};

JsonReport::JsonReport(const std::string& file, const TableHead& head) : document_(std::make_unique<Document>(file)) {
  document_->cpu_time = head.columns.cpu_time;
  document_->plan = head.plan;
  document_->root = {{"version", kSchema},
                     {"start_time", now()},
                     {"args", head.command},
                     {"env", head.environment},
                     {"nccl_version", head.nccl_version},
                     {"config", config_of(head)},
                     {"results", json::array()},
                     {"ringrun", {{"version", kVersion}, {"libraries", head.versions}, {"remarks", head.remarks}}}};
}

JsonReport::~JsonReport() = default;

void JsonReport::add(const Row& row) {
  const Operation& operation = row.operation;
  const bool cpu_time = document_->cpu_time;
  std::vector<std::string> wrong = row.out_of_place.wrong_locations;
  wrong.insert(wrong.end(), row.in_place.wrong_locations.begin(), row.in_place.wrong_locations.end());
  json result{{"size", operation.bytes()},
              {"count", operation.layout.count},
              {"type", name_of(operation.type)},
              {"redop", operation.description().reduces ? name_of(operation.op) : "none"},
              {"root", operation.root},
              {"out_of_place", to_json(row.out_of_place, cpu_time)},
              {"in_place", to_json(row.in_place, cpu_time)},
              {"actual_iterations", document_->plan.iterations},
              {"experiment_name", std::string(name_of(operation.kind)) + "_perf"},
              {"ringrun", {{"group", row.group}, {"ranks", operation.ranks}, {"wrong", wrong}}}};
  if (document_->plan.each_iteration) {
    result["out_of_place_per_iter"] = spread_of(row.out_of_place);
    result["in_place_per_iter"] = spread_of(row.in_place);
  }
  if (row.out_of_place.sample) result["ringrun"]["out_of_place_stats"] = to_json(*row.out_of_place.sample);
  if (row.in_place.sample) result["ringrun"]["in_place_stats"] = to_json(*row.in_place.sample);
  if (row.out_of_place.expected) result["ringrun"]["out_of_place_expected"] = expected_json(*row.out_of_place.expected);
  if (row.in_place.expected) result["ringrun"]["in_place_expected"] = expected_json(*row.in_place.expected);
  document_->root["results"].push_back(std::move(result));
}

void JsonReport::set(const std::string& key, nlohmann::json value) {
  document_->root["ringrun"][key] = std::move(value);
}

void JsonReport::write(const SweepSummary& summary, std::optional<double> least_bandwidth,
                       const std::vector<std::string>& errors) {
  json& root = document_->root;
  root["out_of_bounds"] = {{"count", summary.wrong}, {"okay", summary.wrong == 0}};
  root["average_bus_bandwidth"] = {
      {"bandwidth", summary.average_bus_bandwidth()},
      {"okay", least_bandwidth ? json(summary.is_fast_enough(*least_bandwidth)) : json("unchecked")}};
  root["errors"] = errors;
  root["end_time"] = now();
  // Arguments and variables are bytes, which need not be UTF-8.
  document_->file.write(root.dump(2, ' ', false, json::error_handler_t::replace) + '\n');
}

}  // namespace ringrun::worker
