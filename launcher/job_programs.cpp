#include "launcher/job_programs.hpp"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "launcher/default_hostfile.hpp"
#include "launcher/job/gpu_slots.hpp"
#include "launcher/job/program.hpp"
#include "launcher/job_hosts.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

void add_hosts(HostList& all, const HostList& hosts) {
  std::unordered_set<std::string> known;
  for (const Host& host : all) known.insert(host.name);
  for (const Host& host : hosts) {
    if (known.insert(host.name).second) all.push_back(host);
  }
}

/// Open MPI's list of variables to export, "A=1;B", which it does not take beside -x: as words of -x.
std::vector<std::string> listed_exports(const LaunchContext& context) {
  const std::string name = "mca_base_env_list";
  std::optional<std::string> list = find_variable(context.environment, "OMPI_MCA_" + name);
  std::string delimiter = find_variable(context.environment, "OMPI_MCA_" + name + "_delimiter").value_or(";");
  for (const auto& [parameter, value] : context.request.parameters) {
    if (parameter == name) list = value;
    if (parameter == name + "_delimiter") delimiter = value;
  }
  std::vector<std::string> words;
  for (const std::string& word : split_text(list.value_or(""), delimiter.empty() ? ';' : delimiter[0])) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

std::vector<ProgramRequest> program_requests(const LaunchRequest& request) {
  std::vector<ProgramRequest> requests{request};
  requests.insert(requests.end(), request.more.begin(), request.more.end());
  return requests;
}

}  // namespace

void read_programs(LaunchContext& context) {
  std::vector<ProgramRequest> requests = program_requests(context.request);
  const bool all_named =
      std::all_of(requests.begin(), requests.end(), [](const auto& request) { return request.names_hosts(); });
  const std::optional<std::string> default_hostfile = all_named ? std::nullopt : find_default_hostfile(context);
  const std::vector<std::string> listed = listed_exports(context);
  if (context.environment.erase("OMPI_MCA_mca_base_env_list") > 0)
    context.dropped.push_back("OMPI_MCA_mca_base_env_list");
  for (ProgramRequest& request : requests) {
    request.exports.insert(request.exports.begin(), listed.begin(), listed.end());
    JobProgram& program = context.programs.emplace_back();
    program.ranks = request.ranks;
    program.argv = request.program;
    program.preload = request.preload;
    if (request.working_directory)
      program.working_directory = (std::filesystem::path(context.cwd) / *request.working_directory).string();
    Exports exports = resolve_exports(request.exports, context.environment);
    program.exports = exports.asked;
    if (context.programs.size() == 1) {
      context.exports = std::move(exports);
    } else {
      context.exports.warnings.insert(context.exports.warnings.end(), exports.warnings.begin(), exports.warnings.end());
    }
    // Whoever names no hosts has the whole job's.
    if (requests.size() > 1 && !request.names_hosts()) continue;
    ProgramHosts hosts = program_hosts(request, default_hostfile, context.allocation);
    add_hosts(context.hosts, hosts.hosts);
    program.hosts = std::move(hosts.hosts);
    program.sequence = std::move(hosts.sequence);
  }
  if (!context.hosts.empty()) return;
  context.hosts = program_hosts({}, default_hostfile, context.allocation).hosts;
}

void find_programs(LaunchContext& context) {
  const std::vector<ProgramRequest> requests = program_requests(context.request);
  for (std::size_t i = 0; i < context.programs.size(); ++i) {
    JobProgram& program = context.programs[i];
    // Every size from 8 bytes to the worker's own largest.
    if (program.argv.empty()) program.argv = {find_worker(context.ringrun), "-b", "8", "-f", "2"};
    program.argv[0] = resolve_program(
        program.argv[0], {program.working_directory.value_or(context.cwd), requests[i].path}, context.environment);
  }
  // The sweep wants to be told too.
  if (!context.is_worker()) return;
  std::vector<std::string>& words = context.programs[0].argv;
  const auto tell = [&](const char* option) {
    if (std::find(words.begin(), words.end(), option) == words.end()) words.emplace_back(option);
  };
  if (context.request.share_gpu) tell(kShareGpu);
  if (context.request.engine_options.reports_bindings() && !context.request.masquerade) tell("--report-bindings");
}

}  // namespace ringrun
