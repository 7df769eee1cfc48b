#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace ringrun::worker {

/// What the process waits for now. All processes pass the same phases in the same order, so `sequence` (from 1) means
/// the same on each.
struct WatchedPhase {
  std::uint64_t sequence = 0;
  std::string what;    ///< "MPI_Init", "all-reduce of 1048576 bytes"
  double seconds = 0;  ///< its deadline; 0: none
};

/// A thread that looks at the clock while the main thread may be stuck in a foreign call. It calls nothing of MPI, NCCL
/// or CUDA, so it works however they hang, and costs the measured loop nothing.
class Watch {
 public:
  struct Callbacks {
    /// The phase lasts longer than usual: the time to leave word for the others that this process has come so far.
    /// Called again every half second while it lasts.
    std::function<void(const WatchedPhase&)> on_slow;
    /// A phase that was called slow has ended.
    std::function<void()> on_progress;
    /// The phase outlasted its deadline. To be called again while it lasts, so expected to return where it has ended
    /// meanwhile, and to end the process where it has not.
    std::function<void(const WatchedPhase&, Watch&)> on_expired;
  };

  /// A phase is slow after `slow_seconds`, or a quarter of its deadline where that is less.
  explicit Watch(Callbacks callbacks, double slow_seconds = 2);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Ends its phase when it goes out of scope.
  class Phase {
   public:
    explicit Phase(Watch& watch) : watch_(watch) {}
    ~Phase() { watch_.leave(); }
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

   private:
    Watch& watch_;
  };

  /// `seconds` <= 0: no deadline. Phases do not nest.
  [[nodiscard]] Phase enter(std::string what, double seconds);

  /// Whether the main thread is in that phase still. From any thread.
  bool lasts(std::uint64_t sequence);

  /// Keeps the main thread in that phase as long as the lock is held; nothing where the phase has ended.
  std::optional<std::unique_lock<std::mutex>> hold(std::uint64_t sequence);

 private:
  using Clock = std::chrono::steady_clock;

  void leave();
  void look();

  Callbacks callbacks_;
  double slow_seconds_;
  std::mutex mutex_;
  std::condition_variable stop_requested_;
  bool stop_ = false;
  bool in_phase_ = false;
  std::uint64_t slow_reported_ = 0;  ///< the sequence of the phase that was called slow; 0: none
  Clock::time_point slow_reported_at_;
  WatchedPhase phase_;
  Clock::time_point since_;
  std::thread thread_;
};

}  // namespace ringrun::worker
