#include "worker/watch/watch.hpp"

#include <algorithm>
#include <csignal>

namespace ringrun::worker {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};
constexpr std::chrono::milliseconds kBetweenReports{500};

}  // namespace

Watch::Watch(Callbacks callbacks, double slow_seconds) : callbacks_(std::move(callbacks)), slow_seconds_(slow_seconds) {
  // Signals are the main thread's.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { look(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stop_requested_.notify_one();
  thread_.join();
}

Watch::Phase Watch::enter(std::string what, double seconds) {
  const std::lock_guard lock(mutex_);
  ++phase_.sequence;
  phase_.what = std::move(what);
  phase_.seconds = seconds > 0 ? seconds : 0;
  since_ = Clock::now();
  in_phase_ = true;
  return Phase(*this);
}

void Watch::leave() {
  const std::lock_guard lock(mutex_);
  in_phase_ = false;
}

bool Watch::lasts(std::uint64_t sequence) { return hold(sequence).has_value(); }

std::optional<std::unique_lock<std::mutex>> Watch::hold(std::uint64_t sequence) {
  std::unique_lock lock(mutex_);
  if (!in_phase_ || phase_.sequence != sequence) return std::nullopt;
  return lock;
}

void Watch::look() {
  std::unique_lock lock(mutex_);
  while (!stop_requested_.wait_for(lock, kBetweenLooks, [this] { return stop_; })) {
    const bool watched = in_phase_ && phase_.seconds > 0;
    const auto now = Clock::now();
    const double lasted = watched ? std::chrono::duration<double>(now - since_).count() : 0;
    const bool known_slow = watched && slow_reported_ == phase_.sequence;
    const bool expired = watched && lasted >= phase_.seconds;
    const bool slow = known_slow ? now - slow_reported_at_ >= kBetweenReports
                                 : watched && lasted >= std::min(slow_seconds_, phase_.seconds / 4);
    const bool progress = slow_reported_ != 0 && !known_slow;
    if (!expired && !slow && !progress) continue;
    const WatchedPhase phase = phase_;
    slow_reported_ = slow || known_slow ? phase.sequence : 0;
    if (slow) slow_reported_at_ = now;
    // The callbacks talk to other processes: the main thread must be able to go on meanwhile.
    lock.unlock();
    if (progress && !slow) callbacks_.on_progress();
    if (slow) callbacks_.on_slow(phase);
    if (expired) callbacks_.on_expired(phase, *this);
    lock.lock();
  }
}

}  // namespace ringrun::worker
