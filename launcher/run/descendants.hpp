#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

namespace ringrun {

/// One line of the process table.
struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t session = 0;
  bool ended = false;  ///< and not yet reaped
  bool operator==(const ProcessEntry&) const = default;
};

/// From the text of /proc/PID/stat; pid 0 where it is none.
ProcessEntry parse_process_entry(std::string_view stat);

/// Every process of this host that /proc shows.
std::vector<ProcessEntry> read_processes();

/// Those that run below `ancestor`, however deep.
std::vector<ProcessEntry> descendants_of(pid_t ancestor, const std::vector<ProcessEntry>& all);

}  // namespace ringrun
