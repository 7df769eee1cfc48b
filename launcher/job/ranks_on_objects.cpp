#include "launcher/job/ranks_on_objects.hpp"

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "lib/text/words.hpp"

namespace ringrun {

namespace {

int ranks_on(const Machine& machine, const std::vector<std::string>& words) {
  const int each = std::atoi(words[1].c_str());
  if (words[2] == "core") return each * core_count(machine);
  if (words[2] == "hwthread") return each * cpu_count(machine);
  std::set<int> objects;
  for (const NumaNode& node : machine.numa_nodes) {
    if (!node.cores.empty()) objects.insert(words[2] == "package" ? node.package : node.index);
  }
  const bool known = (words[2] == "package" || words[2] == "numa") && objects.count(-1) == 0;
  return known ? each * static_cast<int>(objects.size()) : 0;
}

}  // namespace

std::vector<int> ranks_on_objects(const JobRequest& request) {
  std::vector<int> ranks(request.hosts.size(), 0);
  const Mapping& mapping = request.mapping.mapping;
  const std::vector<std::string> words = split_text(mapping.by, ':');
  if (words.size() != 3 || words[0] != "ppr" || mapping.cpus_per_rank || mapping.cpu_set) return ranks;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const HostFacts& facts = request.answers[i].facts;
    const bool masked = facts.cpuset_cpus > 0 && facts.cpuset_cpus != cpu_count(facts.machine);
    if (!masked) ranks[i] = ranks_on(facts.machine, words);
  }
  return ranks;
}

}  // namespace ringrun
