#include "worker/tune/tuning.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>

#include "lib/error.hpp"
#include "worker/tune/network_way.hpp"

namespace ringrun::worker {
namespace {

using Clock = std::chrono::steady_clock;

class Tuning {
 public:
  Tuning(const TuneJob& job, Team& team, Watch& watch, const TuneAlarm& alarm, TuneReport* report)
      : job_(job), team_(team), watch_(watch), alarm_(alarm), report_(report) {
    std::map<int, std::size_t> hosts;
    for (int leader : job.leaders) hosts.emplace(leader, 0);
    std::size_t number = 0;
    for (auto& [leader, host] : hosts) host = number++;
    host_ = hosts.at(job.leaders.at(static_cast<std::size_t>(team.process())));
    leads_ = job.leaders.at(static_cast<std::size_t>(team.process())) == team.process();
  }

  ExitCode run() {
    const std::vector<TunedHost> hosts = gather_hosts();
    Conductor conductor(job_.task.sizes, job_.budget, job_.first_deadline);
    bool chosen = false;
    for (;;) {
      const TrialOrder order = next_order(conductor);
      if (order.end) break;
      const double began = now();
      const TrialReport report = run_everywhere(order);
      if (report_ == nullptr) continue;
      conductor.add(report, began, now());
      if (!chosen && conductor.failure().empty()) {
        const NetworkWay way = network_way(report.transports, hosts);
        conductor.choose(way.settings, now());
        report_->begin(hosts, way, conductor);
      }
      chosen = true;
      report_->set(conductor.tuned(), now());
    }
    if (report_ != nullptr) report_->finish(conductor.failure(), now());
    return agreed(conductor);
  }

 private:
  double now() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  double deadline(double seconds) const { return job_.timeout <= 0 ? 0 : seconds + job_.timeout; }

  std::vector<TunedHost> gather_hosts() {
    const auto phase = watch_.enter("exchange of what the hosts can be tuned by", deadline(0));
    const std::string own =
        leads_ ? to_text(read_tuned_host(job_.hosts.at(static_cast<std::size_t>(team_.process())))) : "";
    std::vector<TunedHost> hosts;
    for (const std::string& text : team_.gather(own))
      if (!text.empty()) hosts.push_back(tuned_host_from(text));
    return hosts;
  }

  /// The first process decides.
  TrialOrder next_order(Conductor& conductor) {
    const auto phase = watch_.enter("word of the next trial", deadline(0));
    TrialOrder order;
    if (report_ != nullptr) {
      const auto next = conductor.next(now());
      order = next.value_or(TrialOrder());
      order.end = !next;
    }
    return trial_order_from(team_.broadcast(report_ != nullptr ? to_text(order) : ""));
  }

  ExitCode agreed(const Conductor& conductor) {
    const auto phase = watch_.enter("end of the tuning", deadline(0));
    const ExitCode own = conductor.failure().empty()      ? ExitCode::kSuccess
                         : conductor.failure_is_timeout() ? ExitCode::kTimeout
                                                          : ExitCode::kNccl;
    const std::string code = team_.broadcast(std::to_string(static_cast<int>(own)));
    // Whatever word is still under way.
    alarm_.is_raised(trials_ + 1);
    return static_cast<ExitCode>(std::stoi(code));
  }

  TrialReport run_everywhere(const TrialOrder& order) {
    trials_ = order.number;
    // Beyond the trial's own deadline only a process that does not answer at all is waited for.
    const auto phase = watch_.enter(fmt::format("trial {} of the tuning", order.number), deadline(order.deadline));
    std::unique_ptr<TrialProcess> process;
    TrialReport own = run_here(order, process);
    if (own.failed() && !own.stopped) alarm_.raise(order.number);
    std::vector<TrialReport> reports;
    for (const std::string& text : team_.gather(to_text(own))) reports.push_back(trial_report_from(text));
    // Only now: the others' processes may have needed what this one had still to send.
    if (process && !own.failed()) process->end();
    return combined(reports, job_.hosts);
  }

  /// `process` is left to live on, also where it has failed.
  TrialReport run_here(const TrialOrder& order, std::unique_ptr<TrialProcess>& process) {
    const auto ends =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(order.deadline));
    const auto stop = [&] { return alarm_.is_raised(order.number); };
    TrialReport report;
    try {
      process = std::make_unique<TrialProcess>(job_.command, changes_for(order));
      TrialTask task = job_.task;
      task.parent = getpid();
      task.makes_id = team_.process() == 0;
      task.iterations = order.iterations;
      process->send(to_text(task));
    } catch (const SystemError& error) {
      report.error = error.what();
    }
    TrialAnswer answer;
    if (team_.process() == 0 && process) answer = wait_for_answer(*process, ends, stop, report);
    const std::string id = team_.broadcast(answer.id);
    if (id.empty() && report.error.empty()) {
      report.stopped = true;
      report.error = "was stopped";
    }
    if (!report.error.empty()) return report;
    process->send(to_text(TrialAnswer{id, {}, ""}));
    answer = wait_for_answer(*process, ends, stop, report);
    const bool real = std::all_of(answer.seconds.begin(), answer.seconds.end(), [](double one) { return one > 0; });
    if (report.error.empty() && (!real || answer.seconds.size() != job_.task.sizes.size()))
      report.error = "answered something else than its times";
    if (!report.error.empty()) return report;
    report.seconds = answer.seconds;
    if (order.asks_for_transports) report.transports = transports_in(process->said());
    return report;
  }

  /// Where there is none the report says why.
  TrialAnswer wait_for_answer(TrialProcess& process, Clock::time_point ends, const std::function<bool()>& stop,
                              TrialReport& report) const {
    const auto line = process.next_line(ends, stop);
    TrialAnswer answer;
    if (const auto* text = std::get_if<std::string>(&line)) {
      try {
        answer = trial_answer_from(*text);
        report.error = answer.error;
      } catch (const std::exception&) {
        report.error = "answered what is no answer: " + text->substr(0, 80);
      }
    } else if (const auto* ended = std::get_if<TrialProcess::Ended>(&line)) {
      report.error = ended->how;
    } else if (std::holds_alternative<TrialProcess::TimedOut>(line)) {
      report.timed_out = true;
      report.error = "did not end in time";
    } else {
      report.stopped = true;
      report.error = "was stopped";
    }
    if (!report.error.empty() && !report.stopped) report.error += last_warning(process.said());
    return answer;
  }

  EnvironmentChanges changes_for(const TrialOrder& order) const {
    EnvironmentChanges changes;
    for (const TunedVariable& variable : order.setting.variables)
      changes.emplace_back(variable.name, variable.value_on(host_));
    if (order.asks_for_transports) {
      changes.emplace_back("NCCL_DEBUG", "INFO");
      changes.emplace_back("NCCL_DEBUG_SUBSYS", "INIT,NET,P2P,SHM");
    } else if (std::getenv("NCCL_DEBUG") == nullptr) {
      changes.emplace_back("NCCL_DEBUG", "WARN");
    }
    // It shall be read here.
    changes.emplace_back("NCCL_DEBUG_FILE", std::nullopt);
    return changes;
  }

  const TuneJob& job_;
  Team& team_;
  Watch& watch_;
  const TuneAlarm& alarm_;
  TuneReport* report_;
  std::size_t host_ = 0;
  bool leads_ = false;
  int trials_ = 0;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

ExitCode run_tuning(const TuneJob& job, Team& team, Watch& watch, const TuneAlarm& alarm, TuneReport* report) {
  return Tuning(job, team, watch, alarm, report).run();
}

}  // namespace ringrun::worker
