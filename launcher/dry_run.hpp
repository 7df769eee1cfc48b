#pragma once

#include <iosfwd>
#include <string>

#include "launcher/job/job.hpp"

namespace ringrun {

/// One row a rank; one a host where only the engine knows where ranks run.
void print_ranks(std::ostream& out, const Job& job);

/// One row a host: its slots, its GPUs and its cores.
void print_hosts(std::ostream& out, const Job& job);

}  // namespace ringrun
