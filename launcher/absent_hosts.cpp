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
  facts.gpu_note = "the file " + file + " shows them";
  return facts;
}

std::vector<HostAnswer> absent_answers(const HostList& hosts, const HostFacts& facts, const Environment& exports) {
  const auto asked = find_variable(exports, kVisibleDevices);
  std::vector<HostAnswer> answers(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    answers[i].facts = facts;
    answers[i].facts.gpus = visible_gpus(facts.gpus, visible_devices_of(hosts[i], asked));
  }
  assume_ready(hosts, answers);
  return answers;
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
