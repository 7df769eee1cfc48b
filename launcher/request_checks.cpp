#include "launcher/request_checks.hpp"

#include <algorithm>

#include "launcher/engine/openmpi.hpp"
#include "lib/error.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {

void check_root(const LaunchRequest& request, const Environment& environment) {
  if (request.dry_run || request.doctor || may_run_as_root(request.allow_run_as_root, environment)) return;
  throw UserError(
      "this is root, and Open MPI does not start jobs as root unless told to",
      "add --allow-run-as-root (in a container that is usual), or set OMPI_ALLOW_RUN_AS_ROOT=1 and "
      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 (Open MPI 5: PRTE_ALLOW_RUN_AS_ROOT, PRTE_ALLOW_RUN_AS_ROOT_CONFIRM)");
}

void check_words(const LaunchRequest& request) {
  if (request.working_directory && request.working_directory->empty()) {
    throw UserError("-wdir '' names no folder", "write -wdir FOLDER, or leave it off");
  }
  if (request.doctor && !request.preflight) {
    throw UserError("--doctor with --no-preflight would check nothing of the network", "leave one of them");
  }
  if (request.yes && !request.setup_ssh)
    throw UserError("--yes belongs to --setup-ssh", "add --setup-ssh, or leave it off");
  if (request.setup_ssh && (request.dry_run || request.doctor))
    throw UserError("--setup-ssh starts nothing and looks at logins alone", "leave --dry-run and --doctor off");
  if (request.offline && !request.dry_run) {
    throw UserError("--offline belongs to --dry-run: a job cannot start without asking its hosts",
                    "add --dry-run, or leave it off");
  }
  if (request.topology && (!request.dry_run || request.doctor)) {
    throw UserError("--topology belongs to --dry-run: it is a machine that is not here",
                    "add --dry-run, or leave it off");
  }
  if (request.doctor && !request.more.empty())
    throw UserError("--doctor looks at one program", "leave the programs behind ':' off");
  if (request.json && !request.doctor && !request.dry_run) {
    throw UserError("--json belongs to --dry-run and --doctor", "add one of them, or leave it off");
  }
}

void check_names(const HostList& hosts) {
  for (const Host& host : hosts) {
    if (host.name.find(':') == std::string::npos) continue;
    throw UserError(
        host.origin + ": '" + host.name + "' is an IPv6 address, and mpirun takes its colons for something else",
        "give the host a name in /etc/hosts or ~/.ssh/config, or write its IPv4 address");
  }
}

void check_visible_devices(const HostList& hosts, const std::vector<JobProgram>& programs) {
  for (const JobProgram& program : programs) {
    const auto asked = find_variable(program.exports, kVisibleDevices);
    for (const Host& host : hosts) {
      if (!asked || !host.attributes.gpus) continue;
      throw UserError(host.origin + ": 'gpus=" + format_cpu_list(*host.attributes.gpus) + "' of '" + host.name +
                          "' and -x CUDA_VISIBLE_DEVICES=" + *asked + " both say which GPUs there are",
                      "leave one of them; gpus= sets the variable on its host");
    }
  }
}

void check_containers(const HostList& hosts, bool by_slurm) {
  for (const Host& host : hosts) {
    if (!by_slurm || !host.attributes.container) continue;
    throw UserError(host.origin + ": 'via=docker:" + host.attributes.container->name + "' of '" + host.name +
                        "' has no meaning in a Slurm allocation: Slurm starts what runs on its nodes",
                    "leave via= off, and start ringrun inside of Slurm's own container support");
  }
}

void check_not_own_engine(const Environment& environment) {
  if (environment.count(kLauncherVariable) == 0) return;
  throw UserError(kOwnEngine, "put the folder of Open MPI's mpirun on PATH, or name it with --prefix DIR");
}

bool ends_at_failure(const LaunchRequest& request, const Environment& environment) {
  const std::string parameter = "orte_abort_on_non_zero_status";
  const auto& passed = request.engine_options.passed;
  const auto& runtime = request.engine_options.runtime;
  const auto goes_on = [](const std::string& name) {
    return name == "--enable-recovery" || name == "--continuous" || name == "recoverable" || name == "continuous";
  };
  return !find_variable(environment, "OMPI_MCA_" + parameter) &&
         std::none_of(request.parameters.begin(), request.parameters.end(),
                      [&](const auto& given) { return given.first == parameter; }) &&
         std::none_of(passed.begin(), passed.end(), [&](const auto& option) { return goes_on(option.name); }) &&
         std::none_of(runtime.begin(), runtime.end(), goes_on);
}

}  // namespace ringrun
