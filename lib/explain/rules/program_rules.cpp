#include <algorithm>
#include <map>
#include <string>

#include "lib/explain/host_queries.hpp"
#include "lib/explain/program_needs.hpp"
#include "lib/explain/rules/rows.hpp"
#include "lib/host/program_facts.hpp"

namespace ringrun {
namespace {

std::vector<std::string> names_of_programs(const Situation& situation) {
  std::vector<std::string> names{situation.program};
  names.insert(names.end(), situation.more_programs.begin(), situation.more_programs.end());
  return names;
}

void find_missing_ringrun(const Situation& situation, Findings& out) {
  for (const HostView& host : situation.hosts) {
    if (host.fault != AgentFault::no_program && host.fault != AgentFault::other_version) continue;
    const bool none = host.fault == AgentFault::no_program;
    out.push_back({"L7",
                   Severity::error,
                   {host.name},
                   (none ? "ringrun is not there and could not be copied"
                         : "ringrun there is not this one, and could not be "
                           "replaced") +
                       (host.agent_words.empty() ? "" : ": " + host.agent_words),
                   "ringrun on each host asks, checks and starts for this one.",
                   "scp" + (host.port ? " -P " + std::to_string(*host.port) : "") + " $(command -v ringrun) " +
                       host.name + ":ringrun   # then put it on the PATH there, or make ~/.cache writable",
                   ""});
  }
}

void find_differing_program(const Situation& situation, std::size_t program, const std::string& name, Findings& out) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const HostView* host : rank_hosts(situation)) {
    const std::string hash = program_facts(host->facts, program).hash;
    if (!hash.empty()) groups[hash].push_back(host->name);
  }
  if (groups.size() < 2) return;
  std::vector<std::string> parts;
  std::vector<std::string> hosts;
  for (const auto& [hash, names] : groups) {
    parts.push_back(join(names) + ": " + hash.substr(0, 12));
    hosts.insert(hosts.end(), names.begin(), names.end());
  }
  out.push_back({"L7", Severity::warning, hosts, name + " differs: " + join(parts, "; "),
                 "Builds for different distributions differ and work; an old build beside a new one does not.",
                 "ringrun --preload-binary …   # each host runs a copy of this host's\n# or for good:\nscp " + name +
                     " HOST:" + name,
                 ""});
}

void find_copied_programs(const Situation& situation, Findings& out) {
  for (const HostView& host : situation.hosts) {
    for (const CopyView& copy : host.copies) {
      if (!copy.fault.empty() || !copy.was_missing) continue;
      out.push_back({"L7",
                     Severity::note,
                     {host.name},
                     copy.name + " is not there",
                     "Every host of the job needs the program.",
                     "ringrun …   # a launch copies it by itself; or build it there",
                     "its ranks there run a copy, which a launch puts into ~/.cache/ringrun"});
    }
  }
}

}  // namespace

void find_missing_libraries(const Situation& situation, Findings& out) {
  const std::vector<std::string> names = names_of_programs(situation);
  for (const HostView* host : rank_hosts(situation)) {
    for (std::size_t program = 0; program < names.size(); ++program) {
      const std::vector<std::string> missing = program_facts(host->facts, program).missing_libraries;
      if (missing.empty()) continue;
      out.push_back(
          {"L3",
           Severity::error,
           {host->name},
           names[program] + " needs " + join(missing) + ", which the loader does not find",
           "The program would not start there.",
           "ringrun -x LD_LIBRARY_PATH=FOLDER …   # the folder that has it on that host\n# or find the package "
           "that brings it:\napt-file search " +
               missing.front() +
               "\n# or copy this host's, which is no use for MPI's own:\nringrun --preload-libraries …",
           ""});
    }
  }
}

void find_differing_programs(const Situation& situation, Findings& out) {
  find_missing_ringrun(situation, out);
  const std::vector<std::string> names = names_of_programs(situation);
  for (std::size_t program = 0; program < names.size(); ++program)
    find_differing_program(situation, program, names[program], out);
  find_copied_programs(situation, out);
}

void find_unmet_needs(const Situation& situation, Findings& out) {
  const auto add = [&](const HostView& host, const std::string& name, const std::string& need) {
    const bool machine = need.find("is built for") == 0;
    out.push_back({"L9",
                   Severity::error,
                   {host.name},
                   name + " " + need,
                   machine ? "Another kind of processor does not run it."
                           : "The program was built on a newer distribution than this host's.",
                   machine ? "# build it on that host" : kBuildThere,
                   ""});
  };
  const std::vector<std::string> names = names_of_programs(situation);
  for (const HostView* host : rank_hosts(situation)) {
    for (std::size_t program = 0; program < names.size(); ++program) {
      const std::string need = unmet_need(program_facts(host->facts, program), host->facts);
      if (!need.empty()) add(*host, names[program], need);
    }
    for (const CopyView& copy : host->copies) {
      if (copy.fault == "L9") add(*host, copy.name, copy.problem);
    }
  }
}

void find_failed_copies(const Situation& situation, Findings& out) {
  for (const HostView& host : situation.hosts) {
    for (const CopyView& copy : host.copies) {
      if (copy.fault != "L11") continue;
      out.push_back({"L11",
                     Severity::error,
                     {host.name},
                     copy.name + " cannot be copied there: " + copy.problem,
                     "The job's ranks on this host would not find it.",
                     copy.fix,
                     ""});
    }
  }
}

}  // namespace ringrun
