#include "launcher/launch.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>

#include "launcher/dry_run.hpp"
#include "launcher/engine/openmpi.hpp"
#include "launcher/hosts/hostfile.hpp"
#include "launcher/hosts/named_hosts.hpp"
#include "launcher/job/job.hpp"
#include "launcher/job/program.hpp"
#include "launcher/job/rendezvous.hpp"
#include "launcher/launch_errors.hpp"
#include "launcher/preflight/network_settings.hpp"
#include "launcher/preflight/port_shares.hpp"
#include "launcher/preflight/report.hpp"
#include "launcher/preflight/survey.hpp"
#include "launcher/probe/probe.hpp"
#include "launcher/probe/remote_shell.hpp"
#include "launcher/request_checks.hpp"
#include "launcher/run/job_process.hpp"
#include "lib/explain/catalogue.hpp"
#include "lib/host/host_name.hpp"

namespace ringrun {
namespace {

/// What runs where no program is named: every size from 8 bytes to the worker's own largest.
std::vector<std::string> sweep(const std::string& ringrun) { return {find_worker(ringrun), "-b", "8", "-f", "2"}; }

HostList read_hosts(const LaunchRequest& request) {
  std::optional<HostList> hostfile;
  if (request.hostfile) hostfile = read_hostfile(*request.hostfile);
  return choose_hosts(hostfile, request.host_lists);
}

bool all_local(const std::vector<HostAnswer>& answers) {
  return std::all_of(answers.begin(), answers.end(), [](const HostAnswer& answer) { return answer.local; });
}

std::string current_folder() {
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  if (!error) return folder;
  throw UserError("the current folder cannot be read: " + error.message(), "change into a folder that exists");
}

class Launch {
 public:
  Launch(const LaunchRequest& request, const Streams& streams) : request_(request), streams_(streams) {
    // mpirun looks for its own parts on PATH.
    environment_.emplace("PATH", kDefaultPath);
  }

