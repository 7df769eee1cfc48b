#include "launcher/run/nccl_messages.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace ringrun {

void keep_nccl_messages_apart() {
  constexpr int kNumber = 198;  // beyond what programs use by number
  const char* file = std::getenv("NCCL_DEBUG_FILE");
  if (file == nullptr || std::string_view(file) != "/dev/stderr") return;
  struct stat status {};
  const bool is_file = fstat(STDERR_FILENO, &status) != 0 || S_ISREG(status.st_mode);
  if (is_file || dup2(STDERR_FILENO, kNumber) < 0) {
    unsetenv("NCCL_DEBUG_FILE");
  } else {
    setenv("NCCL_DEBUG_FILE", ("/proc/self/fd/" + std::to_string(kNumber)).c_str(), 1);
  }
}

}  // namespace ringrun
