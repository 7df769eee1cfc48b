#include "worker/sweep/row.hpp"

#include <nlohmann/json.hpp>

namespace ringrun::worker {
namespace {

using nlohmann::json;

json to_json(const Statistics& statistics) {
  return {statistics.min, statistics.max, statistics.average,  statistics.p50,
          statistics.p95, statistics.p99, statistics.deviation};
}

Statistics statistics_from(const json& from) {
  return {from.at(0), from.at(1), from.at(2), from.at(3), from.at(4), from.at(5), from.at(6)};
}

json to_json(const std::vector<RankSample>& samples) {
  json all = json::array();
  for (const RankSample& sample : samples) {
    all.push_back({{"rank", sample.rank},
                   {"host", sample.host},
                   {"inside", to_json(sample.inside)},
                   {"median_late", sample.median_late},
                   {"worst_late", sample.worst_late},
                   {"last_in_share", sample.last_in_share}});
  }
  return all;
}

std::vector<RankSample> rank_samples_from(const json& from) {
  std::vector<RankSample> samples;
  for (const json& one : from) {
    samples.push_back({one.at("rank"), one.at("host"), statistics_from(one.at("inside")), one.at("median_late"),
                       one.at("worst_late"), one.at("last_in_share")});
  }
  return samples;
}

json to_json(const std::optional<Sample>& sample) {
  if (!sample) return nullptr;
  return {{"inside", to_json(sample->inside)},  {"iterations", sample->iterations},
          {"settled", sample->settled},         {"clock_error", sample->clock_error},
          {"median_skew", sample->median_skew}, {"worst_skew", sample->worst_skew},
          {"ranks", to_json(sample->ranks)}};
}

std::optional<Sample> sample_from(const json& from) {
  if (from.is_null()) return std::nullopt;
  return Sample{statistics_from(from.at("inside")),
                from.at("iterations"),
                from.at("settled"),
                from.at("clock_error"),
                from.at("median_skew"),
                from.at("worst_skew"),
                rank_samples_from(from.at("ranks"))};
}

json to_json(const std::optional<Expectation>& expected) {
  if (!expected) return nullptr;
  const LibraryChoice& choice = expected->choice;
  return {choice.algorithm, choice.protocol, choice.channels, choice.estimated_seconds};
}

std::optional<Expectation> expectation_from(const json& from) {
  if (from.is_null()) return std::nullopt;
  Expectation expected;
  expected.choice = {from.at(0), from.at(1), from.at(2), from.at(3)};
  return expected;
}

json to_json(const Measurement& measured) {
  return {{"seconds", measured.seconds},
          {"enqueued_seconds", measured.enqueued_seconds},
          {"algorithm", measured.bandwidth.algorithm},
          {"bus", measured.bandwidth.bus},
          {"wrong", measured.wrong ? json(*measured.wrong) : json(nullptr)},
          {"wrong_locations", measured.wrong_locations},
          {"iterations", measured.iterations},
          {"iterations_of_processes", measured.iterations_of_processes},
          {"skipped_iterations", measured.skipped_iterations},
          {"sample", to_json(measured.sample)},
          {"expected", to_json(measured.expected)}};
}

Measurement measurement_from(const json& from) {
  Measurement measured;
  from.at("seconds").get_to(measured.seconds);
  from.at("enqueued_seconds").get_to(measured.enqueued_seconds);
  from.at("algorithm").get_to(measured.bandwidth.algorithm);
  from.at("bus").get_to(measured.bandwidth.bus);
  if (!from.at("wrong").is_null()) measured.wrong = from.at("wrong").get<std::uint64_t>();
  from.at("wrong_locations").get_to(measured.wrong_locations);
  from.at("iterations").get_to(measured.iterations);
  from.at("iterations_of_processes").get_to(measured.iterations_of_processes);
  from.at("skipped_iterations").get_to(measured.skipped_iterations);
  measured.sample = sample_from(from.at("sample"));
  measured.expected = expectation_from(from.at("expected"));
  return measured;
}

}  // namespace

std::string to_text(const Row& row) {
  const Operation& operation = row.operation;
  return json{{"group", row.group},
              {"kind", operation.kind},
              {"type", operation.type},
              {"op", operation.op},
              {"root", operation.root},
              {"ranks", operation.ranks},
              {"count", operation.layout.count},
              {"send", operation.layout.send},
              {"receive", operation.layout.receive},
              {"input_in_place", operation.layout.input_in_place},
              {"output_in_place", operation.layout.output_in_place},
              {"out_of_place", to_json(row.out_of_place)},
              {"in_place", to_json(row.in_place)}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

Row row_from(const std::string& text) {
  const json from = json::parse(text);
  Row row;
  Operation& operation = row.operation;
  from.at("group").get_to(row.group);
  from.at("kind").get_to(operation.kind);
  from.at("type").get_to(operation.type);
  from.at("op").get_to(operation.op);
  from.at("root").get_to(operation.root);
  from.at("ranks").get_to(operation.ranks);
  from.at("count").get_to(operation.layout.count);
  from.at("send").get_to(operation.layout.send);
  from.at("receive").get_to(operation.layout.receive);
  from.at("input_in_place").get_to(operation.layout.input_in_place);
  from.at("output_in_place").get_to(operation.layout.output_in_place);
  row.out_of_place = measurement_from(from.at("out_of_place"));
  row.in_place = measurement_from(from.at("in_place"));
  return row;
}

std::string to_text(const std::vector<RankSample>& samples) {
  return to_json(samples).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<RankSample> rank_samples_from(const std::string& text) { return rank_samples_from(json::parse(text)); }

}  // namespace ringrun::worker
