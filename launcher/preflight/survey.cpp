#include "launcher/preflight/survey.hpp"

#include <algorithm>
#include <set>

#include "lib/error.hpp"
#include "lib/net/network_choice.hpp"

namespace ringrun {
namespace {

HostView view_of(const HostProbe& probe, const SurveyedHost& host, const SurveyRequest& request) {
  HostView view;
  view.name = host.host.name;
  view.origin = host.host.origin;
  view.port = host.host.port;
  if (const auto& container = host.host.attributes.container) view.container = container->name;
  view.address = host.answer.address;
  view.local = host.answer.local;
  view.launches_only = host.launches_only;
  view.ranks = host.ranks;
  view.fault = host.answer.fault;
  view.agent_words = host.answer.words;
  if (!host.answer.local) view.try_by_hand = probe.try_by_hand(host.answer.agent);
  view.waited = host.answer.waited;
  view.facts = host.answer.facts;
  view.copies = host.answer.copies;
  view.environment = request.exports.forwarded;
  for (const auto& [name, value] : host.host.attributes.environment) view.environment.insert_or_assign(name, value);
  for (const auto& [name, value] : request.exports.asked) view.environment.insert_or_assign(name, value);
  return view;
}

bool is_named(const SurveyedHost& host, const std::string& name) {
  return name == host.host.name || name == host.answer.facts.hostname || name == host.answer.address;
}

/// A card that the user names must be one that the others can be asked to try.
void check_wanted_interface(const SurveyedHost& host, const std::string& wanted, const std::string& said) {
  std::string usable;
  for (const Interface& interface : host.answer.facts.interfaces) {
    if (!interface.up || interface.kind == InterfaceKind::loopback || interface.ipv4.empty()) continue;
    if (interface.name == wanted) return;
    usable += (usable.empty() ? "" : ", ") + interface.name + " " + interface.ipv4[0].ip;
  }
  throw UserError(said + ": " + host.host.name + " has no interface " + wanted + " that is up with an IPv4 address",
                  usable.empty() ? "it has none at all" : "it has " + usable);
}

void check_wanted_interfaces(const std::vector<SurveyedHost>& hosts, const LaunchRequest& launch) {
  for (const auto& [name, interface] : launch.nics) {
    const auto found = std::find_if(hosts.begin(), hosts.end(),
                                    [&, host = name](const SurveyedHost& other) { return is_named(other, host); });
    if (found == hosts.end())
      throw UserError("--nic " + name + "=" + interface + ": the job has no host " + name,
                      "write it as the hostfile does");
    if (found->answer.fault == AgentFault::none)
      check_wanted_interface(*found, interface, "--nic " + name + "=" + interface);
  }
  for (const SurveyedHost& host : hosts) {
    const auto& wanted = host.host.attributes.nic;
    if (wanted && host.answer.fault == AgentFault::none)
      check_wanted_interface(host, *wanted, host.host.origin + ": 'nic=" + *wanted + "'");
  }
}

std::string wanted_interface(const SurveyedHost& host, const LaunchRequest& launch) {
  for (const auto& [name, interface] : launch.nics) {
    if (is_named(host, name)) return interface;
  }
  return host.host.attributes.nic.value_or("");
}

NetworkHost network_host(const SurveyedHost& host, const LaunchRequest& launch) {
  NetworkHost result{host.answer.facts.interfaces, host.answer.address, wanted_interface(host, launch), {}};
  for (const Gpu& gpu : host.answer.facts.gpus) result.gpu_bus_ids.push_back(gpu.bus_id);
  return result;
}

/// Those that answered, each machine once, under the places that they have in `hosts`.
std::vector<std::size_t> those_that_answered(const std::vector<SurveyedHost>& hosts) {
  std::vector<std::size_t> places;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const HostAnswer& answer = hosts[i].answer;
    if (answer.fault == AgentFault::none && seen.insert(answer.facts.identity).second) places.push_back(i);
  }
  return places;
}

ReachMatrix try_network(HostProbe& probe, const std::vector<SurveyedHost>& hosts, const LaunchRequest& launch) {
  const std::vector<std::size_t> places = those_that_answered(hosts);
  if (places.size() < 2) return {};
  std::vector<Participant> participants;
  std::vector<std::size_t> everybodys;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const SurveyedHost& host = hosts[places[k]];
    participants.push_back({host.answer.agent, candidate_addresses(host.answer.facts.interfaces)});
    // Every rank meets on the first host, and every daemon calls the launching one.
    if (k == 0 || host.answer.local) everybodys.push_back(k);
  }
  ReachMatrix matrix = probe.try_network(participants, everybodys, launch.ports);
  for (Link& link : matrix) {
    link.from = static_cast<int>(places[static_cast<std::size_t>(link.from)]);
    link.to = static_cast<int>(places[static_cast<std::size_t>(link.to)]);
  }
  return matrix;
}

