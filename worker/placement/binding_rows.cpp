#include <algorithm>
#include <cstdlib>

#include "lib/gpu/gpu.hpp"
#include "lib/net/interface.hpp"
#include "lib/net/nccl_interface.hpp"
#include "lib/placement/near_cards.hpp"
#include "lib/placement/process_binding.hpp"
#include "lib/text/words.hpp"
#include "lib/topology/cpu_list.hpp"
#include "lib/topology/hwloc_reader.hpp"
#include "worker/placement/binding_report.hpp"

namespace ringrun::worker {
namespace {

std::optional<std::string> setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::vector<std::string> nccl_interface_names() {
  std::vector<std::string> names;
  const std::vector<Interface> interfaces = read_interfaces();
  for (const Interface* interface :
       nccl_interfaces(interfaces, setting("NCCL_SOCKET_IFNAME"), setting("NCCL_SOCKET_FAMILY").value_or("")))
    names.push_back(interface->name);
  return names;
}

/// Of NCCL_IB_HCA in the form that ringrun gives it, "=mlx5_0,mlx5_1:1"; none where NCCL chooses among all.
std::vector<std::string> exact_adapters() {
  std::vector<std::string> names;
  const std::string value = setting("NCCL_IB_HCA").value_or("");
  if (value.rfind('=', 0) != 0) return names;
  for (const std::string& entry : split_text(value.substr(1), ',')) names.push_back(entry.substr(0, entry.find(':')));
  return names;
}

std::string gpu_text(const GpuDevice& device, const std::vector<Gpu>& all) {
  const std::string bus_id = device.bus_id + ".0";
  const auto found = std::find_if(all.begin(), all.end(), [&](const Gpu& gpu) { return gpu.bus_id == bus_id; });
  return std::to_string(found == all.end() ? device.index : found->index) + " [" + bus_id + "]";
}

std::string numa_text(const Machine& machine) {
  std::vector<int> nodes;
  for (const NumaNode& node : machine.numa_nodes) {
    if (!node.cores.empty() && node.index >= 0) nodes.push_back(node.index);
  }
  return format_cpu_list(nodes);
}

std::string memory_text(const MemoryPolicy& policy) {
  return policy.nodes.empty() ? policy.kind : policy.kind + " " + format_cpu_list(policy.nodes);
}

}  // namespace

std::vector<BindingRow> read_binding_rows(const ProcessFacts& own, const std::vector<int>& devices) {
  const std::vector<int> cpus = own_cpus();
  const Machine machine = read_machine(cpus);
  BindingRow row;
  row.host = own.host;
  row.cpus = format_cpu_list(cpus);
  row.numa = numa_text(machine);
  row.memory = memory_text(memory_policy());
  if (devices.empty()) return {row};
  const std::vector<Gpu> all = read_nvml_gpus().gpus;
  const std::vector<std::string> interfaces = nccl_interface_names();
  const bool uses_adapters = setting("NCCL_IB_DISABLE").value_or("0") == "0";
  std::vector<BindingRow> rows;
  for (const int index : devices) {
    const GpuDevice& device = own.devices.at(static_cast<std::size_t>(index));
    const CardPlace* place = find_gpu_place(machine, device.bus_id + ".0");
    row.gpu = gpu_text(device, all);
    row.nics = join_text(nearest_cards(machine, place, false, interfaces), ",");
    if (uses_adapters) row.hcas = join_text(nearest_cards(machine, place, true, exact_adapters()), ",");
    rows.push_back(row);
  }
  return rows;
}

}  // namespace ringrun::worker
