#include "worker/backend/backend_choice.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "worker/backend/backend_limits.hpp"
#include "worker/exit_code.hpp"

namespace ringrun::worker {
namespace {

using nlohmann::json;

std::string quantity(std::size_t number, const std::string& noun, const char* plural_ending = "s") {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : plural_ending);
}

/// Each host once, with the reason of its first process that has no usable GPU.
std::string hosts_without_gpu(const std::vector<ProcessFacts>& facts) {
  std::string text;
  std::set<std::string> named;
  for (const auto& process : facts) {
    if (!process.devices.empty() || !named.insert(process.host).second) continue;
    text += (text.empty() ? "" : "; ") + process.host + ": " + process.why_no_gpu;
  }
  return text;
}

bool has_usable_gpu(const ProcessFacts& process) { return !process.devices.empty(); }

const char* const kGpuRemedy =
    "install NVIDIA's driver and libnccl2 on those hosts (in a container: start it with --gpus all), leave them out of "
    "the job, or measure host memory with --backend mpi";

bool decide_on_nccl(BackendChoice choice, const std::vector<ProcessFacts>& facts, BackendDecision& decision) {
  const auto with_gpu = std::count_if(facts.begin(), facts.end(), has_usable_gpu);
  const bool all = with_gpu == static_cast<std::ptrdiff_t>(facts.size());
  if (choice == BackendChoice::kMpi) {
    decision.remarks.push_back("Backend: MPI on host memory (--backend mpi)");
    return false;
  }
  if (all) {
    decision.remarks.push_back(choice == BackendChoice::kNccl ? "Backend: NCCL (--backend nccl)"
                                                              : "Backend: NCCL (every process has a GPU)");
    return true;
  }
  const std::string without = hosts_without_gpu(facts);
  if (choice == BackendChoice::kNccl) throw Unsupported("--backend nccl, but no usable GPU on " + without, kGpuRemedy);
  if (with_gpu > 0) throw Unsupported("some hosts have a usable GPU and some have none; " + without, kGpuRemedy);
  // A card that cannot be used is a fault to be told, not a reason to measure something else.
  for (const auto& process : facts) {
    if (process.host_has_gpu) throw Unsupported("there is a GPU, but it cannot be used on " + without, kGpuRemedy);
  }
  decision.remarks.push_back("Backend: MPI on host memory, since no host has a usable GPU (" + without + ")");
  return false;
}

std::vector<int> assign_devices(const Options& options, const std::vector<ProcessFacts>& facts, std::size_t process) {
  const ProcessFacts& here = facts[process];
  const int visible = static_cast<int>(here.devices.size());
  // Slurm and others show each process its own card alone: then that is the one, whatever the local rank.
  const int wanted = options.ranks_of_process();
  const bool own_view = visible == wanted;
  int first = here.first_device >= 0 ? here.first_device : own_view ? 0 : here.local_rank * wanted;
  if (options.share_gpu) first %= visible;
  if (!options.share_gpu && first + wanted > visible && here.first_device >= 0) {
    throw Unsupported("NCCL_TESTS_DEVICE=" + std::to_string(first) + ": " + here.host + " has " +
                          quantity(here.devices.size(), "usable GPU") + ", numbered from 0",
                      "name another one, or leave the choice to the local rank");
  }
  if (!options.share_gpu && first + wanted > visible) {
    throw Unsupported(here.host + " has " + quantity(here.devices.size(), "usable GPU") + ", too few for " +
                          quantity(static_cast<std::size_t>(here.local_size), "process", "es") + " with " +
                          quantity(static_cast<std::size_t>(wanted), "GPU") + " each",
                      "start fewer ranks on it (slots= in the hostfile), or allow several on one GPU: --share-gpu");
  }
  std::vector<int> devices;
  for (int i = 0; i < wanted; ++i) devices.push_back((first + i) % visible);
  return devices;
}

/// Two ranks on one card: what NCCL would notice only after its start-up, or not at all. Hosts of other names that
/// share a card (containers, virtual hosts) are two machines to NCCL, which joins them by sockets.
void check_duplicates(const Options& options, const std::vector<ProcessFacts>& facts, BackendDecision& decision) {
  std::map<std::string, std::string> taken;          // card → the first rank on it
  std::map<std::string, std::string> taken_on_host;  // the same, of one host's ranks
  for (std::size_t process = 0; process < facts.size(); ++process) {
    for (std::size_t i = 0; i < decision.devices[process].size(); ++i) {
      const GpuDevice& gpu = facts[process].devices.at(static_cast<std::size_t>(decision.devices[process][i]));
      const std::string rank = "rank " +
                               std::to_string(process * static_cast<std::size_t>(options.ranks_of_process()) + i) +
                               " on " + facts[process].host;
      const auto [on_host, first_on_host] = taken_on_host.emplace(gpu.uuid + " " + facts[process].host, rank);
      const auto [anywhere, first_anywhere] = taken.emplace(gpu.uuid, rank);
      if (first_on_host && !first_anywhere && !options.share_gpu) {
        decision.remarks.push_back("Shared GPU: " + anywhere->second + " and " + rank + " take turns on " + gpu.uuid +
                                   ": these figures are of the socket path on one GPU");
      }
      if (options.share_gpu) {
        decision.shared_gpu = decision.shared_gpu || !first_anywhere;
        continue;
      }
      if (first_on_host) continue;
      throw Unsupported(
          on_host->second + " and " + rank + " are on the same GPU, " + gpu.uuid + " (" + gpu.bus_id + ")",
          "start one rank per GPU: slots= in the hostfile, -np; or allow it with --share-gpu, to measure the "
          "socket path");
    }
  }
}

void check_versions(const std::vector<ProcessFacts>& facts) {
  const auto other = std::find_if(facts.begin(), facts.end(), [&](const ProcessFacts& process) {
    return process.nccl_version != facts.front().nccl_version;
  });
  if (other == facts.end()) return;
  throw Unsupported("NCCL differs: " + std::to_string(facts.front().nccl_version) + " on " + facts.front().host + ", " +
                        std::to_string(other->nccl_version) + " on " + other->host,
                    "install the same libnccl2 on every host");
}

json binding_json(const RankBinding& binding) {
  json text = {{"cpus", binding.cpus}, {"memory", binding.memory.kind}, {"nodes", binding.memory.nodes}};
  if (!binding.planned) return text;
  const PlannedPlacement& planned = *binding.planned;
  text["planned"] = {planned.job, planned.gpu, planned.cpus, planned.memory, binding.planned_bus_id};
  return text;
}

RankBinding binding_from(const json& from) {
  RankBinding binding{from.at("cpus"), {from.at("memory"), from.at("nodes")}, {}, {}};
  if (!from.contains("planned")) return binding;
  const json& planned = from.at("planned");
  binding.planned = {planned.at(0), planned.at(1), planned.at(2), planned.at(3)};
  planned.at(4).get_to(binding.planned_bus_id);
  return binding;
}

}  // namespace

