#include "launcher/job/job.hpp"

#include "launcher/job/rendezvous.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

HostClass class_of_host(const JobHost& host, const Exports& exports, const std::map<std::string, std::string>& network,
                        bool limits_threads) {
  HostClass result;
  result.environment = network;
  result.programs = host.answer.programs;
  for (const RankPlacement& rank : host.placements) {
    if (rank.gpu < 0 && rank.cpus.empty()) break;
    const int gpu = rank.gpu < 0 ? -1 : host.gpus[static_cast<std::size_t>(rank.gpu)].index;
    result.rows.push_back(
        {gpu, format_cpu_list(rank.cpus), format_cpu_list(rank.memory_nodes), rank.visible_devices.value_or("")});
  }
  if (host.host.attributes.gpus) {
    // Written as the user did, since LOCAL_RANK counts the visible GPUs in this order.
    std::string visible;
    for (const Gpu& gpu : host.gpus) visible += (visible.empty() ? "" : ",") + std::to_string(gpu.index);
    result.environment["CUDA_VISIBLE_DEVICES"] = visible;
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
