#include "launcher/launcher.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "launcher/cli/parse.hpp"
#include "launcher/dry_run.hpp"
#include "launcher/engine/openmpi.hpp"
#include "launcher/engine/rsh.hpp"
#include "launcher/hosts/hostfile.hpp"
#include "launcher/hosts/named_hosts.hpp"
#include "launcher/job/job.hpp"
#include "launcher/job/program.hpp"
#include "launcher/launch_errors.hpp"
#include "launcher/probe/agent.hpp"
#include "launcher/probe/probe.hpp"
#include "launcher/probe/remote_shell.hpp"
#include "launcher/run/exec_entry.hpp"
#include "launcher/run/job_process.hpp"
#include "launcher/run/rank_wrapper.hpp"
#include "lib/version.hpp"

namespace ringrun {
namespace {

/// What the stages read of the process they run in.
struct Surroundings {
  Environment environment;
  std::string ringrun;
  std::string cwd;
};

/// What runs where no program is named: every size from 8 bytes to the worker's own largest.
std::vector<std::string> sweep(const std::string& ringrun) { return {find_worker(ringrun), "-b", "8", "-f", "2"}; }

HostList read_hosts(const LaunchRequest& request) {
  std::optional<HostList> hostfile;
  if (request.hostfile) hostfile = read_hostfile(*request.hostfile);
  return choose_hosts(hostfile, request.host_lists);
}

std::vector<std::string> shell_for(const LaunchRequest& request, const std::vector<HostAnswer>& resolved,
                                   const Surroundings& here) {
  if (std::all_of(resolved.begin(), resolved.end(), [](const HostAnswer& answer) { return answer.local; })) return {};
  return remote_shell_words(
      request.parameters, [&](const std::string& name) { return find_variable(here.environment, name); },
      [&](const std::string& name) { return find_on_path(here.environment, name); }, request.start_timeout);
}

EngineRequest engine_request(const LaunchRequest& request, const Job& job, const Exports& exports,
                             const std::vector<std::string>& shell, const std::vector<std::string>& program,
                             const Surroundings& here) {
  EngineRequest engine;
  engine.ringrun = here.ringrun;
  engine.mpirun = find_mpirun(request.prefix, here.environment, here.ringrun);
  bool remote = false;
  for (std::size_t i = 0; i < job.hosts.size(); ++i) {
    engine.hosts.push_back(job.hosts[i].host);
    engine.ranks.push_back(job.hosts[i].ranks);
    if (job.hosts[i].answer.local) engine.own_host = static_cast<int>(i);
    remote = remote || !job.hosts[i].answer.local;
  }
  if (remote) engine.shell = shell;
  engine.no_ssh = !remote && !find_on_path(here.environment, "ssh") && !find_on_path(here.environment, "rsh");
  engine.binds = job.binds;
  engine.oversubscribed = job.oversubscribed;
  engine.oversubscribe = request.oversubscribe;
  engine.allow_run_as_root = request.allow_run_as_root;
  engine.bind_to = request.bind_to;
  engine.working_directory = request.working_directory;
  engine.prefix = request.prefix;
  engine.parameters = request.parameters;
  engine.exports = exports;
  engine.plan = to_json(job.plan);
  engine.program = program;
  return engine;
}

void report_decisions(std::ostream& err, const LaunchRequest& request, const EngineRequest& engine, const Job& job,
                      const Environment& environment, const std::string& line) {
  for (const std::string& warning : engine.exports.warnings) err << "ringrun: warning: " << warning << "\n";
  for (const std::string& warning : job.warnings) err << "ringrun: warning: " << warning << "\n";
  if (!engine.shell.empty() && find_variable(environment, "OMPI_MCA_plm") == "isolated") {
    err << "ringrun: warning: OMPI_MCA_plm=isolated is set here and keeps mpirun from other hosts: it is ignored\n";
  }
  if (!request.verbose || request.dry_run) return;
  err << "ringrun: Open MPI " << engine.mpirun.version << ", " << engine.mpirun.path << "\n";
  for (const auto& [name, value] : engine.exports.forwarded)
    err << "ringrun: forwards " << name << "=" << value << "\n";
  err << "ringrun: MASTER_ADDR=" << job.plan.rendezvous.address << " MASTER_PORT=" << job.plan.rendezvous.port << "\n";
  err << "ringrun: " << line << "\n";
}

void check_root(const LaunchRequest& request, const Environment& environment) {
  if (request.dry_run || may_run_as_root(request.allow_run_as_root, environment)) return;
  throw UserError(
      "this is root, and Open MPI does not start jobs as root unless told to",
      "add --allow-run-as-root (in a container that is usual), or set OMPI_ALLOW_RUN_AS_ROOT=1 and "
      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 (Open MPI 5: PRTE_ALLOW_RUN_AS_ROOT, PRTE_ALLOW_RUN_AS_ROOT_CONFIRM)");
}

Surroundings read_surroundings() {
  std::error_code error;
  Surroundings here{read_environment(), own_executable(), std::filesystem::current_path(error).string()};
  if (error)
    throw UserError("the current folder cannot be read: " + error.message(), "change into a folder that exists");
  // mpirun looks for its own parts on PATH.
  here.environment.emplace("PATH", kDefaultPath);
  return here;
}

void check_words(const LaunchRequest& request) {
  // mpirun would take it for the beginning of a second program.
  if (std::find(request.program.begin(), request.program.end(), ":") != request.program.end()) {
    throw UserError(
        "':' among the arguments: several programs in one job are not supported",
        "start one job for each program; where the program wants an argument ':', put its call into a script");
  }
  if (request.working_directory && request.working_directory->empty()) {
    throw UserError("-wdir '' names no folder", "write -wdir FOLDER, or leave it off");
  }
}

/// Help that goes to a full disk is no help.
int printed(std::ostream& out) {
  if (out.flush()) return 0;
  throw SystemError("write to standard output", std::strerror(errno), errno);
}

bool ends_at_failure(const LaunchRequest& request, const Environment& environment) {
  const std::string parameter = "orte_abort_on_non_zero_status";
  return !find_variable(environment, "OMPI_MCA_" + parameter) &&
         std::none_of(request.parameters.begin(), request.parameters.end(),
                      [&](const auto& given) { return given.first == parameter; });
}

int launch(const LaunchRequest& request, const Streams& streams) {
  const Surroundings here = read_surroundings();
  check_root(request, here.environment);
  check_words(request);
  const HostList hosts = read_hosts(request);
  const Exports exports = resolve_exports(request.exports, here.environment);
  std::vector<std::string> program = request.program.empty() ? sweep(here.ringrun) : request.program;
  program[0] = resolve_program(program[0], here.cwd, here.environment);

  const std::vector<HostAnswer> resolved = resolve_hosts(hosts);
  const std::vector<std::string> shell = shell_for(request, resolved, here);
  const HostQuestion question{program[0], request.working_directory.value_or(here.cwd),
                              find_variable(exports.asked, "CUDA_VISIBLE_DEVICES")};
  const std::vector<HostAnswer> answers =
      probe_hosts(hosts, resolved, {here.ringrun, shell, question, request.start_timeout});

  const Job job = make_job(request, hosts, answers, exports, here.environment, program[0]);
  const EngineRequest engine = engine_request(request, job, exports, shell, program, here);
  const EngineCommand command = openmpi_command(engine, here.environment);
  const std::string line = shell_line(command);
  report_decisions(streams.err, request, engine, job, here.environment, line);
  if (request.dry_run) {
    print_dry_run(streams.out, job, line);
    return printed(streams.out);
  }
  Environment environment = here.environment;
  for (const std::string& name : command.unset) environment.erase(name);
  for (const auto& [name, value] : command.set) environment.insert_or_assign(name, value);
  return run_job({here.ringrun, command.argv, environment, request.verbose, ends_at_failure(request, environment)});
}

int start(const std::vector<std::string>& args, const Streams& streams) {
  const std::string entry = args.empty() ? "" : args[0];
  if (entry.rfind("__", 0) == 0) {
    const std::vector<std::string> words(args.begin() + 1, args.end());
    if (entry == "__agent") return run_agent(streams.in, streams.out);
    if (entry == "__rank") return run_rank(words);
    if (entry == "__rsh") return run_rsh(words, read_environment());
    if (entry == "__exec") return run_exec(words);
  }
  const LaunchRequest request = parse_command_line(args);
  if (request.help) {
    print_help(streams.out);
    return printed(streams.out);
  }
  if (request.version) {
    streams.out << "ringrun " << kVersion << "\n";
    return printed(streams.out);
  }
  return launch(request, streams);
}

int explain(std::ostream& err, const UserError& error, int exit_code) {
  err << "ringrun: " << error.what() << "\n";
  if (!error.remedy().empty()) err << "  " << error.remedy() << "\n";
  return exit_code;
}

}  // namespace

int run(const std::vector<std::string>& args, const Streams& streams) {
  constexpr int kBadRequest = 2;
  constexpr int kHostOrNetwork = 3;
  try {
    return start(args, streams);
  } catch (const ProgramError& error) {
    return explain(streams.err, error, error.exit_code());
  } catch (const HostError& error) {
    return explain(streams.err, error, kHostOrNetwork);
  } catch (const UserError& error) {
    return explain(streams.err, error, kBadRequest);
  } catch (const std::exception& error) {
    streams.err << "ringrun: " << error.what() << "\n";
    return kHostOrNetwork;
  }
}

}  // namespace ringrun