/// Open MPI can do with one direction where the other is refused at once: then a refusal says nothing against an
/// address.
bool is_excused(const ReachMatrix& matrix, const Link& link, Transport transport) {
  if (transport != Transport::mpi) return false;
  const auto good = [](const Link* other) { return is_good(*other); };
  const auto refused = [](const Link* other) {
    return outcome_of(*other) == Outcome::refused || outcome_of(*other) == Outcome::no_host;
  };
  const auto there = links_between(matrix, link.from, link.to);
  const auto back = links_between(matrix, link.to, link.from);
  return std::all_of(there.begin(), there.end(), refused) && std::any_of(back.begin(), back.end(), good);
}

/// The launching host needs an address that the others reach, but asks nothing of theirs: the remote shell may go a way
/// of its own.
NetworkChoice choose(const std::vector<SurveyedHost>& hosts, const ReachMatrix& matrix, const LaunchRequest& launch,
                     Transport transport) {
  std::vector<NetworkHost> network_hosts;
  for (const SurveyedHost& host : hosts) network_hosts.push_back(network_host(host, launch));
  ReachMatrix needed;
  std::copy_if(matrix.begin(), matrix.end(), std::back_inserter(needed), [&](const Link& link) {
    return !hosts[static_cast<std::size_t>(link.from)].launches_only && !is_excused(matrix, link, transport);
  });
  return choose_network(network_hosts, needed);
}

bool has_word(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

bool is_told_to_use_mpi(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--backend=mpi") return true;
    if (words[i] == "--backend" && i + 1 < words.size() && words[i + 1] == "mpi") return true;
  }
  return false;
}

Transport transport_of(const LaunchRequest& launch, const std::vector<SurveyedHost>& hosts, bool is_worker) {
  if (launch.transport) return *launch.transport;
  if (is_worker && is_told_to_use_mpi(launch.program)) return Transport::mpi;
  const auto is_asked = [](const SurveyedHost& host) {
    return host.answer.fault == AgentFault::none && !host.launches_only;
  };
  // With more ranks than GPUs a program other than the sweep is none that NCCL could serve.
  const bool gpus = std::all_of(hosts.begin(), hosts.end(), [&](const SurveyedHost& host) {
    const auto count = static_cast<int>(host.answer.facts.gpus.size());
    return !is_asked(host) || (count > 0 && (is_worker || host.ranks <= count));
  });
  return gpus && std::any_of(hosts.begin(), hosts.end(), is_asked) ? Transport::nccl : Transport::mpi;
}

Situation survey(HostProbe& probe, const std::vector<SurveyedHost>& hosts, const SurveyRequest& request) {
  check_wanted_interfaces(hosts, request.launch);
  Situation situation;
  for (const SurveyedHost& host : hosts) situation.hosts.push_back(view_of(probe, host, request));
  if (request.launch.preflight) situation.reach = try_network(probe, hosts, request.launch);
  situation.transport_guessed = !request.launch.transport;
  situation.transport = transport_of(request.launch, hosts, request.is_worker);
  situation.network = choose(hosts, situation.reach, request.launch, situation.transport);
  situation.is_worker = request.is_worker;
  situation.shares_gpus =
      request.launch.share_gpu || (request.is_worker && has_word(request.launch.program, "--share-gpu"));
  situation.program = request.program;
  situation.more_programs = request.more_programs;
  situation.ports = request.launch.ports;
  situation.launcher_environment = request.environment;
  situation.engine_version = request.engine_version;
  situation.parameters = request.launch.parameters;
  situation.allow_run_as_root = request.launch.allow_run_as_root || request.launch.dry_run;
  situation.built_for_cuda = RINGRUN_BUILT_FOR_CUDA;
  situation.needs_nccl = situation.built_for_cuda > 0 ? "2.19.3" : "";
  return situation;
}

}  // namespace ringrun
