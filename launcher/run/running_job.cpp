#include "launcher/run/running_job.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "lib/error.hpp"

namespace ringrun {
namespace {

// A block that does not end within this time is no banner.
constexpr std::uint64_t kMostHeldMs = 300;
constexpr std::size_t kMostRecent = 4096;

std::string seconds(std::chrono::seconds time) { return std::to_string(time.count()) + " s"; }

}  // namespace

RunningJob::RunningJob(uv_loop_t& loop, const JobCommand& command, std::optional<TimePoint> deadline)
    : command_(command),
      deadline_(deadline),
      out_(loop, STDOUT_FILENO, [this] { balance(); }),
      err_(loop, STDERR_FILENO, [this] { balance(); }),
      progress_(loop),
      out_pipe_(
          loop, [this](std::string_view text) { on_out(text); }, [this] { settle(); }),
      err_pipe_(
          loop, [this](std::string_view text) { on_err(text); }, [this] { settle(); }),
      engine_(
          loop, [this](EngineEnd end) { on_engine_end(end); }, [this] { on_patience_end(); }),
      records_(command.run_id),
      watch_(command.hang_timeout),
      steps_(loop, command.hosts, [this](const std::string& host) { on_lost(host); }),
      start_(loop, command, [this](const StartTimer::Event& event) { on_stall(event); }) {
  for (uv_timer_t* timer : {&held_timer_, &tick_, &grace_, &timeout_}) {
    uv_timer_init(&loop, timer);
    timer->data = this;
  }
}

int RunningJob::start(std::vector<std::string> words, std::vector<std::string> variables, std::function<void()> ended) {
  ended_ = std::move(ended);
  const int status =
      engine_.start(std::move(words), std::move(variables), out_pipe_.writing_end(), err_pipe_.writing_end());
  if (status != 0) {
    close();
    return status;
  }
  out_pipe_.start();
  err_pipe_.start();
  start_.start(engine_.pid());
  if (command_.engine == EngineKind::slurm) steps_.start(engine_.pid());
  if (deadline_) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(*deadline_ - std::chrono::steady_clock::now());
    start_timer<&RunningJob::on_timeout>(timeout_, static_cast<std::uint64_t>(std::max<std::int64_t>(left.count(), 0)));
  }
  return 0;
}

void RunningJob::expect_end(int signal) {
  if (cause_ == EndCause::engine) {
    cause_ = EndCause::user;
    signal_ = signal;
  } else if (cause_ == EndCause::user) {
    // The ranks' wrappers end what is left.
    engine_.forward(SIGKILL);
  }
  engine_.expect_end(patience());
  balance();
}

void RunningJob::on_out(std::string_view text) {
  read_ += text.size();
  progress_.hide();
  out_.write(text);
  progress_.show_below(out_, err_);
  start_.on_output();
  if (cause_ == EndCause::engine && !has_killed_rank()) {
    tell(watch_.read_out(text, std::chrono::steady_clock::now()));
  }
  watch_for_hang();
  balance();
}

void RunningJob::on_err(std::string_view text) {
  read_ += text.size();
  std::vector<Record> found;
  const std::string passed = records_.feed(text, found);
  const std::string filtered = filter_.feed(passed);
  show_err(command_.keep_banners ? passed : filtered);
  if (!filter_.lost_node().empty() && !loss_) loss_ = std::chrono::steady_clock::now();
  if (cause_ == EndCause::engine && !has_killed_rank()) {
    tell(watch_.read_err(passed, std::chrono::steady_clock::now()));
  }
  for (const Record& record : found) take(record);
  watch_for_hang();
  // Slurm kills a step for an abort, and waits a minute for what it has overlooked.
  const bool aborted = command_.engine == EngineKind::slurm && filter_.abort_code() != 0;
  if (loss_ || aborted || (command_.ends_at_failure && ranks_.any_failed())) engine_.expect_end(patience());
  if (!end_ && (filter_.holds() || records_.holds_text())) {
    start_timer<&RunningJob::release_held>(held_timer_, kMostHeldMs);
  }
  balance();
}

// What others say of their connections then is no fault of the network.
bool RunningJob::has_killed_rank() const { return ranks_.any_failed() && ranks_.failures().front().signal != 0; }

void RunningJob::show_err(const std::string& text) {
  write_err(text);
  recent_ += text;
  if (recent_.size() > 2 * kMostRecent) recent_.erase(0, recent_.size() - kMostRecent);
}

void RunningJob::write_err(std::string_view text) {
  if (text.empty()) return;
  progress_.hide();
  err_.write(text);
  progress_.show_below(out_, err_);
}

