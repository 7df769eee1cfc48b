#include "launcher/launch.hpp"

#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "launcher/absent_hosts.hpp"
#include "launcher/decisions.hpp"
#include "launcher/dry_run.hpp"
#include "launcher/engine/engine_choice.hpp"
#include "launcher/engine_request.hpp"
#include "launcher/engine_start.hpp"
#include "launcher/host_questions.hpp"
#include "launcher/job/job.hpp"
#include "launcher/job/rank_cards.hpp"
#include "launcher/job_command.hpp"
#include "launcher/job_programs.hpp"
#include "launcher/launch_context.hpp"
#include "launcher/launch_errors.hpp"
#include "launcher/preflight/network_settings.hpp"
#include "launcher/preflight/port_shares.hpp"
#include "launcher/preflight/report.hpp"
#include "launcher/preflight/survey.hpp"
#include "launcher/probe/probe.hpp"
#include "launcher/probe/remote_shell.hpp"
#include "launcher/request_checks.hpp"
#include "launcher/run/job_process.hpp"
#include "launcher/slurm_end.hpp"
#include "launcher/ssh/setup_line.hpp"
#include "launcher/ssh/setup_ssh.hpp"
#include "launcher/staging/program_staging.hpp"
#include "launcher/surroundings_checks.hpp"
#include "lib/explain/catalogue.hpp"
#include "lib/net/free_port.hpp"

namespace ringrun {
namespace {

int ranks_here(const Job& job) {
  int ranks = 0;
  for (const JobHost& host : job.hosts) ranks += host.answer.local ? host.ranks : 0;
  return ranks;
}

class Launch {
 public:
  Launch(const LaunchRequest& request, const Streams& streams)
      : request_(request), streams_(streams), context_(make_launch_context(request)) {}

  int run() {
    check_words(request_);
    context_.allocation = read_slurm_allocation(context_.environment);
    if (context_.allocation) context_.slurm = find_slurm(context_.environment);
    read_programs(context_);
    check_names(context_.hosts);
    check_visible_devices(context_.hosts, context_.programs);
    if (request_.setup_ssh) return setup_ssh(context_, streams_);
    if (request_.topology) return show_absent_machine();
    try_step("L7", [&] { find_programs(context_); });
    check_open_files(1);
    try_step("L2", [&] {
      context_.engine =
          choose_engine({request_.engine, request_.prefix, context_.slurm}, context_.environment, context_.ringrun);
    });
    // srun does not mind.
    if (context_.engine.kind != EngineKind::slurm) check_root(request_, context_.environment);
    if (!starts_nothing() && context_.engine.kind != EngineKind::slurm)
      check_session_folder(request_, context_.environment);

    AskedHosts asked = asked_hosts(context_.hosts, context_.environment, !request_.offline);
    asked_ = asked.hosts;
    context_.hosts.assign(asked_.begin(), asked_.begin() + static_cast<std::ptrdiff_t>(context_.hosts.size()));
    if (asked.any_remote) find_remote_shell();
    check_containers(context_.hosts, context_.through_slurm() || context_.engine.kind == EngineKind::slurm);
    if (request_.offline) return start_offline(std::move(asked.resolved));
    HostProbe probe(asked_, std::move(asked.resolved), host_questions(context_));
    std::vector<HostAnswer> answers = probe.ask([this](const auto& silent) { report_silence(silent); });
    const bool all_answered = std::all_of(answers.begin(), answers.end(),
                                          [](const HostAnswer& answer) { return answer.fault == AgentFault::none; });
    if (!all_answered) return report_only(probe, without_job(answers));
    say_copied(streams_.err, request_, stage_programs(context_, probe, answers));
    const bool has_programs = std::all_of(answers.begin(), answers.end(), [](const HostAnswer& answer) {
      return std::all_of(answer.copies.begin(), answer.copies.end(),
                         [](const auto& copy) { return copy.fault.empty(); });
    });
    if (!has_programs && !request_.doctor) return report_only(probe, without_job(answers));
    std::optional<Job> job;
    try_step("L5", [&] { job = allot(answers); });
    const std::vector<SurveyedHost> surveyed = job ? with_job(*job, answers) : without_job(answers);
    if (request_.doctor) return report_only(probe, surveyed);
    const Situation situation = look(probe, surveyed);
    if (request_.preflight) {
      const Findings findings = find_faults(situation);
      say(findings);
      if (has_errors(findings)) return kHostOrNetwork;
    }
    name_cards(*job, situation);
    return start(*job, network_settings(situation));
  }

