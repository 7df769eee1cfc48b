#include "launcher/run/job_process.hpp"

#include <signal.h>
#include <unistd.h>
#include <uv.h>

#include "launcher/run/running_job.hpp"
#include "launcher/run/signal_feed.hpp"
#include "lib/error.hpp"

namespace ringrun {
namespace {

bool ends_a_job(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT; }

void check(int status, const char* call) {
  if (status != 0) throw SystemError(call, uv_strerror(status), status);
}

}  // namespace

int run_job(const JobCommand& command) {
  // In a terminal the engine stays in the foreground group, to read it; Ctrl-C reaches it there without our help.
  const bool in_terminal = isatty(STDIN_FILENO) != 0;
  std::vector<std::string> words = {command.ringrun, "__exec", std::to_string(getpid()), in_terminal ? "0" : "1"};
  words.insert(words.end(), command.start.argv.begin(), command.start.argv.end());
  std::vector<std::string> variables;
  for (const auto& [name, value] : command.start.environment) variables.push_back(name + "=" + value);

  // A reader that goes away is an answer of write(), not the end of ringrun; libuv gives the engine the default back.
  ::signal(SIGPIPE, SIG_IGN);
  uv_loop_t loop;
  check(uv_loop_init(&loop), "uv_loop_init");
  RunningJob job(loop, command);
  SignalFeed feed(loop, {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}, [&](int signal, bool from_terminal) {
    if (!(from_terminal && in_terminal)) job.forward(signal);
    if (ends_a_job(signal)) job.expect_end(signal);
  });
  const int status = job.start(std::move(words), std::move(variables), [&] { feed.close(); });
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  check(status, "uv_spawn");
  return job.exit_code();
}

}  // namespace ringrun
