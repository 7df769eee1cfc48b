#pragma once

#include <uv.h>

#include <functional>
#include <string>
#include <vector>

#include "launcher/run/step_watch.hpp"

namespace ringrun {

/// Looks once a second, from `start` on, whether srun has lost a host.
class StepTimer {
 public:
  /// `lost` is called with the name of such a host, once. `hosts` outlives it.
  StepTimer(uv_loop_t& loop, const std::vector<StartedHost>& hosts, std::function<void(const std::string&)> lost);
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;

  void start(int engine);
  void add(const StartRecord& record);
  void add(const EndRecord& record) { watch_.add(record); }
  void close() { uv_close(reinterpret_cast<uv_handle_t*>(&timer_), nullptr); }

 private:
  void look();

  const std::vector<StartedHost>& hosts_;
  std::function<void(const std::string&)> lost_;
  StepWatch watch_;
  int engine_ = 0;
  uv_timer_t timer_{};
};

}  // namespace ringrun