std::string to_text(const ProcessFacts& facts) {
  json devices = json::array();
  for (const auto& gpu : facts.devices) {
    devices.push_back({{"index", gpu.index}, {"uuid", gpu.uuid}, {"bus_id", gpu.bus_id}, {"name", gpu.name}});
  }
  json memory = json::array();
  for (const MemoryRoom& room : facts.memory)
    memory.push_back({room.cgroup, room.id, room.limit_bytes, room.unused_bytes});
  return json{{"host", facts.host},
              {"pid", facts.pid},
              {"cpus", facts.cpus},
              {"binding", binding_json(facts.binding)},
              {"placement", facts.placement},
              {"local_rank", facts.local_rank},
              {"local_size", facts.local_size},
              {"group", facts.group},
              {"first_device", facts.first_device},
              {"leader", facts.leader},
              {"avoided", facts.avoided},
              {"nccl_version", facts.nccl_version},
              {"host_has_gpu", facts.host_has_gpu},
              {"why_no_gpu", facts.why_no_gpu},
              {"devices", devices},
              {"memory", memory}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

ProcessFacts process_facts_from(const std::string& text) {
  const json from = json::parse(text);
  ProcessFacts facts;
  from.at("host").get_to(facts.host);
  from.at("pid").get_to(facts.pid);
  from.at("cpus").get_to(facts.cpus);
  facts.binding = binding_from(from.at("binding"));
  from.at("placement").get_to(facts.placement);
  from.at("local_rank").get_to(facts.local_rank);
  from.at("local_size").get_to(facts.local_size);
  from.at("group").get_to(facts.group);
  from.at("first_device").get_to(facts.first_device);
  from.at("leader").get_to(facts.leader);
  from.at("avoided").get_to(facts.avoided);
  from.at("nccl_version").get_to(facts.nccl_version);
  from.at("host_has_gpu").get_to(facts.host_has_gpu);
  from.at("why_no_gpu").get_to(facts.why_no_gpu);
  for (const json& gpu : from.at("devices")) {
    facts.devices.push_back({gpu.at("index"), gpu.at("uuid"), gpu.at("bus_id"), gpu.at("name")});
  }
  for (const json& room : from.at("memory")) facts.memory.push_back({room.at(0), room.at(1), room.at(2), room.at(3)});
  return facts;
}

BackendDecision choose_backend(const Options& options, const std::vector<ProcessFacts>& facts) {
  BackendDecision decision;
  decision.nccl = decide_on_nccl(options.backend, facts, decision);
  if (!decision.nccl) {
    if (const auto refused = refusal_by_mpi(options)) throw *refused;
    return decision;
  }
  check_versions(facts);
  if (const auto refused = refusal_by_nccl(options, facts.front().nccl_version)) throw *refused;
  for (std::size_t process = 0; process < facts.size(); ++process) {
    decision.devices.push_back(assign_devices(options, facts, process));
  }
  check_duplicates(options, facts, decision);
  if (decision.shared_gpu) {
    decision.remarks.push_back(
        "Several ranks share one GPU (--share-gpu): each is a host of its own to NCCL, so these figures are of the "
        "socket "
        "path on one shared GPU, not of NVLink or PCIe");
  }
  return decision;
}

}  // namespace ringrun::worker
