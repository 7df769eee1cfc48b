#include "launcher/run/shell_stage.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "launcher/run/rank_record.hpp"
#include "launcher/run/rank_signals.hpp"
#include "lib/error.hpp"
#include "lib/text/record_frame.hpp"
#include "lib/text/shell_word.hpp"

namespace ringrun {
namespace {

pid_t engine_pid = 0;
pid_t shell_pid = 0;

// The engine leaves its remote shells where it is killed, or ends before their hosts have answered.
void end_shell(int) {
  if (getppid() == engine_pid) return;
  if (shell_pid > 0) kill(shell_pid, SIGTERM);
  _exit(128 + SIGTERM);
}

void end_with_the_engine() {
  engine_pid = getppid();
  struct sigaction action {};
  action.sa_handler = end_shell;
  sigaction(RankSignals::death_signal(), &action, nullptr);
  prctl(PR_SET_PDEATHSIG, RankSignals::death_signal());
}

std::string octal(char c) { return std::string("\\") + "00" + static_cast<char>('0' + c); }

}  // namespace

std::string shell_greeting(const std::string& run_id, int host) {
  std::string record = frame_record(run_id, ShellRecord{host, std::nullopt});
  // Control characters in a command line are nobody's friends.
  for (const char control : {kRecordBegin[0], kRecordEnd}) {
    const std::size_t at = record.find(control);
    record.replace(at, 1, octal(control));
  }
  record.replace(record.size() - 1, 1, "\\n");
  return "printf " + quote_for_shell(record) + " >&2 ;";
}

int run_remote_shell(const std::vector<std::string>& words, const std::string& run_id, int host) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  end_with_the_engine();
  const pid_t own = getpid();
  const pid_t shell = fork();
  if (shell < 0) throw SystemError("fork", std::strerror(errno), errno);
  if (shell == 0) {
    ::signal(RankSignals::death_signal(), SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != own) _exit(128 + SIGTERM);
    execvp(argv[0], argv.data());
    const std::string problem = "ringrun: cannot start " + words[0] + ": " + std::strerror(errno) + "\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, problem.data(), problem.size());
    _exit(127);
  }
  shell_pid = shell;
  int status = 0;
  while (waitpid(shell, &status, 0) < 0 && errno == EINTR) {
  }
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (code != 0) {
    const std::string record = frame_record(run_id, ShellRecord{host, code});
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, record.data(), record.size());
  }
  return code;
}

}  // namespace ringrun
