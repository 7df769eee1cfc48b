#include <algorithm>
#include <string>

#include "lib/explain/host_queries.hpp"
#include "lib/explain/rules/rows.hpp"

namespace ringrun {
namespace {

// Only the width: an idle card rests at a lower generation.
void find_narrow_links(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    for (const Gpu& gpu : host->facts.gpus) {
      if (gpu.pcie_width <= 0 || gpu.pcie_width >= gpu.pcie_width_max) continue;
      out.push_back({"P1",
                     Severity::note,
                     {host->name},
                     "GPU " + std::to_string(gpu.index) + " (" + gpu.bus_id + ") has " +
                         std::to_string(gpu.pcie_width) + " PCIe lanes of " + std::to_string(gpu.pcie_width_max),
                     "The bandwidth to it is lower by as much.",
                     "# seat the card anew, or put it into another slot; then\nsudo lspci -vv -s " + gpu.bus_id +
                         " | grep LnkSta",
                     ""});
    }
  }
}

void find_throttling(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    for (const Gpu& gpu : host->facts.gpus) {
      if (gpu.throttle.empty()) continue;
      out.push_back({"P2",
                     Severity::note,
                     {host->name},
                     "GPU " + std::to_string(gpu.index) + " is held down: " + join(gpu.throttle),
                     "One slow GPU slows all ranks.",
                     "nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER",
                     ""});
    }
  }
}

void find_unused_infiniband(const Situation& situation, Findings& out) {
  if (!uses_nccl(situation)) return;
  const std::vector<const HostView*> hosts = rank_hosts(situation);
  if (hosts.size() < 2) return;
  std::vector<std::string> avoiding;
  std::string said;
  for (const HostView* host : hosts) {
    const auto& cards = host->facts.fabric.infiniband;
    if (std::none_of(cards.begin(), cards.end(), [](const InfinibandDevice& card) { return card.active; })) return;
    const auto disabled = nccl_setting(*host, "NCCL_IB_DISABLE");
    const auto net = nccl_setting(*host, "NCCL_NET");
    if (disabled && disabled->value == "1") said = "NCCL_IB_DISABLE=1 (" + disabled->where + ")";
    if (net && lower_case(net->value) == "socket") said = "NCCL_NET=Socket (" + net->where + ")";
    if (!said.empty()) avoiding.push_back(host->name);
  }
  if (avoiding.empty()) return;
  out.push_back({"P3", Severity::note, avoiding, "every host has an active InfiniBand or RoCE card, and " + said,
                 "NCCL then uses sockets, which are slower.", "unset NCCL_IB_DISABLE NCCL_NET", ""});
}

}  // namespace

std::vector<CatalogueRow> slow_rows() {
  const std::string group = "Slow, not broken";
  return {
      {"P1", group, "low bandwidth", "the GPU's PCIe link has fewer lanes than it could", "NVML's link width",
       "reseat the card", "", Coverage::detected, find_narrow_links},
      {"P2", group, "one rank lags", "heat or power hold a GPU's clocks down", "NVML's reasons (`--doctor`)",
       "cool it, or raise its power limit", "", Coverage::detected, find_throttling},
      {"P3", group, "Ethernet instead of InfiniBand", "NCCL is told not to use InfiniBand",
       "active cards on all hosts, and NCCL_IB_DISABLE or NCCL_NET", "`unset NCCL_IB_DISABLE`; NCCL_IB_HCA", "",
       Coverage::untested, find_unused_infiniband},
      {"P4",
       group,
       "two ranks bound to one core each",
       "Open MPI's default",
       "not looked for: ringrun binds each rank to its GPU's NUMA node itself",
       "`--bind-to none`, or ringrun's own",
       "",
       Coverage::documented,
       {}},
  };
}

}  // namespace ringrun
