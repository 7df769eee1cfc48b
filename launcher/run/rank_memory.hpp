#pragma once

#include <vector>

namespace ringrun {

/// Lets this process and what it becomes take its memory from these nodes while they have some; of none nothing
/// changes. Kernels before 5.15 know a single node: the first. Containers often forbid the call; nothing is lost then,
/// since memory comes from the node of the CPU that first touches it.
void prefer_memory(const std::vector<int>& nodes);

}  // namespace ringrun
