#pragma once

#include <string>
#include <string_view>

namespace ringrun {

/// In the environment of every rank that ringrun places: what is planned for it, so that the rank can prove it.
inline constexpr const char* kPlacementVariable = "RINGRUN_PLACEMENT";

struct PlannedPlacement {
  /// The engine's name of the job: a job inside the rank, which inherits the variable, is not meant by it.
  std::string job;
  /// As in the rank's PlanRow.
  int gpu = -1;
  std::string cpus;
  std::string memory;
  bool operator==(const PlannedPlacement&) const = default;
};

std::string to_json(const PlannedPlacement& planned);

/// Throws UserError where the text is none.
PlannedPlacement planned_placement_from_json(std::string_view json);

}  // namespace ringrun
