#include "launcher/run/rank_memory.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace ringrun {
namespace {

// Headers before 5.15 lack it.
constexpr int kPreferredMany = 5;

bool set_policy(int mode, const std::vector<int>& nodes) {
  constexpr std::size_t kBits = sizeof(unsigned long) * CHAR_BIT;
  const auto most = static_cast<std::size_t>(*std::max_element(nodes.begin(), nodes.end()));
  std::vector<unsigned long> mask(most / kBits + 1, 0);
  for (const int node : nodes)
    mask[static_cast<std::size_t>(node) / kBits] |= 1UL << static_cast<std::size_t>(node) % kBits;
  // The kernel leaves the last bit out.
  return syscall(SYS_set_mempolicy, mode, mask.data(), mask.size() * kBits + 1) == 0;
}

}  // namespace

void prefer_memory(const std::vector<int>& nodes) {
  if (nodes.empty()) return;
  if (nodes.size() > 1 && set_policy(kPreferredMany, nodes)) return;
  set_policy(MPOL_PREFERRED, {nodes.front()});
}

}  // namespace ringrun
