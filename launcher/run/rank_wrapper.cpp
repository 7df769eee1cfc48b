#include "launcher/run/rank_wrapper.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "launcher/engine/host_directory.hpp"
#include "launcher/run/banner_filter.hpp"
#include "launcher/run/nccl_messages.hpp"
#include "launcher/run/rank_identity.hpp"
#include "lib/error.hpp"
#include "lib/host/host_name.hpp"

namespace ringrun {
namespace {

// The engine signals the whole process group: the program has each of these already, forwarding would double them.
constexpr std::array kSurvived = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

pid_t engine_pid = 0;
volatile sig_atomic_t told_to_stop = 0;

int death_signal() { return SIGRTMIN + 7; }

void note_signal(int signal) {
  if (signal != SIGUSR1 && signal != SIGUSR2) told_to_stop = 1;
}

// The kernel sends the death signal for the engine's thread that forked; only the whole engine's end counts. The
// program's own children are in this process group too, and PR_SET_PDEATHSIG does not reach them.
void end_orphans(int) {
  if (getppid() != engine_pid) kill(0, SIGKILL);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

void install_handlers() {
  engine_pid = getppid();
  for (const int signal : kSurvived) handle(signal, note_signal);
  handle(death_signal(), end_orphans);
  prctl(PR_SET_PDEATHSIG, death_signal());
  // It may have ended before the line above; then this process belongs to another.
  if (getppid() != engine_pid) kill(0, SIGKILL);
}

[[noreturn]] void become_program(char* const* argv, pid_t wrapper, int report) {
  for (const int signal : kSurvived) ::signal(signal, SIG_DFL);
  ::signal(death_signal(), SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != wrapper) _exit(128 + SIGKILL);
  execv(argv[0], argv);
  const int code = errno;
  [[maybe_unused]] const ssize_t written = write(report, &code, sizeof code);
  _exit(127);
}

void say(const std::string& words) {
  const std::string line = kWrapperMark + words;
  // One write, so that lines of several ranks do not mix.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

std::string where(const JobPlan& plan, const RankIdentity& identity) {
  const std::string gpu = gpu_name(plan, identity);
  return "ringrun: rank " + std::to_string(identity.rank) + " on " + host_name() +
         (gpu.empty() ? "" : " (" + gpu + ")") + ": ";
}

std::string signal_words(int signal) {
  const char* name = sigabbrev_np(signal);
  return "killed by signal " + std::to_string(signal) + (name == nullptr ? "" : std::string(" (SIG") + name + ")");
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw SystemError("waitpid", std::strerror(errno), errno);
  }
  return status;
}

}  // namespace

int run_rank(const std::vector<std::string>& words) {
  install_handlers();
  if (words.size() < 2 || words[0] != "--") throw UserError("ringrun __rank: no program is given");
  const char* json = std::getenv(kPlanVariable);
  if (json == nullptr)
    throw UserError("ringrun __rank: RINGRUN_PLAN is not set", "it is started by the engine of a ringrun job");
  const JobPlan plan = job_plan_from_json(json);
  const RankIdentity identity = read_rank_identity();
  set_rank_environment(plan, identity);
  keep_nccl_messages_apart();
  bind_rank(plan, identity);

  std::vector<char*> argv;
  for (std::size_t i = 1; i < words.size(); ++i) argv.push_back(const_cast<char*>(words[i].c_str()));
  argv.push_back(nullptr);
  int report[2] = {-1, -1};
  if (pipe2(report, O_CLOEXEC) != 0) throw SystemError("pipe2", std::strerror(errno), errno);
  const pid_t wrapper = getpid();
  const pid_t child = fork();
  if (child < 0) throw SystemError("fork", std::strerror(errno), errno);
  if (child == 0) become_program(argv.data(), wrapper, report[1]);
  close(report[1]);
  int code = 0;
  const bool started = read(report[0], &code, sizeof code) != static_cast<ssize_t>(sizeof code);
  close(report[0]);
  const int status = wait_for(child);
  if (!started) {
    say(where(plan, identity) + "cannot start " + words[1] + ": " + std::strerror(code) + "\n");
    return code == ENOENT ? 127 : 126;
  }
  if (WIFEXITED(status)) {
    if (WEXITSTATUS(status) != 0 && told_to_stop == 0) {
      say(where(plan, identity) + "exited with code " + std::to_string(WEXITSTATUS(status)) + "\n");
    }
    return WEXITSTATUS(status);
  }
  const int signal = WTERMSIG(status);
  // Its reader went away: the reason is elsewhere, and known there.
  if (told_to_stop == 0 && signal != SIGPIPE) {
    say(where(plan, identity) + signal_words(signal) + (WCOREDUMP(status) ? ", core dumped" : "") + "\n");
  }
  return 128 + signal;
}

}  // namespace ringrun
