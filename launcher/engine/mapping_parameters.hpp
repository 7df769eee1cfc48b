#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launcher/engine/mapping.hpp"
#include "launcher/environment.hpp"

namespace ringrun {

/// What a user says of mapping, ranking and binding by options and, where these are silent, by parameters of Open MPI:
/// those of --mca, then OMPI_MCA_* and PRTE_MCA_* of the environment, in the names of both generations.
struct SaidMapping {
  Mapping mapping;
  /// A parameter says something of mapping that only the engine understands.
  bool unknown = false;
};

SaidMapping said_mapping(Mapping options, const std::vector<std::pair<std::string, std::string>>& parameters,
                         const Environment& environment);

}  // namespace ringrun
