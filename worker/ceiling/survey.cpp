#include "worker/ceiling/survey.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lib/host/fabric_facts.hpp"
#include "lib/text/words.hpp"
#include "worker/ceiling/demand.hpp"

namespace ringrun::worker {
namespace {

/// Large enough to go the way of large messages, and small enough for a slow network.
constexpr std::int64_t kMostBytes = 16 << 20;
/// Beside this, what else a card carries in the meantime does not count.
constexpr double kBytesToSee = 4 << 20;
constexpr int kMostIterations = 1000;

class Survey {
 public:
  Survey(const SurveyQuestion& question, const SweepPlan& plan, Collective& collective, Team& team, Watch& watch)
      : question_(question), plan_(plan), collective_(collective), team_(team), watch_(watch) {
    std::map<int, int> number;  // of each host, by its leader
    for (std::size_t process = 0; process < question.leaders.size(); ++process) {
      const auto [host, is_new] = number.try_emplace(question.leaders[process], static_cast<int>(host_names_.size()));
      if (is_new) host_names_.push_back(question.hosts[process]);
      for (int i = 0; i < question.ranks_of_process; ++i) {
        path_.group_ranks[question.groups[process]].push_back(static_cast<int>(host_of_rank_.size()));
        host_of_rank_.push_back(host->second);
      }
    }
    const auto own = static_cast<std::size_t>(team.process());
    host_ = static_cast<std::size_t>(number.at(question.leaders[own]));
    leads_ = question.leaders[own] == team.process();
  }

  Path run() {
    if (host_names_.size() > 1) {
      survey_hosts();
    } else if (host_of_rank_.size() == 1) {
      path_.remarks.push_back("Expected: no ceiling, since one rank sends nothing");
    } else if (!question_.nccl) {
      path_.remarks.push_back("Expected: no ceiling, since all ranks share one host's memory and no link joins them");
    } else {
      survey_gpus();
    }
    return std::move(path_);
  }

 private:
  Operation operation() const {
    Operation like{plan_.kind, plan_.types.front(), plan_.ops.front(), plan_.roots.front(), false, collective_.ranks(),
                   {}};
    for (DataType type : plan_.types) {
      for (ReduceOp op : plan_.ops) {
        if (plan_.leaves_out(type, op)) continue;
        like.type = type;
        like.op = op;
        return operation_of(like, std::min(plan_.sizes.back(), kMostBytes));
      }
    }
    return operation_of(like, std::min(plan_.sizes.back(), kMostBytes));
  }

  /// What must pass each host's ports, by all groups.
  std::vector<double> least_bytes(const Operation& operation) const {
    std::vector<double> bytes(host_names_.size(), 0);
    for (const auto& [group, ranks] : path_.group_ranks) {
      std::vector<int> hosts;
      for (int rank : ranks) hosts.push_back(host_of_rank_[static_cast<std::size_t>(rank)]);
      Operation of_group = operation;
      of_group.ranks = static_cast<int>(ranks.size());
      of_group = operation_of(of_group, static_cast<std::int64_t>(operation.bytes()));
      const auto demand = demand_of(of_group, hosts, static_cast<int>(host_names_.size()), Movement::kInNetwork);
      for (std::size_t host = 0; host < bytes.size(); ++host) bytes[host] += demand.of_node[host];
    }
    return bytes;
  }

  void do_times(const Operation& operation, int iterations) {
    {
      const auto phase = watch_.enter("barrier of the survey", deadline_for(plan_, operation, 1, 0));
      team_.barrier();
    }
    RunPlan run;
    run.iterations = iterations;
    const auto phase =
        watch_.enter("survey by the " + text_of(operation), deadline_for(plan_, operation, iterations, 0));
    collective_.run(operation, run);
  }

  void survey_hosts() {
    const Operation once = operation();
    const std::vector<double> least = least_bytes(once);
    const double most = *std::max_element(least.begin(), least.end());
    if (most <= 0) {
      path_.remarks.push_back("Expected: no ceiling, since every group of ranks stays on one host");
      return;
    }
    const int iterations = static_cast<int>(std::clamp(std::ceil(kBytesToSee / most), 1.0, double{kMostIterations}));
    do_times(once, 1);  // the first one makes the connections
    const PortCounters before = leads_ ? read_port_counters() : PortCounters();
    do_times(once, iterations);
    const auto phase = watch_.enter("exchange of the hosts' ports", deadline_for(plan_, once, 1, 0));
    team_.barrier();
    std::string own;
    if (leads_) {
      own = to_text(HostPorts{host_names_[host_], ports_in_use(before, read_port_counters(), least[host_] * iterations,
                                                               read_interfaces(), read_fabric_facts())});
    }
    std::vector<HostPorts> hosts;
    for (const std::string& text : team_.gather_from_all(own)) {
      if (!text.empty()) hosts.push_back(host_ports_from(text));
    }
    add_hosts(path_, hosts, host_of_rank_, plan_.kind);
  }

  void survey_gpus() {
    do_times(operation(), 1);
    const auto phase = watch_.enter("exchange of the GPUs' links", deadline_for(plan_, operation(), 1, 0));
    std::vector<RankGpu> gpus;
    for (const std::string& text : team_.gather_from_all(to_text(question_.own_gpus))) {
      for (RankGpu& gpu : rank_gpus_from(text)) gpus.push_back(std::move(gpu));
    }
    std::set<std::string> transports;
    for (const std::string& text : team_.gather_from_all(join_text(collective_.transports(), " "))) {
      for (const std::string& transport : split_text(text, ' ')) {
        if (!transport.empty()) transports.insert(transport);
      }
    }
    add_gpus(path_, gpus, {transports.begin(), transports.end()}, plan_.kind);
  }

  const SurveyQuestion& question_;
  const SweepPlan& plan_;
  Collective& collective_;
  Team& team_;
  Watch& watch_;
  Path path_;
  std::vector<std::string> host_names_;
  std::vector<int> host_of_rank_;
  std::size_t host_ = 0;  ///< this process's
  bool leads_ = false;
};

}  // namespace

Path survey_path(const SurveyQuestion& question, const SweepPlan& plan, Collective& collective, Team& team,
                 Watch& watch) {
  return Survey(question, plan, collective, team, watch).run();
}

}  // namespace ringrun::worker
