#include "launcher/absent_hosts.hpp"

#include <algorithm>
#include <filesystem>

#include "launcher/hosts/visible_devices.hpp"
#include "lib/error.hpp"
#include "lib/topology/hwloc_reader.hpp"

namespace ringrun {

void assume_ready(const HostList& hosts, std::vector<HostAnswer>& answers) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    answers[i].facts.identity = answers[i].address = hosts[i].name;
    answers[i].facts.program.state = ProgramState::executable;
    answers[i].facts.cwd_exists = true;
  }
}

HostFacts absent_machine(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    throw UserError("--topology " + file + ": " + (error ? error.message() : "that is no file"),
                    "write one on the machine that is meant: lstopo --of xml > node.xml");
  }
  HostFacts facts;
  facts.machine = read_machine_xml(file);
  facts.gpus = gpus_of(facts.machine);
  facts.gpu_note = "the file " + file + (facts.gpus.empty() ? " shows no NVIDIA GPU" : " shows them");
  return facts;
}

std::vector<HostAnswer> absent_answers(const HostList& hosts, const HostFacts& facts,
                                       const std::vector<JobProgram>& programs) {
  std::vector<HostAnswer> answers(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    std::vector<std::optional<std::string>> devices;
    for (const JobProgram& program : programs)
      devices.push_back(visible_devices_of(hosts[i], find_variable(program.exports, kVisibleDevices)));
    answers[i].facts = facts;
    take_visible_gpus(facts.gpus, devices, answers[i].facts);
    if (answers[i].facts.gpu_note.empty() || hosts[i].attributes.gpus) answers[i].facts.gpu_note = facts.gpu_note;
  }
  assume_ready(hosts, answers);
  return answers;
}

std::vector<std::string> check_interfaces(const LaunchContext& context, const Machine& machine) {
  std::vector<std::string> warnings;
  const auto check = [&](const std::string& said, const std::string& interface) {
    const bool shown = std::any_of(machine.cards.begin(), machine.cards.end(),
                                   [&](const NetworkCard& card) { return !card.hca && card.name == interface; });
    if (!shown)
      warnings.push_back(said + ": the file shows no such card (bonds, bridges and VLANs are in no topology)");
  };
  for (const auto& [name, interface] : context.request.nics) {
    const std::string said = "--nic " + name + "=" + interface;
    const bool known = std::any_of(context.hosts.begin(), context.hosts.end(),
                                   [&, host = name](const Host& other) { return other.name == host; });
    if (!known) throw UserError(said + ": the job has no host " + name, "write it as the hostfile does");
    check(said, interface);
  }
  for (const Host& host : context.hosts) {
    if (host.attributes.nic) check(host.origin + ": 'nic=" + *host.attributes.nic + "'", *host.attributes.nic);
  }
  return warnings;
}

void name_hosts_after_machine(LaunchContext& context, const std::string& file) {
  const LaunchRequest& request = context.request;
  const bool named = request.names_hosts() || request.default_hostfile ||
                     std::any_of(request.more.begin(), request.more.end(),
                                 [](const ProgramRequest& program) { return program.names_hosts(); });
  if (named) return;
  const std::string name = std::filesystem::path(file).stem().string();
  for (Host& host : context.hosts) host.name = name;
  for (JobProgram& program : context.programs) {
    for (Host& host : program.hosts) host.name = name;
    std::fill(program.sequence.begin(), program.sequence.end(), name);
  }
}

}  // namespace ringrun
