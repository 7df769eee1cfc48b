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
// A process that outlives the engine may keep the pipe open; what the engine said is there by then.
constexpr std::uint64_t kGraceAfterExitMs = 300;
// How Open MPI 4.1 ends when the connection to a daemon breaks (measured).
constexpr int kLostDaemon = 205;
constexpr int kHostOrNetwork = 3;

std::string seconds(std::chrono::seconds time) { return std::to_string(time.count()) + " s"; }

}  // namespace

RunningJob::RunningJob(uv_loop_t& loop, const JobCommand& command)
    : command_(command),
      out_(loop, STDOUT_FILENO, [this] { balance(); }),
      err_(loop, STDERR_FILENO, [this] { balance(); }),
      out_pipe_(
          loop, [this](std::string_view text) { on_out(text); }, [this] { settle(); }),
      err_pipe_(
          loop, [this](std::string_view text) { on_err(text); }, [this] { settle(); }),
      engine_(
          loop, [this](EngineEnd end) { on_engine_end(end); }, [this] { on_patience_end(); }),
      watch_(command.hang_timeout) {
  for (uv_timer_t* timer : {&banner_timer_, &tick_, &grace_}) {
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
  return 0;
}

void RunningJob::expect_end(int signal) {
  if (cause_ == Cause::none) {
    cause_ = Cause::user;
    signal_ = signal;
  }
  engine_.expect_end();
  balance();
}

void RunningJob::on_out(std::string_view text) {
  read_ += text.size();
  out_.write(text);
  if (cause_ == Cause::none) tell(watch_.read_out(text, std::chrono::steady_clock::now()));
  watch_for_hang();
  balance();
}

void RunningJob::on_err(std::string_view text) {
  read_ += text.size();
  err_.write(command_.keep_banners ? filter_.without_marks(text) : filter_.feed(text));
  if (cause_ == Cause::none) tell(watch_.read_err(text, std::chrono::steady_clock::now()));
  watch_for_hang();
  if (command_.ends_at_failure && filter_.first_failure()) engine_.expect_end();
  if (!end_ && filter_.holds()) start_timer<&RunningJob::release_banner>(banner_timer_, kMostHeldMs);
  balance();
}

void RunningJob::release_banner() {
  err_.write(filter_.flush());
  balance();
}

void RunningJob::tell(const Findings& findings) {
  if (findings.empty()) return;
  std::ostringstream text;
  print(text, findings, "ringrun: ");
  err_.write((err_.at_line_start() ? "" : "\n") + text.str());
}

void RunningJob::watch_for_hang() {
  if (!watch_.armed() || uv_is_active(reinterpret_cast<uv_handle_t*>(&tick_)) != 0) return;
  const auto interval = static_cast<std::uint64_t>(OutputWatch::kInterval.count());
  start_timer<&RunningJob::on_tick>(tick_, interval, interval);
}

void RunningJob::say(const std::string& line) {
  err_.write((err_.at_line_start() ? "ringrun: " : "\nringrun: ") + line + "\n");
}

// Reads the engine's streams as fast as ringrun's own are read; of an engine that is to end, as fast as it writes.
void RunningJob::balance() {
  if (closed_) return;
  if (out_.failure() != 0 && !loss_told_) {
    loss_told_ = true;
    // As any program whose reader has gone: quietly.
    if (out_.failure() == EPIPE) {
      end_it(Cause::reader);
    } else {
      say(std::string("what the job prints is lost: write to standard output: ") + std::strerror(out_.failure()));
    }
  }
  if (err_.failure() == EPIPE) end_it(Cause::reader);
  const bool all = cause_ != Cause::none || engine_.told_to_end();
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
  if (cause_ != Cause::none || engine_.told_to_end() || end_) return;
  if (!watch_.hangs(std::chrono::steady_clock::now(), out_.kept() > 0 || err_.kept() > 0)) return;
  const std::string what = "the job has been silent for " + seconds(command_.hang_timeout) + " since " +
                           watch_.fatal_ids() + " was seen: it hangs";
  if (command_.end_on_hang) {
    say(what + ", and is ended (--on-hang=report lets it run)");
    end_it(Cause::hang);
  } else {
    say(what + "; Ctrl-C or kill " + std::to_string(getpid()) + " ends it, as --on-hang=end does by itself");
  }
  balance();
}

void RunningJob::end_it(Cause cause) {
  if (cause_ != Cause::none) return;
  cause_ = cause;
  engine_.forward(SIGTERM);
  engine_.expect_end();
}

void RunningJob::on_patience_end() {
  say("mpirun did not end within " + seconds(EngineProcess::kPatience) +
      " and is killed; on a host that cannot be reached processes may be left");
}

void RunningJob::on_engine_end(EngineEnd end) {
  end_ = end;
  uv_timer_stop(&banner_timer_);
  start_timer<&RunningJob::on_grace_end>(grace_, kGraceAfterExitMs);
  settle();
}

// A reader that is only slow gets all; one that does not read holds up no job that was told to end.
void RunningJob::on_grace_end() {
  const std::size_t kept = out_.kept() + err_.kept();
  const bool wait = cause_ == Cause::none ? kept > 0 || read_ != read_then_ : kept > 0 && kept != kept_;
  kept_ = kept;
  read_then_ = read_;
  if (wait) return start_timer<&RunningJob::on_grace_end>(grace_, kGraceAfterExitMs);
  grace_over_ = true;
  settle();
}

void RunningJob::settle() {
  if (!end_ || closed_) return;
  if (!reported_) {
    if (!grace_over_ && !(out_pipe_.at_end() && err_pipe_.at_end())) return;
    reported_ = true;
    report();
  }
  const bool waits_for_reader = out_.kept() + err_.kept() > 0;
  if (!waits_for_reader || (grace_over_ && cause_ != Cause::none)) close();
}

void RunningJob::report() {
  const bool ended_by_ringrun = cause_ == Cause::hang || cause_ == Cause::reader;
  // Banners about ranks that ringrun had ended say nothing.
  err_.write(ended_by_ringrun ? filter_.flush() : filter_.finish());
  exit_code_ = end_->signal != 0 ? 128 + end_->signal : end_->code;
  // mpirun's own code says nothing where it was killed, or lost a daemon: there the first rank's does.
  const bool lost = end_->signal == 0 && end_->code == kLostDaemon;
  if ((end_->signal != 0 || lost) && filter_.first_failure()) exit_code_ = *filter_.first_failure();
  if (lost && !filter_.first_failure()) {
    exit_code_ = kHostOrNetwork;
    if (!ended_by_ringrun) say("a host was lost: mpirun's daemon there ended, or the network to it");
  }
  if (end_->signal != 0 && !engine_.told_to_end()) {
    say("mpirun was killed by signal " + std::to_string(end_->signal) + ", and the job with it");
  }
  if (exit_code_ != 0 && (cause_ == Cause::none || cause_ == Cause::hang)) tell(watch_.explanation());
}

void RunningJob::close() {
  if (closed_) return;
  closed_ = true;
  out_.close();
  err_.close();
  out_pipe_.close();
  err_pipe_.close();
  engine_.close();
  for (uv_timer_t* timer : {&banner_timer_, &tick_, &grace_}) {
    uv_close(reinterpret_cast<uv_handle_t*>(timer), nullptr);
  }
  ended_();
}

int RunningJob::exit_code() const {
  switch (cause_) {
    case Cause::user:
      return 128 + signal_;
    case Cause::hang:
      return kHostOrNetwork;
    case Cause::reader:
      return 128 + SIGPIPE;
    case Cause::none:
      break;
  }
  return exit_code_;
}

}  // namespace ringrun
