#include "worker/sweep/row.hpp"

#include <nlohmann/json.hpp>

namespace ringrun::worker {
namespace {

using nlohmann::json;

json to_json(const Measurement& measured) {
  return {{"seconds", measured.seconds},
          {"enqueued_seconds", measured.enqueued_seconds},
          {"algorithm", measured.bandwidth.algorithm},
          {"bus", measured.bandwidth.bus},
          {"wrong", measured.wrong ? json(*measured.wrong) : json(nullptr)},
          {"wrong_locations", measured.wrong_locations},
          {"iterations", measured.iterations}};
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
      .dump();
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

}  // namespace ringrun::worker
