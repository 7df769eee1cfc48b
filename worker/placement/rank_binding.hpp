#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lib/placement/planned_placement.hpp"
#include "lib/placement/process_binding.hpp"

namespace ringrun::worker {

/// What a process really has, and what it was to have.
struct RankBinding {
  std::string cpus;  ///< the list of those that it may run on
  MemoryPolicy memory;
  /// Unset where ringrun did not place it.
  std::optional<PlannedPlacement> planned;
  /// "0000:4e:00.0" of the planned GPU; "" where there is none, or nobody says.
  std::string planned_bus_id;
};

/// What ringrun planned for this process; what it planned for one above it, in whose job this one is another, does not
/// count. Throws UserError where the variable is not ringrun's.
std::optional<PlannedPlacement> planned_placement(const std::function<const char*(const char*)>& variable);

/// That of this process; `has_gpu`: it may use some. Throws UserError and SystemError.
RankBinding read_rank_binding(bool has_gpu);

}  // namespace ringrun::worker
