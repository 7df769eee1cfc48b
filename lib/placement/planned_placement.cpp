#include "lib/placement/planned_placement.hpp"

#include <nlohmann/json.hpp>

#include "lib/error.hpp"

namespace ringrun {

using Json = nlohmann::json;

std::string to_json(const PlannedPlacement& planned) {
  return Json{{"job", planned.job}, {"gpu", planned.gpu}, {"cpus", planned.cpus}, {"memory", planned.memory}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

PlannedPlacement planned_placement_from_json(std::string_view text) try {
  const Json json = Json::parse(text);
  return {json.at("job").get<std::string>(), json.at("gpu").get<int>(), json.at("cpus").get<std::string>(),
          json.at("memory").get<std::string>()};
} catch (const Json::exception& error) {
  throw UserError(std::string(kPlacementVariable) + " is not what ringrun sets: " + error.what(),
                  "leave it as it is, or unset it");
}

}  // namespace ringrun
