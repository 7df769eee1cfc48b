#pragma once

#include <iosfwd>
#include <string>

#include "launcher/job/job.hpp"

namespace ringrun {

/// One row a rank, then the engine's command.
void print_dry_run(std::ostream& out, const Job& job, const std::string& engine_line);

}  // namespace ringrun
