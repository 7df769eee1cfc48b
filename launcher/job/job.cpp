#include "launcher/job/job.hpp"

#include "launcher/job/rendezvous.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

/// CUDA counts as NVML does only where it is told to: by any other order a number would be another GPU.
bool counts_by_bus(const Host& host, const Exports& exports) {
  const std::string name = "CUDA_DEVICE_ORDER";
  auto order = find_variable(exports.asked, name);
  if (!order) order = find_variable(host.attributes.environment, name);
  if (!order) order = find_variable(exports.forwarded, name);
  return order.value_or("PCI_BUS_ID") == "PCI_BUS_ID";
}

std::string device_name(const Gpu& gpu, bool by_bus) {
  return by_bus || gpu.uuid.empty() ? visible_device(gpu) : gpu.uuid;
}

HostClass class_of_host(const JobHost& host, const Exports& exports, const std::map<std::string, std::string>& network,
                        bool limits_threads) {
  HostClass result;
  result.environment = network;
  result.programs = host.answer.programs;
  result.most_ranks = host.most_ranks;
  const bool by_bus = counts_by_bus(host.host, exports);
  for (const RankPlacement& rank : host.placements) {
    PlanRow& row = result.rows.emplace_back();
    row.cpus = format_cpu_list(rank.cpus);
    row.memory = format_cpu_list(rank.memory_nodes);
    if (rank.gpu < 0) continue;
    const Gpu& gpu = host.gpus[static_cast<std::size_t>(rank.gpu)];
    row.gpu = gpu.index;
    if (rank.visible_devices) row.visible_devices = device_name(gpu, by_bus);
  }
  while (!result.rows.empty() && result.rows.back() == PlanRow{}) result.rows.pop_back();
  if (host.host.attributes.gpus) {
    // Written as the user did, since LOCAL_RANK counts the visible GPUs in this order.
    std::string visible;
    for (const Gpu& gpu : host.gpus) visible += (visible.empty() ? "" : ",") + device_name(gpu, by_bus);
    result.environment[kVisibleDevices] = visible;
  }
  for (const auto& [name, value] : host.host.attributes.environment) {
    const bool rendezvous = name == "MASTER_ADDR" || name == "MASTER_PORT";
    if (!rendezvous && exports.asked.count(name) == 0) result.environment[name] = value;
  }
  if (limits_threads && !host.gpus.empty() && host.ranks > 1) result.defaults["OMP_NUM_THREADS"] = "1";
  return result;
}

}  // namespace

JobPlan make_plan(const LaunchRequest& request, const Job& job, const Exports& exports, const NetworkSettings& settings,
                  const Environment& environment) {
  std::vector<HostClass> classes;
  for (std::size_t i = 0; i < job.hosts.size(); ++i) {
    classes.push_back(class_of_host(job.hosts[i], exports, settings.environment[i], !request.masquerade));
  }
  const JobHost& first = job.hosts.front();
  const Said said{exports, request.master_port, environment};
  JobPlan plan = make_job_plan(
      classes, choose_rendezvous(first.host, first.answer, job.hosts.size() == 1, settings.master_address, said));
  plan.output = request.output;
  plan.max_restarts = request.max_restarts;
  return plan;
}

}  // namespace ringrun
