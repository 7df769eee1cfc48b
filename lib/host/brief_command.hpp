#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace ringrun {

/// What a command prints on its standard output (at most 64 KiB), without input and with its errors dropped; killed at
/// the deadline, and left behind where even that does not end it. "" where it cannot start, fails, or takes longer. May
/// be called from any thread.
std::string output_of(const std::vector<std::string>& command, std::chrono::milliseconds deadline);

}  // namespace ringrun