 private:
  static constexpr int kHostOrNetwork = 3;

  /// What stops a launch is to --doctor one finding among others.
  template <typename Step>
  void try_step(const char* id, Step step) {
    if (!request_.doctor) return step();
    try {
      step();
    } catch (const ProgramError& error) {
      troubles_.push_back({"L7", Severity::error, {}, error.what(), "", error.remedy(), ""});
    } catch (const UserError& error) {
      troubles_.push_back({id, Severity::error, {}, error.what(), "", error.remedy(), ""});
    }
  }

  bool starts_nothing() const { return request_.dry_run || request_.doctor; }

  void find_remote_shell() {
    const Environment& environment = context_.environment;
    const auto variable = [&](const std::string& name) { return find_variable(environment, name); };
    if (context_.slurm && !is_remote_shell_said(request_.parameters, variable)) {
      context_.shell = slurm_shell_words(*context_.slurm);
      return;
    }
    context_.shell = remote_shell_words(
        request_.parameters, variable, [&](const std::string& name) { return find_on_path(environment, name); },
        request_.start_timeout);
  }

  /// The answers of the job's hosts, and perhaps this host's behind them.
  Job allot(std::vector<HostAnswer> answers) const {
    answers.resize(context_.hosts.size());
    return allot_ranks({request_, context_.engine.kind,
                        said_mapping(request_.engine_options.mapping, request_.parameters, context_.environment),
                        context_.hosts, std::move(answers), context_.programs});
  }

  /// Where the ranks would be on a machine that only a file describes. Nothing else is looked for, no engine either.
  int show_absent_machine() {
    const HostFacts facts = absent_machine(*request_.topology);
    name_hosts_after_machine(context_, *request_.topology);
    Job job = allot(absent_answers(context_.hosts, facts, context_.programs));
    const auto own = find_variable(context_.environment, kVisibleDevices);
    if (own && context_.exports.asked.count(kVisibleDevices) == 0) {
      streams_.err << "ringrun: note: CUDA_VISIBLE_DEVICES=" << *own
                   << " is this shell's, and not that machine's; -x CUDA_VISIBLE_DEVICES makes it the job's\n";
    }
    std::vector<std::string> warnings = check_interfaces(context_, facts.machine);
    for (const auto& more : {name_said_cards(job, context_.exports), job.warnings})
      warnings.insert(warnings.end(), more.begin(), more.end());
    for (const std::string& warning : warnings) streams_.err << "ringrun: warning: " << warning << "\n";
    if (request_.json) {
      print_ranks_json(streams_.out, job, "");
    } else {
      print_ranks(streams_.out, job);
      print_notes(streams_.out, job);
    }
    return printed(streams_.out);
  }

  /// Nothing is known of the hosts but what the user says.
  int start_offline(std::vector<HostAnswer> answers) {
    assume_ready(asked_, answers);
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      for (const int index : asked_[i].attributes.gpus.value_or(std::vector<int>())) {
        answers[i].facts.gpus.emplace_back();
        answers[i].facts.gpus.back().index = index;
      }
    }
    Job job = allot(answers);
    NetworkSettings settings;
    settings.environment.resize(job.hosts.size());
    return start(job, settings);
  }

  void report_silence(const std::vector<std::size_t>& silent) const {
    std::string names;
    for (const std::size_t host : silent) names += (names.empty() ? "" : ", ") + asked_[host].name;
    streams_.err << "ringrun: warning L1 on " << names << ": no answer yet; waiting until " << request_.start_timeout
                 << " s have passed (--start-timeout)" << std::endl;
  }

  std::vector<SurveyedHost> without_job(const std::vector<HostAnswer>& answers) const {
    std::vector<SurveyedHost> surveyed;
    for (std::size_t i = 0; i < answers.size(); ++i)
      surveyed.push_back({asked_[i], answers[i], 0, i >= context_.hosts.size()});
    return surveyed;
  }

