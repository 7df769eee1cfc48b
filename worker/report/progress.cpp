#include "worker/report/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "lib/text/record_frame.hpp"

namespace ringrun::worker {

Progress::Progress(const SweepPlan& plan, int cycles) : cycles_(cycles) {
  double sizes = 0;
  for (std::int64_t bytes : plan.sizes) sizes += weight_of(bytes);
  const std::size_t pairs = plan.types.size() * plan.ops.size() - plan.left_out.size();
  of_cycle_ = sizes * static_cast<double>(pairs * plan.roots.size());
}

double Progress::weight_of(std::int64_t bytes) { return static_cast<double>(std::max<std::int64_t>(bytes, 1 << 20)); }

void Progress::add(std::int64_t bytes) { done_ += weight_of(bytes); }

std::string Progress::text(double elapsed) const {
  if (done_ <= 0 || of_cycle_ <= 0) return "";
  if (cycles_ == 0) return fmt::format("cycle {}", static_cast<int>(done_ / of_cycle_) + 1);
  const double share = std::min(1.0, done_ / (of_cycle_ * cycles_));
  return fmt::format("{:.0f} %, about {:.0f} s left", 100 * share, std::ceil(elapsed / share * (1 - share)));
}

TerminalLine::TerminalLine() : on_terminal_(isatty(STDERR_FILENO) == 1) {
  if (const char* run = std::getenv(kProgressVariable)) launcher_run_ = run;
}

void TerminalLine::tell_launcher(const std::string& text) const {
  const std::string record = frame_text(launcher_run_, nlohmann::json{{"progress", text}}.dump());
  // In one piece: standard error has no buffer of its own.
  std::fwrite(record.data(), 1, record.size(), stderr);
  std::fflush(stderr);
}

void TerminalLine::clear() const {
  if (on_terminal_) fmt::print(stderr, "\r\033[K");
}

void TerminalLine::write(const std::string& text) const {
  if (!launcher_run_.empty()) return tell_launcher(text);
  if (!on_terminal_) return;
  fmt::print(stderr, "{}", text);
  std::fflush(stderr);
}

void TerminalLine::end() const {
  clear();
  if (!launcher_run_.empty()) tell_launcher("");
}

ProgressLine::ProgressLine(const SweepPlan& plan, int cycles) : progress_(plan, cycles) {}

void ProgressLine::show(std::int64_t bytes_done) {
  progress_.add(bytes_done);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  line_.write(progress_.text(elapsed.count()));
}

}  // namespace ringrun::worker
