#include "launcher/engine/mapping_parameters.hpp"

#include "lib/error.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

bool is_true(const std::string& value) {
  const std::string text = lower_case(value);
  return text == "1" || text == "true" || text == "yes" || text == "y" || text == "t" || text == "enabled";
}

/// False where the parameter is about mapping and is not understood.
bool add_parameter(Mapping& mapping, const std::string& name, const std::string& value) {
  if (name == "rmaps_base_mapping_policy" || name == "rmaps_default_mapping_policy") {
    if (mapping.by.empty()) add_map_by(mapping, name, value);
  } else if (name == "rmaps_base_ranking_policy" || name == "rmaps_default_ranking_policy") {
    if (!mapping.rank_by) mapping.rank_by = parse_rank_by(value);
  } else if (name == "hwloc_base_binding_policy" || name == "hwloc_default_binding_policy") {
    if (!mapping.bind_to) mapping.bind_to = parse_bind_to(value);
  } else if (name == "rmaps_base_oversubscribe") {
    mapping.oversubscribe = mapping.oversubscribe || is_true(value);
  } else if (name == "rmaps_base_no_oversubscribe") {
    mapping.never_oversubscribe = mapping.never_oversubscribe || is_true(value);
  } else if (name == "rmaps_base_no_schedule_local") {
    mapping.no_local = mapping.no_local || is_true(value);
  } else {
    return name.rfind("rmaps_", 0) != 0 || name.find("verbose") != std::string::npos;
  }
  return true;
}

}  // namespace

SaidMapping said_mapping(Mapping options, const std::vector<std::pair<std::string, std::string>>& parameters,
                         const Environment& environment) {
  SaidMapping said{std::move(options)};
  const auto add = [&](const std::string& name, const std::string& value) {
    try {
      said.unknown = !add_parameter(said.mapping, name, value) || said.unknown;
    } catch (const UserError&) {
      // The engine judges its own parameters.
      said.unknown = true;
    }
  };
  for (const auto& [name, value] : parameters) add(name, value);
  for (const auto& [name, value] : environment) {
    constexpr std::size_t kPrefix = 9;
    if (name.rfind("OMPI_MCA_", 0) == 0 || name.rfind("PRTE_MCA_", 0) == 0) add(name.substr(kPrefix), value);
  }
  return said;
}

}  // namespace ringrun
