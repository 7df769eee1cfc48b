#pragma once

#include <string>
#include <vector>

namespace ringrun {

/// The processors that the calling thread may run on, in order. Throws SystemError.
std::vector<int> own_cpus();

/// Binds every thread that this process has, and so those that they start. Throws SystemError.
void bind_process(const std::vector<int>& cpus);

/// Where the calling thread's memory comes from.
struct MemoryPolicy {
  /// "any" (the node of the CPU that first touches it), "prefer", "bind", "interleave", "local", "weighted interleave";
  /// "" where the kernel does not say.
  std::string kind;
  /// In order; none where the kind needs none.
  std::vector<int> nodes;
  bool operator==(const MemoryPolicy&) const = default;
};

MemoryPolicy memory_policy();

/// Lets this process and what it becomes take its memory from these nodes while they have some; of none nothing
/// changes. Kernels before 5.15 know a single node: the first. Containers often forbid the call; nothing is lost then,
/// since memory comes from the node of the CPU that first touches it.
void prefer_memory(const std::vector<int>& nodes);

}  // namespace ringrun
