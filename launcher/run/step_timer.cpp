#include "launcher/run/step_timer.hpp"

#include "launcher/run/engine_connections.hpp"

namespace ringrun {

StepTimer::StepTimer(uv_loop_t& loop, const std::vector<StartedHost>& hosts,
                     std::function<void(const std::string&)> lost)
    : hosts_(hosts), lost_(std::move(lost)), watch_(hosts) {
  uv_timer_init(&loop, &timer_);
  timer_.data = this;
}

void StepTimer::start(int engine) {
  constexpr std::uint64_t kIntervalMs = 1000;
  engine_ = engine;
  const auto callback = [](uv_timer_t* timer) { static_cast<StepTimer*>(timer->data)->look(); };
  uv_timer_start(&timer_, callback, kIntervalMs, kIntervalMs);
}

void StepTimer::add(const StartRecord& record) {
  watch_.add(record);
  // The record came by the connection, which may be gone at the next look.
  if (engine_ != 0 && watch_.is_new(record.host)) watch_.see(connected_addresses(engine_));
}

void StepTimer::look() {
  const int host = watch_.lost(connected_addresses(engine_));
  if (host < 0) return;
  uv_timer_stop(&timer_);
  lost_(hosts_[static_cast<std::size_t>(host)].name);
}

}  // namespace ringrun
