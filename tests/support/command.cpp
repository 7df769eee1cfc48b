#include "tests/support/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

namespace ringrun::test {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* call) { throw std::system_error(errno, std::generic_category(), call); }

struct Pipe {
  std::array<int, 2> end{-1, -1};
  Pipe() {
    if (pipe2(end.data(), O_CLOEXEC) != 0) fail("pipe2");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(std::size_t which) {
    if (end[which] >= 0) close(end[which]);
    end[which] = -1;
  }
};

[[noreturn]] void become(const std::vector<std::string>& argv, const CommandOptions& options) {
  setpgid(0, 0);
  if (!options.cwd.empty() && chdir(options.cwd.c_str()) != 0) _exit(126);
  for (const auto& [name, value] : options.env) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  _exit(127);
}

bool drain(int fd, std::string& into) {
  std::array<char, 65536> block;
  const ssize_t got = read(fd, block.data(), block.size());
  if (got > 0) into.append(block.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& argv, const CommandOptions& options) {
  Pipe in, out, err;
  const auto start = Clock::now();
  const pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid == 0) {
    dup2(in.end[0], 0);
    dup2(out.end[1], 1);
    dup2(err.end[1], 2);
    become(argv, options);
  }
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  if (!options.input.empty()) {
    std::signal(SIGPIPE, SIG_IGN);
    if (write(in.end[1], options.input.data(), options.input.size()) < 0 && errno != EPIPE) fail("write");
  }
  in.close_end(1);

  CommandResult result;
  bool timed_out = false;
  std::array<pollfd, 2> streams{pollfd{out.end[0], POLLIN, 0}, pollfd{err.end[0], POLLIN, 0}};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(start + options.timeout - Clock::now());
    if (left.count() <= 0) {
      timed_out = true;
      kill(-pid, SIGKILL);
      break;
    }
    if (poll(streams.data(), streams.size(), static_cast<int>(left.count())) < 0 && errno != EINTR) fail("poll");
    if (streams[0].revents != 0 && !drain(streams[0].fd, result.out)) streams[0].fd = -1;
    if (streams[1].revents != 0 && !drain(streams[1].fd, result.err)) streams[1].fd = -1;
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid");
  }
  result.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
  result.exit_code = timed_out ? 124 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

std::string built_program(const std::string& name) { return std::string(RINGRUN_BIN_DIR) + "/" + name; }

}  // namespace ringrun::test
