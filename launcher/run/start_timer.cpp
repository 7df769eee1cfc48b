#include "launcher/run/start_timer.hpp"

#include <algorithm>

#include "launcher/engine/host_directory.hpp"
#include "launcher/run/engine_connections.hpp"

namespace ringrun {
namespace {

constexpr std::chrono::milliseconds kInterval{250};
// Behind a longer time ringrun was stopped, and so was the job.
constexpr std::chrono::milliseconds kLongest{1000};
constexpr std::chrono::milliseconds kSilence{5000};

bool has_own_shells(const Environment& environment) { return environment.count(kHostsVariable) != 0; }

std::string seconds(std::chrono::seconds time) { return std::to_string(time.count()) + " s"; }

}  // namespace

StartTimer::StartTimer(uv_loop_t& loop, const JobCommand& command, std::function<void(const Event&)> event)
    : command_(command),
      event_(std::move(event)),
      watch_(command.hosts, command.engine, has_own_shells(command.start.environment)) {
  uv_timer_init(&loop, &timer_);
  timer_.data = this;
}

void StartTimer::start(int engine) {
  engine_ = engine;
  if (watch_.complete()) return;
  asked_ms_ = uv_now(timer_.loop);
  const auto interval = static_cast<std::uint64_t>(kInterval.count());
  const auto callback = [](uv_timer_t* timer) { static_cast<StartTimer*>(timer->data)->on_tick(); };
  uv_timer_start(&timer_, callback, interval, interval);
}

void StartTimer::add(const StartRecord& record) {
  watch_.add(record);
  if (watch_.complete()) stop();
}

StartWatch::Stalled StartTimer::stalled() const {
  StartWatch::Stalled stalled = watch_.stalled(connected_addresses(engine_));
  if (stalled.stage == StartStage::daemon && command_.daemon_ports) {
    // mpirun 4.1 goes on without one, and waits for daemons that cannot come.
    const std::set<int> ports = listening_ports(engine_);
    const auto first = ports.lower_bound(command_.daemon_ports->first);
    if (first == ports.end() || *first > command_.daemon_ports->last) stalled.stage = StartStage::engine_port;
  }
  return stalled;
}

std::string StartTimer::failed_start() const {
  if (!watch_.has_failed_shell()) return {};
  const StartWatch::Stalled reason = watch_.stalled({});
  return "no rank could start; " + stall_words(reason) + "\n  fix: " + stall_remedy(reason) + "\n";
}

void StartTimer::on_tick() {
  const std::uint64_t now = uv_now(timer_.loop);
  waited_ += std::min(std::chrono::milliseconds(now - asked_ms_), kLongest);
  asked_ms_ = now;
  if (waited_ >= command_.start_timeout) {
    stop();
    const StartWatch::Stalled reason = stalled();
    event_({"the job did not start within " + seconds(command_.start_timeout) + " (--start-timeout) and is ended; " +
                stall_words(reason) + "\n  fix: " + stall_remedy(reason) + "\n",
            true});
  } else if (waited_ >= kSilence && !warned_) {
    warned_ = true;
    event_({"warning: no rank has started yet; " + stall_words(stalled()) + "; waiting until " +
                seconds(command_.start_timeout) + " have passed (--start-timeout)\n",
            false});
  }
}

}  // namespace ringrun
