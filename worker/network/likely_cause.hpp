#pragma once

#include <chrono>
#include <string>

namespace ringrun::worker {

/// Why MPI may not have come so far as to exchange a word with the other hosts: what is wrong with this host's own
/// network, and the command that checks all hosts. Empty where ringrun started this process or every rank is on this
/// host. Asks only this host, for at most `patience`; callable from any thread, also while MPI is stuck.
std::string likely_cause(std::chrono::milliseconds patience) noexcept;

}  // namespace ringrun::worker
