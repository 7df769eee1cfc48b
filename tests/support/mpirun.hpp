#pragma once

#include <string>
#include <vector>

#include "tests/support/command.hpp"

namespace ringrun::test {

/// Runs `program` as `ranks` ranks on this host by plain mpirun, in the build's bin folder. Works as root and with more
/// ranks than cores.
CommandResult mpirun(int ranks, const std::vector<std::string>& program, CommandOptions options = {});

}  // namespace ringrun::test
