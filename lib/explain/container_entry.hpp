#pragma once

#include <string_view>

namespace ringrun {

/// Words of docker, or of a host's shell about docker, where a command does not get into a container.
struct EntryRefusal {
  /// A part of them, in lower case.
  std::string_view words;
  std::string_view why;
  /// Commands for the docker host; {container} is the container's name.
  std::string_view fix;
};

/// The first that `said` has in any case; nullptr where docker refused nothing.
const EntryRefusal* find_entry_refusal(std::string_view said);

}  // namespace ringrun
