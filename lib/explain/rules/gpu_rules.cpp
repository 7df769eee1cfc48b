#include <algorithm>
#include <map>
#include <string>

#include "lib/explain/host_queries.hpp"
#include "lib/explain/rules/rows.hpp"

namespace ringrun {
namespace {

Severity if_nccl(const Situation& situation, Severity severity) {
  return uses_nccl(situation) ? if_nccl_breaks(situation, severity) : Severity::note;
}

std::string name_of(const Gpu& gpu) { return "GPU " + std::to_string(gpu.index) + " (" + gpu.name + ")"; }

bool has_active_card(const HostView& host) {
  const auto& cards = host.facts.fabric.infiniband;
  return std::any_of(cards.begin(), cards.end(), [](const InfinibandDevice& card) { return card.active; });
}

/// By these NCCL tells whether two ranks are on one machine.
std::string nccl_host_of(const HostView& host) {
  const auto said = rank_variable(host, "NCCL_HOSTID");
  return said ? *said : host.facts.hostname + " " + host.facts.system.boot_id;
}

void find_shared_gpus(const Situation& situation, Findings& out) {
  if (!uses_nccl(situation) || situation.shares_gpus) return;
  std::map<std::string, std::vector<const HostView*>> owners;
  for (const HostView* host : rank_hosts(situation)) {
    for (const Gpu& gpu : host->facts.gpus) {
      if (!gpu.uuid.empty()) owners[gpu.uuid].push_back(host);
    }
  }
  for (const auto& [uuid, hosts] : owners) {
    if (hosts.size() < 2) continue;
    std::vector<std::string> names;
    for (const HostView* host : hosts) names.push_back(host->name);
    const std::string first = nccl_host_of(*hosts.front());
    const bool one_machine =
        std::any_of(hosts.begin() + 1, hosts.end(), [&](const HostView* host) { return nccl_host_of(*host) == first; });
    out.push_back({"G1", if_nccl_breaks(situation, one_machine ? Severity::error : Severity::warning), names,
                   uuid + " is a GPU of each of them",
                   one_machine ? "NCCL ends where two ranks use one GPU; these hosts are containers of one machine, or "
                                 "one host twice."
                               : "NCCL takes these hosts for two machines, so it runs, but they take turns on one GPU.",
                   "# give each of them GPUs of its own, in the hostfile:\n" + names[0] + "  #: gpus=0\n" + names[1] +
                       "  #: gpus=1\n# or containers:\ndocker run --gpus '\"device=0\"' …",
                   ""});
  }
}

void find_too_few_gpus(const Situation& situation, Findings& out) {
  if (!uses_nccl(situation) || situation.shares_gpus) return;
  for (const HostView* host : rank_hosts(situation)) {
    const std::size_t gpus = host->facts.gpus.size();
    if (gpus == 0 || static_cast<std::size_t>(std::max(host->ranks, 0)) <= gpus) continue;
    out.push_back({"G2",
                   if_nccl_breaks(situation),
                   {host->name},
                   std::to_string(host->ranks) + " ranks, " + std::to_string(gpus) + (gpus == 1 ? " GPU" : " GPUs"),
                   "NCCL needs a GPU of its own for each rank.",
                   "# in the hostfile:\n" + host->name + " slots=" + std::to_string(gpus),
                   ""});
  }
}

void find_compute_modes(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    for (const Gpu& gpu : host->facts.gpus) {
      if (gpu.compute_mode.empty() || gpu.compute_mode == "default") continue;
      const bool prohibited = gpu.compute_mode == "prohibited";
      out.push_back({"G3",
                     prohibited ? if_nccl(situation, Severity::error) : Severity::note,
                     {host->name},
                     name_of(gpu) + " is in compute mode " + gpu.compute_mode,
                     prohibited ? "No program may use it." : "One process alone may use it: a second one fails.",
                     "sudo nvidia-smi -i " + std::to_string(gpu.index) + " -c DEFAULT",
                     ""});
    }
  }
}

void find_mig(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    for (const Gpu& gpu : host->facts.gpus) {
      if (!gpu.mig) continue;
      out.push_back({"G4",
                     if_nccl(situation, Severity::warning),
                     {host->name},
                     name_of(gpu) + " is in MIG mode",
                     "NCCL is slow or fails between slices of GPUs.",
                     "sudo nvidia-smi -i " + std::to_string(gpu.index) + " -mig 0",
                     ""});
    }
  }
}