void RunningJob::take(const Record& record) {
  if (const auto* shell = std::get_if<ShellRecord>(&record)) return start_.add(*shell);
  if (const auto* progress = std::get_if<ProgressRecord>(&record)) {
    progress_.set(progress->text);
    return progress_.show_below(out_, err_);
  }
  if (const auto* rank = std::get_if<StartRecord>(&record)) {
    start_.add(*rank);
    steps_.add(*rank);
    return ranks_.add(*rank, arrival_now());
  }
  steps_.add(std::get<EndRecord>(record));
  // What ends when the job was told to end is a consequence.
  if (cause_ != EndCause::engine) return;
  ranks_.add(std::get<EndRecord>(record), arrival_now());
  if (ranks_.any_failed() && !first_failure_) {
    first_failure_ = std::chrono::steady_clock::now();
    start_.stop();
  }
}

void RunningJob::release_held() {
  const std::string text = records_.flush();
  const std::string filtered = filter_.feed(text) + filter_.flush();
  show_err(command_.keep_banners ? text : filtered);
  balance();
}

void RunningJob::tell(const Findings& findings) {
  if (findings.empty()) return;
  std::ostringstream text;
  print(text, findings, "ringrun: ");
  write_err((err_.at_line_start() ? "" : "\n") + text.str());
}

void RunningJob::watch_for_hang() {
  if (!watch_.armed() || uv_is_active(reinterpret_cast<uv_handle_t*>(&tick_)) != 0) return;
  const auto interval = static_cast<std::uint64_t>(OutputWatch::kInterval.count());
  start_timer<&RunningJob::on_tick>(tick_, interval, interval);
}

void RunningJob::say(const std::string& lines) {
  write_err((err_.at_line_start() ? "ringrun: " : "\nringrun: ") + lines + (lines.back() == '\n' ? "" : "\n"));
}

// Reads the engine's streams as fast as ringrun's own are read; of an engine that is to end, as fast as it writes.
void RunningJob::balance() {
  if (closed_) return;
  if (out_.failure() != 0 && !loss_told_) {
    loss_told_ = true;
    // As any program whose reader has gone: quietly.
    if (out_.failure() == EPIPE) {
      end_it(EndCause::reader);
    } else {
      say(std::string("what the job prints is lost: write to standard output: ") + std::strerror(out_.failure()));
    }
  }
  if (err_.failure() == EPIPE) end_it(EndCause::reader);
  const bool all = cause_ != EndCause::engine || engine_.told_to_end();
  for (auto [pipe, sink] : {std::pair{&out_pipe_, &out_}, std::pair{&err_pipe_, &err_}}) {
    if (sink->kept() > 0 && !all) {
      pipe->pause();
    } else {
      pipe->resume();
    }
  }
  settle();
}

void RunningJob::on_tick() {
  if (cause_ != EndCause::engine || engine_.told_to_end() || end_) return;
  if (!watch_.hangs(std::chrono::steady_clock::now(), out_.kept() > 0 || err_.kept() > 0)) return;
  const std::string what = "the job has been silent for " + seconds(command_.hang_timeout) + " since " +
                           watch_.fatal_ids() + " was seen: it hangs";
  if (command_.end_on_hang) {
    say(what + ", and is ended (--on-hang=report lets it run)");
    end_it(EndCause::hang);
  } else {
    say(what + "; Ctrl-C or kill " + std::to_string(getpid()) + " ends it, as --on-hang=end does by itself");
  }
  balance();
}

void RunningJob::end_it(EndCause cause) {
  if (cause_ != EndCause::engine) return;
  cause_ = cause;
  engine_.forward(SIGTERM);
  engine_.expect_end(patience());
}

void RunningJob::on_lost(const std::string& host) {
  if (cause_ != EndCause::engine || loss_ || end_ || filter_.abort_code() != 0) return;
  lost_host_ = host;
  loss_ = std::chrono::steady_clock::now();
  engine_.forward(SIGTERM);
  engine_.expect_end(patience());
}

void RunningJob::on_timeout() {
  if (cause_ != EndCause::engine || engine_.told_to_end() || end_) return;
  say("the job has taken longer than " + seconds(*command_.timeout) + " (--timeout) and is ended");
  end_it(EndCause::timeout);
  balance();
}

void RunningJob::on_stall(const StartTimer::Event& event) {
  if (cause_ != EndCause::engine || engine_.told_to_end() || end_) return;
  say(event.lines);
  if (event.over) end_it(EndCause::start);
  balance();
}

}  // namespace ringrun
