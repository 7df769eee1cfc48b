#pragma once

// cxxopts would split values at commas.
#ifndef CXXOPTS_VECTOR_DELIMITER
#define CXXOPTS_VECTOR_DELIMITER '\0'
#endif
#include <cxxopts.hpp>

namespace ringrun::worker {

/// Every option, by the letters and names of nccl-tests.
cxxopts::Options option_table();

}  // namespace ringrun::worker
