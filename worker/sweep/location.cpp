#include "worker/sweep/location.hpp"

#include <fmt/format.h>

namespace ringrun::worker {

std::string location_of(const Operation& operation, const WrongElements& wrong, const Team& team) {
  const std::string group = team.groups() > 1 ? fmt::format("group {} ", team.group()) : "";
  const std::string when = wrong.iteration < 0 ? "" : fmt::format(" after timed iteration {}", wrong.iteration);
  const std::string where =
      operation.begin == 0 ? "" : fmt::format(" {} elements from the begin of the buffers", operation.begin);
  return fmt::format("{}rank {}: {} wrong in the {}{}{}, first at element {} of {}: expected {}, got {}\n", group,
                     wrong.rank, wrong.count, text_of(operation), where, when, wrong.first_index,
                     operation.layout.receive, wrong.expected, wrong.got);
}

}  // namespace ringrun::worker
