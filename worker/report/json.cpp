#include "worker/report/json.hpp"

#include <chrono>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/error.hpp"
#include "lib/version.hpp"

namespace ringrun::worker {
namespace {

using nlohmann::json;

constexpr int kSchema = 3;

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

json to_json(const Measurement& measured) {
  return {{"time", measured.seconds * 1e6},
          {"cpu_time", measured.enqueued_seconds * 1e6},
          {"alg_bw", measured.bandwidth.algorithm},
          {"bus_bw", measured.bandwidth.bus},
          {"nwrong", measured.wrong ? json(*measured.wrong) : json(nullptr)}};
}

}  // namespace

struct JsonReport::Document {
  std::string file;
  std::ofstream out;
  json root;

  void require_good() const {
    if (!out)
      throw UserError("-J: cannot write " + file,
                      "give a file on a disk that has room, in a folder that can be written");
  }
};

JsonReport::JsonReport(const std::string& file, const TableHead& head) : document_(std::make_unique<Document>()) {
  document_->file = file;
  // Appending leaves an older report as it is until there is a new one.
  document_->out.open(file, std::ios::app);
  document_->require_good();
  json devices = json::array();
  for (const DeviceLine& line : head.devices) {
    devices.push_back({{"rank", line.rank}, {"pid", line.pid}, {"host", line.host}, {"device", line.device}});
  }
  document_->root = {{"schema", kSchema},
                     {"version", std::string("ringrun worker ") + kVersion},
                     {"libraries", head.versions},
                     {"start_time", utc_now()},
                     {"remarks", head.remarks},
                     {"config",
                      {{"ngpus", head.gpus},
                       {"minbytes", head.smallest},
                       {"maxbytes", head.largest},
                       {"stepbytes", head.step},
                       {"stepfactor", head.factor},
                       {"warmup_iters", head.plan.warmups},
                       {"iters", head.plan.iterations},
                       {"agg_iters", head.plan.aggregate},
                       {"validation", head.plan.checks},
                       {"devices", devices}}},
                     {"results", json::array()}};
}

JsonReport::~JsonReport() = default;

void JsonReport::add(const Row& row) {
  document_->root["results"].push_back(
      {{"size", row.operation.bytes()},
       {"count", row.operation.layout.count},
       {"type", name_of(row.operation.type)},
       {"redop", row.operation.description().reduces ? name_of(row.operation.op) : "none"},
       {"root", row.operation.root},
       {"out_of_place", to_json(row.out_of_place)},
       {"in_place", to_json(row.in_place)}});
}

void JsonReport::write(const SweepSummary& summary, std::optional<double> least_bandwidth) {
  json& root = document_->root;
  root["out_of_bounds"] = {{"count", summary.wrong}, {"okay", summary.wrong == 0}};
  root["average_bus_bandwidth"] = {{"bandwidth", summary.average_bus_bandwidth()},
                                   {"okay", summary.is_fast_enough(least_bandwidth.value_or(0))}};
  root["end_time"] = utc_now();
  document_->out.close();
  document_->out.open(document_->file, std::ios::trunc);
  document_->out << root.dump(2) << '\n';
  document_->out.close();
  document_->require_good();
}

}  // namespace ringrun::worker
