#include "launcher/run/rank_signals.hpp"

#include <sys/prctl.h>
#include <unistd.h>

namespace ringrun {
namespace {

pid_t engine_pid = 0;
volatile sig_atomic_t told = 0;

void note_end(int) { told = 1; }

void survive(int) {}

// The kernel sends the death signal for the engine's thread that forked; only the whole engine's end counts. The
// program's own children are in this process group too, and PR_SET_PDEATHSIG does not reach them.
void end_orphans(int) {
  if (getppid() != engine_pid) kill(0, SIGKILL);
}

void handle(int signal, void (*handler)(int), struct sigaction* original) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, original);
}

}  // namespace

int RankSignals::death_signal() { return SIGRTMIN + 7; }

RankSignals::RankSignals() {
  engine_pid = getppid();
  sigprocmask(SIG_SETMASK, nullptr, &mask_);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) changes_.push_back({signal, note_end});
  for (const int signal : {SIGUSR1, SIGUSR2, SIGALRM, SIGABRT}) changes_.push_back({signal, survive});
  // A stopped wrapper would stop the program's output, though the program itself may go on.
  for (const int signal : {SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE}) changes_.push_back({signal, SIG_IGN});
  // An engine that ignores it would take the program's end from us.
  changes_.push_back({SIGCHLD, SIG_DFL});
  for (Change& change : changes_) handle(change.signal, change.handler, &change.original);
  handle(death_signal(), end_orphans, nullptr);
  prctl(PR_SET_PDEATHSIG, death_signal());
  // It may have ended before the line above; then this process belongs to another.
  if (getppid() != engine_pid) kill(0, SIGKILL);
}

void RankSignals::restore() const {
  for (const Change& change : changes_) sigaction(change.signal, &change.original, nullptr);
  ::signal(death_signal(), SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

bool RankSignals::told_to_end() { return told != 0; }

}  // namespace ringrun
