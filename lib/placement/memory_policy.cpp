#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>

#include "lib/placement/process_binding.hpp"

namespace ringrun {
namespace {

// Headers before 5.15 and 6.9 lack these.
constexpr int kPreferredMany = 5;
constexpr int kWeightedInterleave = 6;
constexpr std::size_t kBits = sizeof(unsigned long) * CHAR_BIT;

bool set_policy(int mode, const std::vector<int>& nodes) {
  const auto most = static_cast<std::size_t>(*std::max_element(nodes.begin(), nodes.end()));
  std::vector<unsigned long> mask(most / kBits + 1, 0);
  for (const int node : nodes)
    mask[static_cast<std::size_t>(node) / kBits] |= 1UL << static_cast<std::size_t>(node) % kBits;
  // The kernel leaves the last bit out.
  return syscall(SYS_set_mempolicy, mode, mask.data(), mask.size() * kBits + 1) == 0;
}

const char* name_of_policy(int mode) {
  switch (mode) {
    case MPOL_DEFAULT:
      return "any";
    case MPOL_PREFERRED:
    case kPreferredMany:
      return "prefer";
    case MPOL_BIND:
      return "bind";
    case MPOL_INTERLEAVE:
      return "interleave";
    case MPOL_LOCAL:
      return "local";
    case kWeightedInterleave:
      return "weighted interleave";
    default:
      return "";
  }
}

}  // namespace

MemoryPolicy memory_policy() {
  // As many nodes as a kernel can be built for.
  std::array<unsigned long, 1024 / kBits> mask{};
  int mode = 0;
  if (syscall(SYS_get_mempolicy, &mode, mask.data(), mask.size() * kBits + 1, nullptr, 0) != 0) return {};
  // The upper bits say how the nodes are counted.
  MemoryPolicy policy{name_of_policy(mode & ~MPOL_MODE_FLAGS), {}};
  for (std::size_t node = 0; node < mask.size() * kBits; ++node) {
    if ((mask[node / kBits] >> node % kBits & 1) != 0) policy.nodes.push_back(static_cast<int>(node));
  }
  return policy;
}

void prefer_memory(const std::vector<int>& nodes) {
  if (nodes.empty()) return;
  if (nodes.size() > 1 && set_policy(kPreferredMany, nodes)) return;
  set_policy(MPOL_PREFERRED, {nodes.front()});
}

}  // namespace ringrun
