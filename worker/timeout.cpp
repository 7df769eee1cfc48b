#include "worker/timeout.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "lib/host/host_name.hpp"
#include "lib/mpi/launch_environment.hpp"
#include "worker/exit_code.hpp"
#include "worker/network/likely_cause.hpp"

namespace ringrun::worker {
namespace {

using Clock = std::chrono::steady_clock;

/// Written at once and whole, by the thread that is not stuck; the streams' locks may be held by the one that is.
void write_to_stderr(const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

/// Time for the rank that reports to be read before the launcher, told of an exit, ends everything.
constexpr std::chrono::seconds kForTheReport{2};
constexpr std::chrono::milliseconds kBetweenLooks{100};
/// How long the others leave the report to the first rank of those that wait, which has the results.
constexpr std::chrono::seconds kForTheFirst{2};
/// Time for the others to hear of the report and to tell what they have, before the launcher ends them.
constexpr std::chrono::milliseconds kForTheOthers{300};
/// The cause must be found in less than that.
constexpr std::chrono::milliseconds kForTheCause{1500};

}  // namespace

Watch::Callbacks TimeoutReport::callbacks() {
  return {[](const WatchedPhase& phase) { mpi::announce_arrival(phase.sequence); }, [] { mpi::withdraw_arrival(); },
          [this](const WatchedPhase& phase, Watch& watch) { end_job(phase, watch); }};
}

void TimeoutReport::set_hosts(std::vector<std::string> hosts) {
  const std::lock_guard lock(mutex_);
  hosts_ = std::move(hosts);
}

bool TimeoutReport::has_heard_from_others() {
  const std::lock_guard lock(mutex_);
  return !hosts_.empty();
}

std::string TimeoutReport::name_ranks(const std::vector<int>& ranks) {
  constexpr std::size_t kMostNamed = 16;
  const std::lock_guard lock(mutex_);
  std::string names;
  for (std::size_t i = 0; i < ranks.size() && i < kMostNamed; ++i) {
    const auto rank = static_cast<std::size_t>(ranks[i]);
    const std::string host = rank < hosts_.size() ? hosts_[rank] : mpi::host_of_rank(ranks[i]);
    names += fmt::format("{}rank {}{}", i == 0 ? "" : ", ", rank, host.empty() ? "" : " on " + host);
  }
  if (ranks.size() > kMostNamed) names += fmt::format(" and {} more", ranks.size() - kMostNamed);
  return names;
}

std::string TimeoutReport::report(const WatchedPhase& phase, const std::optional<mpi::Arrivals>& arrivals) {
  std::string text = fmt::format("[{}:{}] worker: {} did not end within {:g} s\n", host_name(),
                                 mpi::launch_environment().rank.value_or(0), phase.what, phase.seconds);
  if (!arrivals) {
    text += "  this rank waits; the launcher cannot be asked which ranks did not arrive\n";
  } else if (arrivals->missing.empty()) {
    text += "  every rank arrived and waits: the network between them, or a GPU, does not make progress\n";
  } else {
    text += "  did not arrive: " + name_ranks(arrivals->missing) + "\n";
    text += "  waiting: " + name_ranks(arrivals->arrived) + "\n";
  }
  return text + "  a longer deadline: --timeout SECONDS (0: none)\n";
}

void TimeoutReport::end_job(const WatchedPhase& phase, Watch& watch) {
  const auto still_waits = [&watch, sequence = phase.sequence] { return watch.lasts(sequence); };
  const auto end = Clock::now() + mpi::kListening;
  auto arrivals = mpi::arrivals_near(phase.sequence, still_waits);
  while (!arrivals && still_waits() && Clock::now() < end) std::this_thread::sleep_for(kBetweenLooks);
  bool told = arrivals ? arrivals->told : mpi::is_report_claimed();
  const bool is_first = !arrivals || arrivals->arrived.front() == mpi::launch_environment().rank.value_or(0);
  const auto last_wait = Clock::now() + kForTheFirst;
  while (!told && !is_first && still_waits() && Clock::now() < last_wait) {
    told = mpi::is_report_claimed();
    std::this_thread::sleep_for(kBetweenLooks);
  }
  const auto held = watch.hold(phase.sequence);
  if (!held) return;
  if (!told && (!arrivals || mpi::claim_report(arrivals->arrived).value_or(true))) {
    if (arrivals) mpi::look_again(phase.sequence, *arrivals);
    write_to_stderr(report(phase, arrivals));
    if (!has_heard_from_others()) write_to_stderr(likely_cause(kForTheCause));
    last_words_();
    std::this_thread::sleep_for(kForTheOthers);
  } else {
    last_words_();
    std::this_thread::sleep_for(kForTheReport);
  }
  _exit(static_cast<int>(ExitCode::kTimeout));
}

}  // namespace ringrun::worker
