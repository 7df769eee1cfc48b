#include "lib/placement/job_plan.hpp"

#include <algorithm>
#include <stdexcept>

#include "lib/placement/class_map.hpp"

namespace ringrun {

JobPlan make_job_plan(const std::vector<HostClass>& hosts, Rendezvous rendezvous) {
  JobPlan plan;
  plan.hosts = static_cast<int>(hosts.size());
  plan.rendezvous = std::move(rendezvous);
  std::vector<int> class_of_host;
  std::vector<int> members;
  const auto is_less = [](const HostClass* a, const HostClass* b) { return *a < *b; };
  std::map<const HostClass*, int, decltype(is_less)> known(is_less);
  for (const HostClass& host : hosts) {
    const auto [found, added] = known.try_emplace(&host, static_cast<int>(members.size()));
    if (added) {
      plan.classes.push_back(host);
      members.push_back(0);
    }
    ++members[static_cast<std::size_t>(found->second)];
    class_of_host.push_back(found->second);
  }
  if (hosts.empty()) return plan;
  // The largest class is the default, so that the ranges are few.
  const auto largest = static_cast<int>(std::max_element(members.begin(), members.end()) - members.begin());
  std::swap(plan.classes[0], plan.classes[static_cast<std::size_t>(largest)]);
  for (int host = 0; host < plan.hosts; ++host) {
    int of = class_of_host[static_cast<std::size_t>(host)];
    of = of == largest ? 0 : of == 0 ? largest : of;
    add_host(plan.exceptions, host, of);
  }
  return plan;
}

const HostClass& class_of(const JobPlan& plan, int host) {
  if (host < 0 || host >= plan.hosts) throw std::out_of_range("host " + std::to_string(host) + " is not in the plan");
  for (const HostRange& range : plan.exceptions) {
    if (host >= range.first && host <= range.last) return plan.classes.at(static_cast<std::size_t>(range.of));
  }
  return plan.classes.at(0);
}

const PlanProgram* program_of(const JobPlan& plan, int rank) {
  const auto found = std::find_if(plan.programs.begin(), plan.programs.end(),
                                  [&](const PlanProgram& program) { return rank <= program.last_rank; });
  return found == plan.programs.end() ? nullptr : &*found;
}

std::map<std::string, std::string> rank_environment(const JobPlan& plan, const RankIdentity& identity) {
  const std::string rank = std::to_string(identity.rank);
  const std::string size = std::to_string(identity.size);
  const std::string host = std::to_string(identity.host);
  std::map<std::string, std::string> environment = {{"RANK", rank},
                                                    {"WORLD_SIZE", size},
                                                    {"LOCAL_RANK", std::to_string(identity.local_rank)},
                                                    {"LOCAL_WORLD_SIZE", std::to_string(identity.local_size)},
                                                    {"GROUP_RANK", host},
                                                    {"NODE_RANK", host},
                                                    {"GROUP_WORLD_SIZE", std::to_string(plan.hosts)},
                                                    {"ROLE_RANK", rank},
                                                    {"ROLE_NAME", "default"},
                                                    {"ROLE_WORLD_SIZE", size},
                                                    {"MASTER_ADDR", plan.rendezvous.address},
                                                    {"MASTER_PORT", std::to_string(plan.rendezvous.port)},
                                                    {"TORCHELASTIC_RUN_ID", plan.rendezvous.run_id},
                                                    {"TORCHELASTIC_RESTART_COUNT", std::to_string(plan.restart)},
                                                    {"TORCHELASTIC_MAX_RESTARTS", std::to_string(plan.max_restarts)}};
  for (const auto& [name, value] : class_of(plan, identity.host).environment) environment.insert_or_assign(name, value);
  return environment;
}

}  // namespace ringrun