  int run() {
    check_root(request_, environment_);
    check_words(request_);
    hosts_ = read_hosts(request_);
    check_names(hosts_);
    exports_ = resolve_exports(request_.exports, environment_);
    program_ = request_.program;
    try_step("L7", [&] {
      if (program_.empty()) program_ = sweep(ringrun_);
      program_[0] = resolve_program(program_[0], cwd_, environment_);
    });
    try_step("L2", [&] { mpirun_ = find_mpirun(request_.prefix, environment_, ringrun_); });

    HostProbe probe = make_probe();
    const std::vector<HostAnswer> answers = probe.ask([this](const auto& silent) { report_silence(silent); });
    const bool all_answered = std::all_of(answers.begin(), answers.end(),
                                          [](const HostAnswer& answer) { return answer.fault == AgentFault::none; });
    if (!all_answered) return report_only(probe, without_job(answers));
    std::optional<Job> job;
    try_step("L5", [&] {
      job = allot_ranks(request_, hosts_,
                        {answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(hosts_.size())}, program_[0]);
    });
    const std::vector<SurveyedHost> surveyed = job ? with_job(*job, answers) : without_job(answers);
    if (request_.doctor) return report_only(probe, surveyed);
    return start(probe, surveyed, *job);
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

  HostProbe make_probe() {
    // Whoever launches takes part in the job's network also where no rank runs here.
    HostList asked = hosts_;
    std::vector<HostAnswer> resolved = resolve_hosts(hosts_);
    remote_ = !all_local(resolved);
    if (std::none_of(resolved.begin(), resolved.end(), [](const HostAnswer& answer) { return answer.local; })) {
      Host self;
      self.name = host_name();
      self.origin = "this host";
      asked.push_back(self);
      resolved.push_back({});
      resolved.back().local = true;
      resolved.back().agent = hosts_.size();
    }
    asked_ = asked;
    ProbeRequest request;
    if (remote_) {
      const auto variable = [&](const std::string& name) { return find_variable(environment_, name); };
      shell_ = remote_shell_words(
          request_.parameters, variable, [&](const std::string& name) { return find_on_path(environment_, name); },
          request_.start_timeout);
      request.shell_name = remote_shell_name(request_.parameters, variable);
    }
    request.ringrun = ringrun_;
    request.shell = shell_;
    request.master_port = said_master_port(hosts_[0], said());
    request.timeout = request_.start_timeout;
    request.question.prefix = request_.prefix.value_or("");
    if (!program_.empty() && program_[0][0] == '/') request.question.program = program_[0];
    request.question.cwd = request_.working_directory.value_or(cwd_);
    request.question.visible_devices = find_variable(exports_.asked, "CUDA_VISIBLE_DEVICES");
    request.question.environment = exports_.asked;
    if (request_.ports) {
      const PortRange rendezvous = share_ports(*request_.ports).rendezvous;
      request.question.first_port = rendezvous.first;
      request.question.last_port = rendezvous.last;
    }
    request.question.thorough = request_.doctor;
    return {asked, resolved, request};
  }

  Said said() const { return {exports_, request_.master_port, environment_}; }

  void report_silence(const std::vector<std::size_t>& silent) const {
    std::string names;
    for (const std::size_t host : silent) names += (names.empty() ? "" : ", ") + asked_[host].name;
    streams_.err << "ringrun: warning L1 on " << names << ": no answer yet; waiting until " << request_.start_timeout
                 << " s have passed (--start-timeout)" << std::endl;
  }

  std::vector<SurveyedHost> without_job(const std::vector<HostAnswer>& answers) const {
    std::vector<SurveyedHost> surveyed;
    for (std::size_t i = 0; i < answers.size(); ++i) surveyed.push_back({asked_[i], answers[i], 0, i >= hosts_.size()});
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
    const std::string program = program_.empty() ? "" : program_[0];
    Situation situation =
        survey(probe, surveyed, {request_, exports_, environment_, program, is_worker(), mpirun_.version});
    probe.dismiss();
    return situation;
  }

  bool is_worker() const { return !program_.empty() && std::filesystem::path(program_[0]).filename() == "worker"; }

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

  int start(HostProbe& probe, const std::vector<SurveyedHost>& surveyed, Job& job) {
    const Situation situation = look(probe, surveyed);
    if (request_.preflight) {
      const Findings findings = find_faults(situation);
      say(findings);
      if (has_errors(findings)) return kHostOrNetwork;
    }
    const NetworkSettings settings = network_settings(situation);
    job.plan = make_plan(request_, job, exports_, settings, environment_);
    const EngineRequest engine = engine_request(job, settings);
    const EngineCommand command = openmpi_command(engine, environment_);
    const std::string line = shell_line(command);
    report_decisions(engine, job, settings, line);
    if (request_.dry_run) {
      print_dry_run(streams_.out, job, line);
      return printed(streams_.out);
    }
    Environment environment = environment_;
    for (const std::string& name : command.unset) environment.erase(name);
    for (const auto& [name, value] : command.set) environment.insert_or_assign(name, value);
    return run_job(job_command(job, {command.argv, std::move(environment)}));
  }

  JobCommand job_command(const Job& job, EngineStart engine) const {
    JobCommand command;
    command.ringrun = ringrun_;
    command.engine = mpirun_.major >= 5 ? EngineKind::openmpi5 : EngineKind::openmpi4;
    command.keep_banners = request_.verbose;
    command.ends_at_failure = ends_at_failure(request_, engine.environment);
    command.start = std::move(engine);
    command.end_on_hang = request_.end_on_hang.value_or(is_worker());
    command.hang_timeout = std::chrono::seconds(request_.hang_timeout);
    command.start_timeout = std::chrono::seconds(request_.start_timeout);
    for (const JobHost& host : job.hosts) {
      StartedHost started{host.host.name, {}, host.ranks, host.answer.local};
      if (!host.answer.address.empty()) started.addresses.push_back(host.answer.address);
      for (const Interface& interface : host.answer.facts.interfaces) {
        for (const auto& address : interface.ipv4) started.addresses.push_back(address.ip);
      }
      command.hosts.push_back(std::move(started));
    }
    command.run_id = job.plan.rendezvous.run_id;
    return command;
  }

  void say(const Findings& findings) const {
    Findings shown;
    std::copy_if(findings.begin(), findings.end(), std::back_inserter(shown),
                 [&](const Finding& finding) { return request_.verbose || finding.severity != Severity::note; });
    print(streams_.err, shown, "ringrun: ");
  }

  EngineRequest engine_request(const Job& job, const NetworkSettings& settings) const {
    EngineRequest engine;
    engine.ringrun = ringrun_;
    engine.mpirun = mpirun_;
    bool remote = false;
    for (std::size_t i = 0; i < job.hosts.size(); ++i) {
      engine.hosts.push_back(job.hosts[i].host);
      engine.ranks.push_back(job.hosts[i].ranks);
      engine.staged.push_back(job.hosts[i].answer.staged);
      if (job.hosts[i].answer.local) engine.own_host = static_cast<int>(i);
      remote = remote || !job.hosts[i].answer.local;
    }
    if (remote) engine.shell = shell_;
    engine.no_ssh = !remote && !find_on_path(environment_, "ssh") && !find_on_path(environment_, "rsh");
    engine.binds = job.binds;
    engine.oversubscribed = job.oversubscribed;
    engine.oversubscribe = request_.oversubscribe;
    engine.allow_run_as_root = request_.allow_run_as_root;
    engine.bind_to = request_.bind_to;
    engine.working_directory = request_.working_directory;
    engine.prefix = request_.prefix;
    engine.parameters = settings.parameters;
    engine.parameters.insert(engine.parameters.end(), request_.parameters.begin(), request_.parameters.end());
    engine.exports = exports_;
    engine.plan = to_json(job.plan);
    engine.program = program_;
    return engine;
  }

  void report_decisions(const EngineRequest& engine, const Job& job, const NetworkSettings& settings,
                        const std::string& line) const {
    std::ostream& err = streams_.err;
    for (const std::string& warning : engine.exports.warnings) err << "ringrun: warning: " << warning << "\n";
    for (const std::string& warning : job.warnings) err << "ringrun: warning: " << warning << "\n";
    if (!request_.verbose || request_.dry_run) return;
    err << "ringrun: Open MPI " << engine.mpirun.version << ", " << engine.mpirun.path << "\n";
    for (const std::string& chosen : settings.lines) err << "ringrun: " << chosen << "\n";
    for (const auto& [name, value] : engine.exports.forwarded)
      err << "ringrun: forwards " << name << "=" << value << "\n";
    err << "ringrun: MASTER_ADDR=" << job.plan.rendezvous.address << " MASTER_PORT=" << job.plan.rendezvous.port
        << "\n";
    err << "ringrun: " << line << "\n";
  }

  const LaunchRequest& request_;
  const Streams& streams_;
  Environment environment_ = read_environment();
  std::string ringrun_ = own_executable();
  std::string cwd_ = current_folder();
  HostList hosts_;
  /// Those of the job, and this host behind them where it is none of them.
  HostList asked_;
  Exports exports_;
  std::vector<std::string> program_;
  Mpirun mpirun_;
  std::vector<std::string> shell_;
  bool remote_ = false;
  /// Of --doctor.
  Findings troubles_;
};

}  // namespace

int launch(const LaunchRequest& request, const Streams& streams) { return Launch(request, streams).run(); }

}  // namespace ringrun
