#include "lib/placement/process_binding.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "lib/error.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

struct CpuMask {
  explicit CpuMask(int cpus) : size(CPU_ALLOC_SIZE(cpus)), set(CPU_ALLOC(cpus)) { CPU_ZERO_S(size, set); }
  ~CpuMask() { CPU_FREE(set); }
  CpuMask(const CpuMask&) = delete;
  CpuMask& operator=(const CpuMask&) = delete;

  std::size_t size;
  cpu_set_t* set;
};

}  // namespace

std::vector<int> own_cpus() {
  // The kernel refuses a mask that is shorter than its own.
  constexpr int kFirst = 1024;
  constexpr int kMost = 1 << 16;
  for (int count = kFirst;; count *= 2) {
    const CpuMask mask(count);
    if (sched_getaffinity(0, mask.size, mask.set) != 0) {
      if (errno == EINVAL && count < kMost) continue;
      throw SystemError("sched_getaffinity", std::strerror(errno), errno);
    }
    std::vector<int> cpus;
    for (int cpu = 0; cpu < count; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), mask.size, mask.set)) cpus.push_back(cpu);
    }
    return cpus;
  }
}

void bind_process(const std::vector<int>& cpus) {
  const CpuMask mask(cpus.empty() ? 1 : *std::max_element(cpus.begin(), cpus.end()) + 1);
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), mask.size, mask.set);
  if (sched_setaffinity(0, mask.size, mask.set) != 0)
    throw SystemError("sched_setaffinity to " + format_cpu_list(cpus), std::strerror(errno), errno);
  std::error_code error;
  for (std::filesystem::directory_iterator thread("/proc/self/task", error), end; !error && thread != end;
       thread.increment(error)) {
    // One that has ended meanwhile needs nothing.
    sched_setaffinity(std::atoi(thread->path().filename().c_str()), mask.size, mask.set);
  }
}

}  // namespace ringrun
