#include "launcher/host_questions.hpp"

#include <algorithm>
#include <filesystem>

#include "launcher/preflight/port_shares.hpp"
#include "launcher/probe/remote_shell.hpp"
#include "lib/host/host_name.hpp"
#include "lib/host/system_facts.hpp"

namespace ringrun {

namespace {

bool may_ask_docker(const Environment& environment) {
  std::error_code none;
  return find_variable(environment, "DOCKER_HOST") || std::filesystem::exists("/var/run/docker.sock", none);
}

/// Where the docker host is this one, its container is not this host, unless ringrun runs in it.
void leave_for_containers(AskedHosts& asked, const Environment& environment) {
  for (std::size_t i = 0; i < asked.hosts.size(); ++i) {
    std::optional<HostContainer>& container = asked.hosts[i].attributes.container;
    if (!container || !asked.resolved[i].local) continue;
    if (!may_ask_docker(environment) && !read_system_facts().container_marks.empty()) {
      container.reset();
    } else {
      container->here = true;
      asked.resolved[i].local = false;
    }
  }
}

}  // namespace

AskedHosts asked_hosts(const HostList& job_hosts, const Environment& environment, bool by_name_server) {
  const auto is_local = [](const HostAnswer& answer) { return answer.local; };
  AskedHosts asked{job_hosts, resolve_hosts(job_hosts, by_name_server)};
  leave_for_containers(asked, environment);
  asked.any_remote = !std::all_of(asked.resolved.begin(), asked.resolved.end(), is_local);
  if (std::none_of(asked.resolved.begin(), asked.resolved.end(), is_local)) {
    Host self;
    self.name = host_name();
    self.origin = "this host";
    asked.hosts.push_back(self);
    asked.resolved.push_back({});
    asked.resolved.back().local = true;
    asked.resolved.back().agent = job_hosts.size();
  }
  return asked;
}

Said said(const LaunchContext& context) { return {context.exports, context.request.master_port, context.environment}; }

ProbeRequest host_questions(const LaunchContext& context) {
  const LaunchRequest& launch = context.request;
  ProbeRequest request;
  request.shell_name = remote_shell_name(
      launch.parameters, [&](const std::string& name) { return find_variable(context.environment, name); });
  if (context.through_slurm()) request.shell_name = "srun";
  request.ringrun = context.ringrun;
  request.shell = context.shell;
  request.master_port = said_master_port(context.hosts[0], said(context));
  request.timeout = launch.start_timeout;
  request.question.prefix = launch.prefix.value_or("");
  if (const std::string program = context.program(); program.rfind('/', 0) == 0) request.question.program = program;
  request.question.cwd = context.programs[0].working_directory.value_or(context.cwd);
  for (std::size_t i = 1; i < context.programs.size(); ++i) {
    const JobProgram& program = context.programs[i];
    const std::string path = program.argv.empty() ? "" : program.argv[0];
    request.question.more_programs.push_back({path, program.working_directory.value_or(context.cwd), program.exports});
  }
  request.question.visible_devices = find_variable(context.exports.asked, kVisibleDevices);
  request.question.environment = context.exports.asked;
  if (launch.ports) {
    const PortRange rendezvous = share_ports(*launch.ports).rendezvous;
    request.question.first_port = rendezvous.first;
    request.question.last_port = rendezvous.last;
  }
  request.question.thorough = launch.doctor;
  return request;
}

}  // namespace ringrun
