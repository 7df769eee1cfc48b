#include <signal.h>

#include "launcher/run/running_job.hpp"

namespace ringrun {
namespace {

// A process that outlives the engine may keep the pipe open; what the engine said is there by then.
constexpr std::uint64_t kGraceAfterExitMs = 300;
// A rank that fails so shortly before the engine says that it has lost a daemon has noticed the same loss.
constexpr auto kSameMoment = std::chrono::seconds(1);
constexpr std::chrono::seconds kShortPatience{2};

}  // namespace

// No rank can lose anything where none has started. srun waits 30 s for ranks that ignore it; killed, it leaves that to
// its helper, which kills them at once (22.05).
std::chrono::seconds RunningJob::patience() const {
  return cause_ == EndCause::start || command_.engine == EngineKind::slurm ? kShortPatience : EngineProcess::kPatience;
}

void RunningJob::on_patience_end() {
  if (patience() == kShortPatience) return;
  say("mpirun did not end within " + std::to_string(EngineProcess::kPatience.count()) + " s" +
      " and is killed; on a host that cannot be reached processes may be left");
}

void RunningJob::on_engine_end(EngineEnd end) {
  end_ = end;
  for (uv_timer_t* timer : {&held_timer_, &timeout_}) uv_timer_stop(timer);
  start_.stop();
  start_timer<&RunningJob::on_grace_end>(grace_, kGraceAfterExitMs);
  settle();
}

// A reader that is only slow gets all; one that does not read holds up no job that was told to end.
void RunningJob::on_grace_end() {
  const std::size_t kept = out_.kept() + err_.kept();
  const bool wait = cause_ == EndCause::engine ? kept > 0 || read_ != read_then_ : kept > 0 && kept != kept_;
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
  if (!waits_for_reader || (grace_over_ && cause_ != EndCause::engine)) close();
}

void RunningJob::report() {
  progress_.end();
  const std::string rest = records_.finish();
  const std::string filtered = filter_.feed(rest) + filter_.flush();
  show_err(command_.keep_banners ? rest : filtered);
  JobEnd end{cause_, signal_, *end_, engine_.told_to_end(), filter_.lost_node(), false, {}, 0, {}};
  // In a job that ends by itself the shells may end with any code.
  if (end_->code == 0 && end.lost_node.empty()) end.lost_node = start_.lost_host();
  if (!lost_host_.empty()) end.lost_node = lost_host_;
  end.lost_first = loss_ && (!first_failure_ || *loss_ < *first_failure_ + kSameMoment);
  end.unfinished_rank = filter_.unfinished_rank();
  end.failed_start = start_.failed_start();
  if (command_.engine == EngineKind::slurm) end.abort_code = abort_code(filter_.abort_code(), *end_, ranks_);
  verdict_ = judge(end, ranks_, recent_);
  if (verdict_.shows_banners && !command_.keep_banners) write_err(filter_.banners());
  const bool says_nothing =
      verdict_.lines.empty() && recent_.empty() && (filter_.banners().empty() || command_.keep_banners);
  if (verdict_.exit_code != 0 && cause_ == EndCause::engine && says_nothing) {
    verdict_.lines.push_back("the engine ended the job with code " + std::to_string(verdict_.exit_code) +
                             ", and says nothing of why");
  }
  for (const std::string& lines : verdict_.lines) say(lines);
  if (verdict_.exit_code == 0 || (cause_ != EndCause::engine && cause_ != EndCause::hang)) return;
  Findings explanation = watch_.explanation();
  if (has_killed_rank()) {
    std::erase_if(explanation, [](const Finding& finding) { return finding.id[0] == 'F'; });
  }
  tell(explanation);
}

void RunningJob::close() {
  if (closed_) return;
  closed_ = true;
  out_.close();
  err_.close();
  progress_.close();
  out_pipe_.close();
  err_pipe_.close();
  engine_.close();
  start_.close();
  steps_.close();
  for (uv_timer_t* timer : {&held_timer_, &tick_, &grace_, &timeout_}) {
    uv_close(reinterpret_cast<uv_handle_t*>(timer), nullptr);
  }
  ended_();
}

}  // namespace ringrun
