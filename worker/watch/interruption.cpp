#include "worker/watch/interruption.hpp"

#include <unistd.h>

#include <exception>

namespace ringrun::worker {
namespace {

const char* name_of(int signal) { return signal == SIGINT ? "SIGINT" : signal == SIGHUP ? "SIGHUP" : "SIGTERM"; }

/// A signal that is blocked arrives even where it is ignored.
bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Ends the wait; sent to that thread alone.
constexpr int kEnough = SIGUSR2;

}  // namespace

Interruption::Interruption(std::function<void(const char*)> on_signal) {
  sigemptyset(&taken_);
  sigaddset(&taken_, SIGINT);
  sigaddset(&taken_, SIGTERM);
  if (!is_ignored(SIGHUP)) sigaddset(&taken_, SIGHUP);
  sigset_t awaited = taken_;
  sigaddset(&awaited, kEnough);
  pthread_sigmask(SIG_BLOCK, &awaited, &before_);
  thread_ = std::thread([this, awaited, on_signal = std::move(on_signal)] { wait(awaited, on_signal); });
}

Interruption::~Interruption() {
  pthread_kill(thread_.native_handle(), kEnough);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interruption::wait(const sigset_t& awaited, const std::function<void(const char*)>& on_signal) const {
  int signal = 0;
  if (sigwait(&awaited, &signal) != 0 || signal == kEnough) return;
  try {
    on_signal(name_of(signal));
  } catch (const std::exception&) {
    // What could not be told now never will be: the process ends in any case.
  }
  ::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &taken_, nullptr);
  pthread_kill(pthread_self(), signal);
}

}  // namespace ringrun::worker
