#pragma once

#include <optional>
#include <string>
#include <vector>

#include "worker/cli/options.hpp"

namespace ringrun::worker {

/// The program's version and all of its options that every process of a job must have alike: what is measured, and what
/// is exchanged on the way. One a line, as "-e 4096".
std::string shared_settings(const Options& options);

/// What of it the first process that differs from process 0 has otherwise, and on which host; nothing where all are
/// alike. `settings` and `hosts` have a member for each process.
std::optional<std::string> difference_of(const std::vector<std::string>& settings,
                                         const std::vector<std::string>& hosts);

}  // namespace ringrun::worker
