#include "worker/network/network_choice_over_mpi.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <thread>

#include "lib/host/configuration_facts.hpp"
#include "lib/host/host_name.hpp"
#include "lib/net/probe_endpoint.hpp"
#include "lib/net/probe_json.hpp"
#include "worker/network/launcher_connection.hpp"
#include "worker/network/mpi_interfaces.hpp"

namespace ringrun::worker {
namespace {

using std::chrono::milliseconds;

/// A lost SYN is sent again after 1 s, and answered before this.
constexpr milliseconds kDeadline{1200};
constexpr milliseconds kStep{2};
/// Enough for a firewall that lets only some ports through to show.
constexpr int kPortsEach = 3;

/// One choice, seen from one process. Every member function is collective.
class Choice {
 public:
  Choice(MpiTeam& team, Watch& watch, const NetworkQuestion& question)
      : team_(team), watch_(watch), question_(question) {
    for (int leader : question.leaders) ++ranks_[leader];
    const int own = question.leaders.at(static_cast<std::size_t>(team.process()));
    host_ = static_cast<int>(std::distance(ranks_.begin(), ranks_.find(own)));
    leads_ = own == team.process();
  }

  NetworkOutcome run() {
    NetworkOutcome outcome;
    if (ranks_.size() < 2) return outcome;
    gather_hosts();
    NetworkChoice choice = try_candidates(likely());
    if (!choice.complete() && likely() != all()) choice = try_candidates(all());
    if (needs_explanation(hosts_, matrix_, choice)) {
      gather_all_facts();
      outcome.findings = network_faults(hosts_, matrix_, choice);
    }
    outcome.remarks = describe(hosts_, choice);
    const auto own = static_cast<std::size_t>(host_);
    if (own_setting(hosts_[own].facts.configuration).empty()) {
      outcome.socket_ifname = worker::socket_ifname(choice.hosts.at(own));
    }
    return outcome;
  }

 private:
  using Candidates = std::vector<std::vector<Interface>>;

  /// The leaders' texts in the order of the hosts; `own` is read on leaders alone.
  std::vector<std::string> gather_from_leaders(const std::function<std::string()>& own) {
    const std::vector<std::string> texts = team_.gather(leads_ ? own() : std::string());
    std::vector<std::string> leaders;
    for (const auto& [leader, ranks] : ranks_) leaders.push_back(texts.at(static_cast<std::size_t>(leader)));
    return leaders;
  }

  void gather_hosts() {
    const auto phase = watch_.enter("exchange of the hosts' interfaces", question_.timeout);
    JobHost own;
    const auto texts = gather_from_leaders([&] {
      own = question_.read_quick();
      return to_json(own.facts);
    });
    const auto addresses = gather_from_leaders([&] { return own.named_address; });
    auto ranks = ranks_.begin();
    for (std::size_t i = 0; i < texts.size(); ++i, ++ranks) {
      hosts_.push_back({host_facts_from_json(texts[i]), addresses[i], ranks->second});
    }
  }

  void gather_all_facts() {
    const auto phase = watch_.enter("exchange of all that the hosts know of themselves", question_.timeout);
    const auto texts = gather_from_leaders([&] {
      HostFacts facts = question_.read_all();
      forget_own_exclusion(facts.configuration);
      return to_json(facts);
    });
    for (std::size_t i = 0; i < texts.size(); ++i) hosts_[i].facts = host_facts_from_json(texts[i]);
  }

  Candidates likely() const {
    Candidates candidates;
    for (const JobHost& host : hosts_) candidates.push_back(likely_interfaces(host));
    return candidates;
  }

  Candidates all() const {
    Candidates candidates;
    for (const JobHost& host : hosts_) candidates.push_back(host.facts.interfaces);
    return candidates;
  }

  NetworkChoice try_candidates(const Candidates& candidates) {
    const auto phase = watch_.enter("test of the ways between the hosts", question_.timeout);
    std::string nonce = team_.broadcast(team_.process() == 0 ? make_nonce() : std::string());
    std::optional<ProbeEndpoint> endpoint;
    const auto texts = gather_from_leaders([&] {
      endpoint.emplace(nonce, host_);
      const auto addresses = candidate_addresses(candidates.at(static_cast<std::size_t>(host_)));
      return to_json(endpoint->listen(addresses, kPortsEach, std::nullopt));
    });
    if (endpoint) begin(*endpoint, texts, nonce);
    serve_until_all_are_done(endpoint);
    matrix_.clear();
    for (const std::string& text : gather_from_leaders([&] { return to_json(endpoint->links()); })) {
      for (Link& link : links_from_json(text)) matrix_.push_back(std::move(link));
    }
    std::vector<NetworkHost> hosts;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      hosts.push_back({candidates[i], hosts_[i].named_address, {}, {}});
    }
    return choose_network(hosts, matrix_);
  }

  void begin(ProbeEndpoint& endpoint, const std::vector<std::string>& texts, const std::string& nonce) const {
    // Every process must choose alike, and the nonce is what they share.
    const auto seed = static_cast<unsigned>(std::stoul(nonce.substr(0, 8), nullptr, 16));
    const auto partners = choose_partners(static_cast<int>(texts.size()), seed);
    std::vector<ProbeTarget> targets;
    for (int partner : partners.at(static_cast<std::size_t>(host_))) {
      for (const auto& at : listening_addresses_from_json(texts.at(static_cast<std::size_t>(partner)))) {
        targets.push_back({partner, at});
      }
    }
    endpoint.connect(targets, kDeadline);
  }

  /// The others' probes are answered until the last of them has ended.
  void serve_until_all_are_done(std::optional<ProbeEndpoint>& endpoint) {
    bool entered = false;
    for (;;) {
      if (endpoint) endpoint->step(kStep);
      if (!entered && (!endpoint || endpoint->finished())) {
        team_.start_barrier();
        entered = true;
      }
      if (entered && team_.barrier_passed()) return;
      if (!endpoint) std::this_thread::sleep_for(kStep);
    }
  }

  MpiTeam& team_;
  Watch& watch_;
  const NetworkQuestion& question_;
  std::map<int, int> ranks_;  ///< of each host, by its leader
  int host_ = 0;              ///< this process's, its place among the hosts
  bool leads_ = false;
  std::vector<JobHost> hosts_;
  ReachMatrix matrix_;
};

}  // namespace

NetworkOutcome choose_over_mpi(MpiTeam& team, Watch& watch, const NetworkQuestion& question) {
  return Choice(team, watch, question).run();
}

JobHost read_own_host() {
  JobHost host;
  host.facts.hostname = host_name();
  host.facts.interfaces = read_interfaces();
  host.facts.configuration = read_configuration_facts(process_environment(), host_name());
  forget_own_exclusion(host.facts.configuration);
  for (const std::string& address : addresses_towards_launcher()) {
    if (!host.named_address.empty() || find_address(host.facts.interfaces, address) == nullptr) continue;
    if (address.find(':') == std::string::npos) host.named_address = address;
  }
  return host;
}

}  // namespace ringrun::worker
