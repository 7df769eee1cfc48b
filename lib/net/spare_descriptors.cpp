#include "lib/net/spare_descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace ringrun {
namespace {

/// Descriptors left to the rest of the program.
constexpr long kReserve = 32;

}  // namespace

int spare_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1u << 20) return 1 << 20;
  long used = 0;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator("/proc/self/fd", error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    ++used;
  }
  return static_cast<int>(std::max(1L, (static_cast<long>(limit.rlim_cur) - used - kReserve) / 2));
}

bool is_exhaustion(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

}  // namespace ringrun
