#include "launcher/run/job_process.hpp"

#include <signal.h>
#include <unistd.h>
#include <uv.h>

#include "launcher/run/leftover_daemons.hpp"
#include "launcher/run/running_job.hpp"
#include "launcher/run/shell_stage.hpp"
#include "launcher/run/signal_feed.hpp"
#include "lib/error.hpp"

namespace ringrun {
namespace {

bool ends_a_job(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT; }

void check(int status, const char* call) {
  if (status != 0) throw SystemError(call, uv_strerror(status), status);
}

using TimePoint = RunningJob::TimePoint;

/// One start of the job, to its end.
JobVerdict run_attempt(const JobCommand& command, std::optional<TimePoint> deadline) {
  // In a terminal the engine stays in the foreground group, to read it; Ctrl-C reaches it there without our help.
  const bool in_terminal = isatty(STDIN_FILENO) != 0;
  std::vector<std::string> words = {command.ringrun, "__exec", std::to_string(getpid()), in_terminal ? "0" : "1"};
  words.insert(words.end(), command.start.argv.begin(), command.start.argv.end());
  std::vector<std::string> variables;
  for (const auto& [name, value] : command.start.environment) variables.push_back(name + "=" + value);
  variables.push_back(std::string(kRunVariable) + "=" + command.run_id);

  uv_loop_t loop;
  check(uv_loop_init(&loop), "uv_loop_init");
  RunningJob job(loop, command, deadline);
  SignalFeed feed(loop, {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT},
                  [&](int signal, bool from_terminal) {
                    // mpirun 4.1 dies of SIGQUIT and leaves its ranks.
                    if (!(from_terminal && in_terminal)) job.forward(signal == SIGQUIT ? SIGTERM : signal);
                    if (ends_a_job(signal)) job.expect_end(signal);
                    // The engine stops its ranks, and goes on itself.
                    if (signal == SIGTSTP) kill(getpid(), SIGSTOP);
                  });
  const int status = job.start(std::move(words), std::move(variables), [&] { feed.close(); });
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  check(status, "uv_spawn");
  if (job.leaves_daemons()) end_leftover_daemons(command);
  return job.verdict();
}

void say_restart(int restart, int most, const std::string& reason) {
  const std::string line =
      "ringrun: restart " + std::to_string(restart) + " of " + std::to_string(most) + ": " + reason + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

int run_job(const JobCommand& command) {
  // A reader that goes away is an answer of write(), not the end of ringrun; libuv gives the engine the default back.
  ::signal(SIGPIPE, SIG_IGN);
  std::optional<TimePoint> deadline;
  if (command.timeout) deadline = std::chrono::steady_clock::now() + *command.timeout;
  JobCommand attempt = command;
  for (int restart = 1;; ++restart) {
    const JobVerdict verdict = run_attempt(attempt, deadline);
    if (verdict.restart_reason.empty() || restart > command.max_restarts) return verdict.exit_code;
    say_restart(restart, command.max_restarts, verdict.restart_reason);
    attempt.start = command.renew(restart);
  }
}

}  // namespace ringrun
