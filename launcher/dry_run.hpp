#pragma once

#include <iosfwd>
#include <string>

#include "launcher/job/job.hpp"

namespace ringrun {

/// One row a rank; one a host where only the engine knows where ranks run.
void print_ranks(std::ostream& out, const Job& job);

/// What is to be known of the placements, a line for each kind of host.
void print_notes(std::ostream& out, const Job& job);

/// One object: `ranks` in rank order, `notes`, and `command`, the engine's ("" is null).
void print_ranks_json(std::ostream& out, const Job& job, const std::string& command);

/// One row a host: its slots, its GPUs and its cores.
void print_hosts(std::ostream& out, const Job& job);

}  // namespace ringrun
