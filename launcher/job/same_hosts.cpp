#include <unordered_map>

#include "launcher/job/job.hpp"
#include "lib/error.hpp"

namespace ringrun {

std::vector<int> merge_same_hosts(HostList& hosts, std::vector<HostAnswer>& answers, bool names_are_slots) {
  std::unordered_map<std::string, std::size_t> first_with;
  std::vector<int> places;
  HostList merged;
  std::vector<HostAnswer> merged_answers;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto [entry, first] = first_with.try_emplace(answers[i].facts.identity, merged.size());
    places.push_back(static_cast<int>(entry->second));
    if (first) {
      merged.push_back(std::move(hosts[i]));
      merged_answers.push_back(std::move(answers[i]));
      continue;
    }
    Host& host = merged[entry->second];
    if (hosts[i].attributes != host.attributes) {
      throw UserError(host.name + " (" + host.origin + ") and " + hosts[i].name + " (" + hosts[i].origin +
                          ") are the same host with different attributes behind #:",
                      "name the host once");
    }
    // As for mpirun, to which a name that comes again is one slot more.
    const bool counts = names_are_slots || answers[i].facts.gpus.empty();
    const int unsaid = counts ? 1 : 0;
    if (counts || host.slots || hosts[i].slots)
      host.slots = host.slots.value_or(unsaid) + hosts[i].slots.value_or(unsaid);
  }
  hosts = std::move(merged);
  answers = std::move(merged_answers);
  return places;
}

}  // namespace ringrun
