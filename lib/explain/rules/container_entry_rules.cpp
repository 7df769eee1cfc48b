#include <fmt/format.h>

#include <string>

#include "lib/explain/container_entry.hpp"
#include "lib/explain/host_queries.hpp"
#include "lib/explain/rules/rows.hpp"

namespace ringrun {

void find_closed_containers(const Situation& situation, Findings& out) {
  for (const HostView& host : situation.hosts) {
    const EntryRefusal* refusal = find_entry_refusal(host.agent_words);
    if (host.fault != AgentFault::no_container || refusal == nullptr) continue;
    std::string evidence = host.agent_words;
    if (!host.origin.empty()) evidence += "\n(via=docker:" + host.container + " in " + host.origin + ")";
    std::string fix =
        "# on " + host.name + ":\n" + fmt::format(fmt::runtime(refusal->fix), fmt::arg("container", host.container));
    if (!host.try_by_hand.empty()) fix += "\n# to see it yourself, here:\n" + host.try_by_hand;
    out.push_back({"C11", Severity::error, {host.name}, evidence, std::string(refusal->why), fix, ""});
  }
}

}  // namespace ringrun
