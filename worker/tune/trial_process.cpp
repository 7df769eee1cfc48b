#include "worker/tune/trial_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>

#include "lib/error.hpp"

namespace ringrun::worker {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Between two questions whether to stop. This process shall cost the measured one nothing.
constexpr milliseconds kStep(20);
/// For CUDA to take its context down.
constexpr milliseconds kForTheEnd(3000);
/// After SIGKILL; a process that waits for the driver goes only then.
constexpr milliseconds kForTheKill(5000);
constexpr std::size_t kLongestLine = 1 << 20;
constexpr std::size_t kMostSaid = 512 << 10;

struct Spawn {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  Spawn() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~Spawn() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
};

/// Signals are blocked or handled here, and must not be there. A group of its own keeps the terminal's Ctrl-C away: the
/// process ends with this one.
void set_attributes(posix_spawnattr_t& attributes) {
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

enum class Reading { kSome, kNothingYet, kEnd };

/// One part of what there is, without waiting.
Reading read_into(int descriptor, std::string& text) {
  std::array<char, 16384> part{};
  const ssize_t count = recv(descriptor, part.data(), part.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Reading::kNothingYet;
  if (count <= 0) return Reading::kEnd;
  text.append(part.data(), static_cast<std::size_t>(count));
  return Reading::kSome;
}

struct Ends {
  Descriptor here;
  Descriptor there;
};

/// Sockets, not pipes: writing to one whose reader has died is no signal.
Ends make_ends() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw SystemError("socketpair", std::strerror(errno), errno);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace

std::vector<std::string> changed_environment(const EnvironmentChanges& changes) {
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    bool changed = false;
    for (const auto& change : changes) changed = changed || change.first == name;
    if (!changed) environment.emplace_back(*entry);
  }
  for (const auto& [name, value] : changes)
    if (value) environment.push_back(fmt::format("{}={}", name, *value));
  return environment;
}

TrialProcess::TrialProcess(const std::vector<std::string>& command, const EnvironmentChanges& changes) {
  Ends line = make_ends();
  Ends output = make_ends();
  Spawn spawn;
  set_attributes(spawn.attributes);
  posix_spawn_file_actions_addopen(&spawn.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&spawn.actions, output.there.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&spawn.actions, output.there.get(), STDERR_FILENO);
  // Last, since the output's may be the one that it takes.
  posix_spawn_file_actions_adddup2(&spawn.actions, line.there.get(), kTrialDescriptor);
  const std::vector<std::string> environment = changed_environment(changes);
  const int code = posix_spawn(&pid_, command.front().c_str(), &spawn.actions, &spawn.attributes,
                               pointers_to(command).data(), pointers_to(environment).data());
  if (code != 0) throw SystemError("posix_spawn of " + command.front(), std::strerror(code), code);
  line_ = std::move(line.here);
  output_ = std::move(output.here);
}

TrialProcess::~TrialProcess() {
  if (reaped_) return;
  kill(pid_, SIGKILL);
  reap(kForTheKill);
}

void TrialProcess::send(const std::string& line) const {
  const std::string whole = line + '\n';
  std::size_t done = 0;
  while (done < whole.size()) {
    const ssize_t sent = ::send(line_.get(), whole.data() + done, whole.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // the next line tells that it has ended
    done += static_cast<std::size_t>(sent);
  }
}

std::variant<std::string, TrialProcess::Ended, TrialProcess::TimedOut, TrialProcess::Stopped> TrialProcess::next_line(
    Clock::time_point deadline, const std::function<bool()>& stop) {
  for (;;) {
    const std::size_t end = received_.find('\n');
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    if (received_.size() > kLongestLine) return Ended{"answered without an end of a line"};
    if (Clock::now() >= deadline) return TimedOut{};
    if (stop()) return Stopped{};
    std::array<pollfd, 2> wanted{pollfd{line_.get(), POLLIN, 0}, pollfd{output_ ? output_.get() : -1, POLLIN, 0}};
    if (poll(wanted.data(), wanted.size(), static_cast<int>(kStep.count())) < 0 && errno != EINTR)
      throw SystemError("poll", std::strerror(errno), errno);
    if (wanted[1].revents != 0) read_said();
    if (wanted[0].revents != 0 && read_into(line_.get(), received_) == Reading::kEnd) {
      read_said();
      return Ended{how_it_ended()};
    }
  }
}

void TrialProcess::read_said() {
  Reading reading = output_ ? Reading::kSome : Reading::kEnd;
  while (reading == Reading::kSome) {
    reading = read_into(output_.get(), said_);
    // The begin has the ways between the ranks, the end why it failed.
    if (said_.size() > kMostSaid) said_.erase(kMostSaid / 2, said_.size() - kMostSaid);
  }
  if (reading == Reading::kEnd) output_.reset();
}

std::string TrialProcess::said() {
  read_said();
  return said_;
}

std::string TrialProcess::how_it_ended() {
  if (!reap(kForTheEnd)) return "closed its line and went on";
  if (WIFSIGNALED(status_))
    return fmt::format("ended by signal {} ({})", WTERMSIG(status_), strsignal(WTERMSIG(status_)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status_));
}

void TrialProcess::end() {
  shutdown(line_.get(), SHUT_WR);
  reap(kForTheEnd);
}

bool TrialProcess::reap(milliseconds within) {
  const auto deadline = Clock::now() + within;
  while (!reaped_) {
    // It must be able to go on writing.
    read_said();
    const pid_t waited = waitpid(pid_, &status_, WNOHANG);
    // Where somebody else has taken its status there is nothing left to wait for.
    reaped_ = waited == pid_ || (waited < 0 && errno == ECHILD);
    if (reaped_ || Clock::now() >= deadline) return reaped_;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

}  // namespace ringrun::worker