  std::vector<SurveyedHost> with_job(const Job& job, const std::vector<HostAnswer>& answers) const {
    std::vector<SurveyedHost> surveyed;
    bool here = false;
    for (const JobHost& host : job.hosts) {
      surveyed.push_back({host.host, host.answer, host.ranks, false});
      surveyed.back().answer.facts.gpus = host.gpus;
      here = here || host.answer.local;
    }
    if (here) return surveyed;
    const auto self =
        std::find_if(answers.begin(), answers.end(), [](const HostAnswer& answer) { return answer.local; });
    surveyed.push_back({asked_[self->agent], *self, 0, true});
    return surveyed;
  }

  Situation look(HostProbe& probe, const std::vector<SurveyedHost>& surveyed) const {
    // Only mpirun must be like the hosts' own.
    const std::string version = context_.engine.kind == EngineKind::slurm ? "" : context_.engine.version;
    Situation situation = survey(probe, surveyed,
                                 {request_, context_.exports, context_.environment, context_.program(),
                                  context_.more_programs(), context_.is_worker(), version});
    situation.through_slurm = context_.through_slurm();
    situation.setup_ssh = setup_ssh_line(context_);
    probe.dismiss();
    // Behind the agents' end, which have listened on some.
    if (request_.ports) situation.daemon_ports = daemon_ports(*request_.ports, may_listen_on, getpid());
    return situation;
  }

  /// --doctor, and a launch that cannot be for some host.
  int report_only(HostProbe& probe, const std::vector<SurveyedHost>& surveyed) const {
    const Situation situation = look(probe, surveyed);
    Findings findings = find_faults(situation);
    findings.insert(findings.end(), troubles_.begin(), troubles_.end());
    findings = arrange(std::move(findings));
    if (!request_.doctor) {
      say(findings);
      return kHostOrNetwork;
    }
    const NetworkSettings settings = network_settings(situation);
    (request_.json ? print_report_json : print_report)(streams_.out, situation, settings, findings);
    printed(streams_.out);
    return has_errors(findings) ? kHostOrNetwork : 0;
  }

  int start(Job& job, const NetworkSettings& settings) const {
    job.plan = launch_plan(context_, job, settings);
    const EngineCommand command = engine_command(engine_request(context_, job, settings), context_.environment);
    const std::string line = shell_line(command);
    report_decisions(streams_.err, context_, job, settings, line);
    if (request_.dry_run && request_.json) {
      print_ranks_json(streams_.out, job, line);
      return printed(streams_.out);
    }
    if (request_.display_allocation) print_hosts(streams_.out, job);
    if (request_.display_map || request_.dry_run) print_ranks(streams_.out, job);
    if (request_.dry_run) {
      print_notes(streams_.out, job);
      streams_.out << "\n" << line << "\n";
      return printed(streams_.out);
    }
    if (job.binds && request_.engine_options.reports_bindings()) print_ranks(streams_.err, job);
    if (request_.report_pid) report_pid(streams_, *request_.report_pid);
    printed(streams_.out);
    if (context_.engine.kind == EngineKind::openmpi4) check_open_files(ranks_here(job));
    const int code = run_job(job_command(context_, job, settings, engine_start(context_, command)));
    if (code != 0 && context_.engine.kind == EngineKind::slurm) end_slurm_ranks(context_, job);
    return code;
  }

  void say(const Findings& findings) const {
    Findings shown;
    std::copy_if(findings.begin(), findings.end(), std::back_inserter(shown),
                 [&](const Finding& finding) { return request_.verbose || finding.severity != Severity::note; });
    print(streams_.err, shown, "ringrun: ");
  }

  const LaunchRequest& request_;
  const Streams& streams_;
  LaunchContext context_;
  /// The job's, and this host behind them where it is none of them.
  HostList asked_;
  /// Of --doctor.
  Findings troubles_;
};

}  // namespace

int launch(const LaunchRequest& request, const Streams& streams) { return Launch(request, streams).run(); }

}  // namespace ringrun
