#include "lib/host/limit_facts.hpp"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <sstream>

#include "lib/host/host_file.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

void read_shared_memory(const fs::path& root, LimitFacts& facts) {
  struct statvfs status {};
  if (statvfs(host_path(root, "/dev/shm").c_str(), &status) != 0) return;
  const auto block = static_cast<std::int64_t>(status.f_frsize);
  facts.shm_bytes = static_cast<std::int64_t>(status.f_blocks) * block;
  facts.shm_free_bytes = static_cast<std::int64_t>(status.f_bavail) * block;
}

std::int64_t read_memlock() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return -1;
  return static_cast<std::int64_t>(limit.rlim_cur);
}

bool numa_calls_allowed() {
#if defined(SYS_get_mempolicy) && defined(SYS_set_mempolicy)
  constexpr int kDefaultPolicy = 0;
  int policy = kDefaultPolicy;
  if (syscall(SYS_get_mempolicy, &policy, nullptr, 0, nullptr, 0) != 0) return errno != EPERM;
  // Somebody's own policy (numactl) stays: that it could be set is the answer.
  if (policy != kDefaultPolicy) return true;
  return syscall(SYS_set_mempolicy, kDefaultPolicy, nullptr, 0) == 0 || errno != EPERM;
#else
  return true;
#endif
}

bool has_ptrace_capability(const fs::path& root) {
  constexpr unsigned kPtrace = 19;
  for (const std::string& line : read_lines(host_path(root, "/proc/self/status"))) {
    if (line.rfind("CapEff:", 0) != 0) continue;
    const std::string_view digits = trimmed(std::string_view(line).substr(7));
    std::uint64_t set = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), set, 16);
    return (set >> kPtrace & 1) != 0;
  }
  return false;
}

/// A child reads a word of its parent's memory: to the kernel the two are as strange to each other as sibling ranks
/// are, so seccomp, Yama and other security modules have their say. The child of vfork costs a tenth of a millisecond.
bool parent_can_be_read(bool thorough) {
  static const int kWord = 4711;
  static int copy = 0;
  const pid_t parent = getpid();
  const pid_t child = thorough ? fork() : vfork();
  if (child == 0) {
    // Nothing but system calls: the threads that held locks are not here.
    iovec here{&copy, sizeof copy};
    iovec there{const_cast<int*>(&kWord), sizeof kWord};
    _exit(process_vm_readv(parent, &here, 1, &there, 1, 0) == static_cast<ssize_t>(sizeof copy) ? 0 : 1);
  }
  // No child, no answer: nothing speaks against it.
  if (child < 0) return true;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return true;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A process may always read itself, but for seccomp, which looks at no argument.
bool may_call_process_vm_readv() {
  static const int kWord = 4711;
  int copy = 0;
  iovec here{&copy, sizeof copy};
  iovec there{const_cast<int*>(&kWord), sizeof kWord};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(sizeof copy);
}

bool process_vm_calls_allowed(const fs::path& root, bool thorough) {
  const std::string scope = read_word(host_path(root, "/proc/sys/kernel/yama/ptrace_scope"));
  if (scope == "3") return false;
  if (scope.empty() || scope == "0" || has_ptrace_capability(root)) return parent_can_be_read(thorough);
  // At 1 a process reads those that allow it, and Open MPI's ranks do (PR_SET_PTRACER). This one is not made to: it
  // may be such a rank, whose own word must stand.
  return scope == "1" && may_call_process_vm_readv();
}

}  // namespace

LimitFacts read_limit_facts(const fs::path& root, bool thorough) {
  LimitFacts facts;
  read_shared_memory(root, facts);
  facts.memlock_bytes = read_memlock();
  facts.numa_calls = numa_calls_allowed();
  facts.process_vm_calls = process_vm_calls_allowed(root, thorough);
  std::istringstream(read_word(host_path(root, "/proc/sys/net/ipv4/ip_local_port_range"))) >> facts.local_port_first >>
      facts.local_port_last;
  return facts;
}

}  // namespace ringrun