void find_driver_mismatch(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    const std::string& error = host->facts.software.nvml_error;
    // "Unknown Error" is C8's.
    if (error.empty() || contains_word(error, "Unknown Error")) continue;
    const bool mismatch = contains_word(error, "version mismatch");
    // With GPUs that are seen the driver answers, and the one that does not may be unused.
    out.push_back({"G6",
                   if_nccl(situation, host->facts.gpus.empty() ? Severity::error : Severity::warning),
                   {host->name},
                   "NVML: " + error,
                   mismatch ? "The driver was upgraded while the old one is still loaded."
                            : "The driver does not answer, so no program can use the GPUs.",
                   mismatch ? "sudo reboot" : "nvidia-smi; sudo dmesg | grep -i nvrm | tail",
                   ""});
  }
}

void find_roce_without_gid(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    const auto disabled = nccl_setting(*host, "NCCL_IB_DISABLE");
    if (disabled && disabled->value == "1") continue;
    for (const InfinibandDevice& card : host->facts.fabric.infiniband) {
      if (!card.active || !card.ethernet || card.routable_gid) continue;
      out.push_back({"G7",
                     if_nccl(situation, Severity::warning),
                     {host->name},
                     card.name + " (RoCE) has no GID of type RoCE v2",
                     "Its packets cannot be routed, and NCCL ends with completion error 12.",
                     "cat /sys/class/infiniband/" + card.name +
                         "/ports/1/gid_attrs/types/*   # then:\nringrun -x NCCL_IB_GID_INDEX=N …   # or without RoCE: "
                         "-x NCCL_IB_DISABLE=1",
                     ""});
    }
  }
}

void find_one_sided_peermem(const Situation& situation, Findings& out) {
  if (!uses_nccl(situation)) return;
  std::vector<std::string> with;
  std::vector<std::string> without;
  for (const HostView* host : rank_hosts(situation)) {
    if (host->facts.gpus.empty() || !has_active_card(*host)) continue;
    (host->facts.fabric.peermem ? with : without).push_back(host->name);
  }
  if (without.empty()) return;
  out.push_back({"G8", with.empty() ? Severity::note : Severity::warning, without,
                 "nvidia_peermem is not loaded" + (with.empty() ? "" : "; on " + join(with) + " it is"),
                 "The card then may not read the GPU's memory itself, and data goes through host memory.",
                 "sudo modprobe nvidia_peermem", ""});
}

}  // namespace

std::vector<CatalogueRow> gpu_rows() {
  const std::string group = "GPU, fabric";
  return {
      {"G1", group, "`Duplicate GPU detected`, `Multiple Ranks are using the same GPU`", "several ranks use one GPU",
       "the UUIDs of all hosts' GPUs are compared", "the local rank is the device; GPUs of its own for each container",
       "", Coverage::detected, find_shared_gpus},
      {"G2", group, "`invalid device ordinal`", "more ranks than GPUs", "they are counted", "`slots=` GPUs", "NT#132",
       Coverage::detected, find_too_few_gpus},
      {"G3", group, "`CUDA-capable device(s) is/are busy or unavailable`", "the GPU's compute mode is not default",
       "NVML's compute mode", "`nvidia-smi -c DEFAULT`", "NT#369", Coverage::detected, find_compute_modes},
      {"G4", group, "slow or failing with MIG", "the GPU is cut into slices", "NVML's MIG mode", "`nvidia-smi -mig 0`",
       "N#1716", Coverage::detected, find_mig},
      {"G5",
       group,
       "a hang with the GPU at 100 %",
       "PCI access control (ACS) or the IOMMU redirects what GPUs send each "
       "other",
       "not read: it needs root and the cards",
       "`-x NCCL_P2P_DISABLE=1`, or ACS off in the BIOS",
       "N#2079, N#631",
       Coverage::documented,
       {}},
      {"G6", group, "NVML: `Driver/library version mismatch`", "NVIDIA's driver does not answer", "NVML's own words",
       "reboot", "", Coverage::detected, find_driver_mismatch},
      {"G7", group, "InfiniBand: `completion with error 12`", "RoCE without a routable address (GID)",
       "the cards' GID types", "`-x NCCL_IB_GID_INDEX=N`", "N#426, N#769", Coverage::untested, find_roce_without_gid},
      {"G8", group, "GPUDirect on one host only", "nvidia_peermem is not loaded", "/proc/modules",
       "`modprobe nvidia_peermem`", "N#897", Coverage::untested, find_one_sided_peermem},
  };
}

}  // namespace ringrun
