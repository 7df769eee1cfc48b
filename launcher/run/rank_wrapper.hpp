#pragma once

#include <string>
#include <vector>

namespace ringrun {

/// `ringrun __rank -- program arguments…`: a rank of the job. Looks up its row of the plan in RINGRUN_PLAN, sets the
/// environment, binds, starts the program and ends as it ends (128 + signal). Nothing outlives it, however the engine
/// ends. Throws UserError where the engine's or ringrun's variables are missing.
int run_rank(const std::vector<std::string>& words);

}  // namespace ringrun
