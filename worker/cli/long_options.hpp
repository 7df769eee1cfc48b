#pragma once

#include <string>
#include <vector>

#include "worker/cli/option_table.hpp"

namespace ringrun::worker {

/// The arguments with every long option's name whole: nccl-tests' getopt takes any beginning that is one option's alone
/// ("--iter 5"). A beginning that would be one in nccl-tests is that one here, whatever the worker has beside. Throws
/// UserError for a beginning of several, and for a value of an option that takes none ("--stats=yes").
std::vector<std::string> with_whole_names(const cxxopts::Options& table, const std::vector<std::string>& arguments);

}  // namespace ringrun::worker
