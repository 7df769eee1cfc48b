#include "lib/host/cpuset_facts.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace ringrun {
namespace {

constexpr std::size_t kMostCpus = 65536;

/// Sets the mask of the calling thread alone to all, of which the kernel keeps what the cpuset has.
std::vector<int> widest_mask() {
  std::vector<int> cpus;
  std::vector<cpu_set_t> mask(kMostCpus / CPU_SETSIZE);
  const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
  for (std::size_t cpu = 0; cpu < kMostCpus; ++cpu) CPU_SET_S(cpu, bytes, mask.data());
  if (sched_setaffinity(0, bytes, mask.data()) != 0) return cpus;
  std::fill(mask.begin(), mask.end(), cpu_set_t{});
  if (sched_getaffinity(0, bytes, mask.data()) != 0) return cpus;
  for (std::size_t cpu = 0; cpu < kMostCpus; ++cpu) {
    if (CPU_ISSET_S(cpu, bytes, mask.data())) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

}  // namespace

std::vector<int> cpuset_cpus() {
  std::vector<int> cpus;
  std::thread([&] { cpus = widest_mask(); }).join();
  return cpus;
}

}  // namespace ringrun
