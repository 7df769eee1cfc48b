#include "lib/host/brief_command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "lib/descriptor.hpp"

namespace ringrun {
namespace {

using Clock = std::chrono::steady_clock;

/// So long a command may live on that has closed its output.
constexpr std::chrono::milliseconds kMoment(100);

struct Actions {
  posix_spawn_file_actions_t raw;
  Actions() { posix_spawn_file_actions_init(&raw); }
  ~Actions() { posix_spawn_file_actions_destroy(&raw); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
};

/// True where the output ended before the deadline.
bool read_until(int descriptor, Clock::time_point deadline, std::string& output) {
  constexpr std::size_t kMost = std::size_t{64} << 10;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd wanted{descriptor, POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&wanted, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    std::array<char, 4096> part{};
    const ssize_t count = read(descriptor, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count == 0;
    if (output.size() < kMost) output.append(part.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

std::string output_of(const std::vector<std::string>& command, std::chrono::milliseconds deadline) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  Actions actions;
  posix_spawn_file_actions_addopen(&actions.raw, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions.raw, writer.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions.raw, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawn(&child, arguments[0], &actions.raw, nullptr, arguments.data(), environ) != 0) return {};
  writer.reset();
  std::string output;
  const bool ended = read_until(reader.get(), Clock::now() + deadline, output);
  // Closing its output is not ending: a command that lives on would hold this process in waitpid.
  if (!ended) kill(child, SIGKILL);
  int status = 0;
  pid_t waited = 0;
  const auto last = Clock::now() + kMoment;
  while ((waited = waitpid(child, &status, WNOHANG)) == 0 || (waited < 0 && errno == EINTR)) {
    const auto now = Clock::now();
    if (now > last) kill(child, SIGKILL);
    // The kernel keeps even a killed one that waits for a file server which is gone.
    if (now > last + 5 * kMoment) break;
    if (waited == 0) usleep(200);
  }
  return ended && waited == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? output : "";
}

}  // namespace ringrun
