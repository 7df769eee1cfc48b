#include "launcher/run/reaper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <set>

#include "launcher/run/descendants.hpp"
#include "lib/error.hpp"

namespace ringrun {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(2);
// Of processes below a rank that has failed: its job waits for it.
constexpr auto kShortPatience = std::chrono::milliseconds(500);
// What a kill has not ended by then waits for a device, and ends without us.
constexpr auto kKillPatience = std::chrono::seconds(5);

constexpr int kEmptyLooks = 3;

/// Reaps what has ended; false where no child is left, and so nothing below this process.
bool has_children() {
  pid_t reaped = 0;
  do {
    reaped = waitpid(-1, nullptr, WNOHANG);
  } while (reaped > 0);
  return reaped == 0;
}

void wait_for_a_change() {
  constexpr timespec kMoment{0, 20'000'000};
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, RankSignals::death_signal());
  sigtimedwait(&signals, nullptr, &kMoment);
}

/// Ends those below this process: with TERM, and past the patience, or once this process has another parent than
/// `wrapper`, with KILL. `session`: only those in it, which is 0 where its leader is outside our pid namespace.
void end_descendants(pid_t wrapper, std::optional<pid_t> session, Clock::duration patience) {
  const Clock::time_point start = Clock::now();
  std::set<pid_t> told;
  int empty_looks = 0;
  while (has_children() && Clock::now() - start < patience + kKillPatience) {
    const bool forces = getppid() != wrapper || Clock::now() - start >= patience;
    bool any = false;
    for (const ProcessEntry& process : descendants_of(getpid(), read_processes())) {
      if (session && process.session != *session && getppid() == wrapper) continue;
      any = true;
      if (forces) {
        kill(process.pid, SIGKILL);
      } else if (told.insert(process.pid).second) {
        kill(process.pid, SIGTERM);
        kill(process.pid, SIGCONT);
      }
    }
    // The process table is not read in one moment: an orphan may still stand below a parent that has just gone. Where
    // all are to end, only the last child's end counts.
    empty_looks = any ? 0 : empty_looks + 1;
    if (session && empty_looks == kEmptyLooks) return;
    wait_for_a_change();
  }
}

[[noreturn]] void run_program(const RankSignals& signals, pid_t reaper, const std::function<int()>& become,
                              int report) {
  // Where the reaper and the wrapper are killed in one moment.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != reaper) _exit(128 + SIGKILL);
  signals.restore();
  const int code = become();
  [[maybe_unused]] const ssize_t written = write(report, &code, sizeof code);
  _exit(127);
}

int start_error(int report) {
  int code = 0;
  ssize_t count = 0;
  do {
    count = read(report, &code, sizeof code);
  } while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(sizeof code) ? code : 0;
}

/// Until the program has ended, or the wrapper, which `false` says.
bool wait_for(pid_t program, pid_t wrapper, int& status) {
  while (getppid() == wrapper) {
    for (;;) {
      int ended_status = 0;
      const pid_t ended = waitpid(-1, &ended_status, WNOHANG);
      if (ended <= 0) break;
      if (ended != program) continue;
      status = ended_status;
      return true;
    }
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, RankSignals::death_signal());
    sigwaitinfo(&signals, nullptr);
  }
  return false;
}

void send_end(int channel, const ProgramEnd& end) {
  [[maybe_unused]] const ssize_t sent = send(channel, &end, sizeof end, MSG_NOSIGNAL);
}

[[noreturn]] void run_reaper(const RankSignals& signals, pid_t wrapper, int channel, const std::function<int()>& become,
                             const std::function<void()>& put_aside) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, RankSignals::death_signal());
  const pid_t own = getpid();
  int report[2];
  ProgramEnd end;
  if (getppid() != wrapper) _exit(1);
  if (pipe2(report, O_CLOEXEC) != 0 || (end.pid = fork()) < 0) {
    end.error = errno;
    send_end(channel, end);
    _exit(1);
  }
  if (end.pid == 0) run_program(signals, own, become, report[1]);
  // Only now, so that the program has been in the engine's group from its first moment.
  setpgid(0, 0);
  close(report[1]);
  put_aside();
  end.error = start_error(report[0]);
  if (wait_for(end.pid, wrapper, end.status)) {
    send_end(channel, end);
    if (!has_children()) _exit(0);
    char everyone = 1;
    [[maybe_unused]] const ssize_t got = recv(channel, &everyone, sizeof everyone, 0);
    if (everyone != 0) {
      end_descendants(wrapper, std::nullopt, kShortPatience);
    } else {
      end_descendants(wrapper, getsid(0), kPatience);
    }
  } else {
    end_descendants(wrapper, std::nullopt, {});
  }
  _exit(0);
}

}  // namespace

Reaper::Reaper(const RankSignals& signals, const std::function<int()>& become_program,
               const std::function<void()>& put_aside) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw SystemError("socketpair", std::strerror(errno), errno);
  channel_ = Descriptor(ends[0]);
  const Descriptor other(ends[1]);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t wrapper = getpid();
  pid_ = fork();
  if (pid_ < 0) throw SystemError("fork", std::strerror(errno), errno);
  if (pid_ == 0) {
    channel_.reset();
    run_reaper(signals, wrapper, other.get(), become_program, put_aside);
  }
}

std::optional<ProgramEnd> Reaper::read_end() {
  ProgramEnd end;
  ssize_t count = 0;
  do {
    count = recv(channel_.get(), &end, sizeof end, MSG_WAITALL);
  } while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(sizeof end) ? std::optional(end) : std::nullopt;
}

void Reaper::end_others(bool everyone) {
  const char word = everyone ? 1 : 0;
  [[maybe_unused]] const ssize_t sent = send(channel_.get(), &word, sizeof word, MSG_NOSIGNAL);
}

void Reaper::finish() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) end_descendants(getppid(), std::nullopt, {});
}

}  // namespace ringrun
