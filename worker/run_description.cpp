#include "worker/run_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "lib/host/host_name.hpp"
#include "worker/placement/binding_report.hpp"

namespace ringrun::worker {
namespace {

/// "MPI keeps off docker0 on a, b": a line for each set of interfaces.
std::vector<std::string> avoided_interfaces(const std::vector<ProcessFacts>& facts) {
  std::map<std::vector<std::string>, std::string> hosts;
  for (std::size_t process = 0; process < facts.size(); ++process) {
    if (facts[process].avoided.empty() || facts[process].leader != static_cast<int>(process)) continue;
    std::string& names = hosts[facts[process].avoided];
    names += (names.empty() ? "" : ", ") + short_host_name(facts[process].host);
  }
  std::vector<std::string> lines;
  for (const auto& [interfaces, names] : hosts) {
    lines.push_back(fmt::format("MPI keeps off {} on {}: no way to another host", fmt::join(interfaces, ", "), names));
  }
  return lines;
}

std::vector<DeviceLine> device_lines(const RunFacts& run) {
  std::vector<DeviceLine> lines;
  for (std::size_t process = 0; process < run.processes.size(); ++process) {
    const ProcessFacts& facts = run.processes[process];
    const auto add = [&](const std::string& text, int index, const std::string& bus_id, const std::string& name) {
      lines.push_back({static_cast<int>(lines.size()), facts.group, facts.pid, short_host_name(facts.host), text, index,
                       bus_id, name});
    };
    if (!run.decision.nccl) {
      add(fmt::format("host memory, {} CPU{}", facts.cpus, facts.cpus == 1 ? "" : "s"), -1, "", "host memory");
      continue;
    }
    for (int device : run.decision.devices[process]) {
      const GpuDevice& gpu = facts.devices.at(static_cast<std::size_t>(device));
      add(fmt::format("device {:2} [{}] {}", gpu.index, gpu.bus_id, gpu.name), gpu.index, gpu.bus_id, gpu.name);
    }
  }
  return lines;
}

/// Those that change how NCCL or MPI work. The others are nobody's business, secrets among them.
std::vector<std::string> telling_variables() {
  std::vector<std::string> telling;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    for (const char* prefix : {"NCCL_", "CUDA_VISIBLE_DEVICES=", "CUDA_DEVICE_ORDER=", "UCX_", "OMPI_MCA_btl",
                               "OMPI_MCA_pml", "OMPI_MCA_coll"}) {
      if (variable.substr(0, std::string_view(prefix).size()) == prefix) telling.emplace_back(variable);
    }
  }
  std::sort(telling.begin(), telling.end());
  return telling;
}

/// NCCL's issue 1950: its kernel for one rank divides the elements among its blocks and leaves out the rest.
std::vector<std::string> one_rank_remarks(const SweepPlan& plan, int nccl_version) {
  constexpr int kMended = 22907;
  if (nccl_version == 0 || nccl_version >= kMended) return {};
  const bool affected = std::any_of(plan.ops.begin(), plan.ops.end(),
                                    [](ReduceOp op) { return op == ReduceOp::kAvg || op == ReduceOp::kMulSum; });
  if (!affected) return {};
  return {
      "NCCL before 2.29.7 leaves the last elements of a one-rank avg or mulsum unwritten at some sizes (nccl#1950): "
      "wrong values out-of-place are the library's"};
}

}  // namespace

TableHead describe_run(const RunFacts& run) {
  const Options& options = run.options;
  TableHead head;
  head.versions = run.versions;
  head.nccl_version = run.nccl_version;
  head.command = options.command;
  head.environment = telling_variables();
  head.threads = options.threads;
  head.gpus = options.gpus;
  head.parallel_init = options.parallel_init;
  head.misalignment = options.misalignment;
  head.columns.cpu_time = options.reports_cpu_time;
  head.columns.timestamps = options.reports_timestamps;
  head.columns.each_iteration = options.plan.each_iteration;
  head.columns.groups = run.groups > 1;
  head.smallest = options.smallest;
  head.largest = options.largest;
  head.step = options.step;
  head.factor = options.factor;
  head.plan = options.plan;
  head.devices = device_lines(run);
  head.remarks = run.decision.remarks;
  for (const std::string& remark : avoided_interfaces(run.processes)) head.remarks.push_back(remark);
  for (const std::string& remark : placement_lines(run.processes, options.ranks_of_process()))
    head.remarks.push_back(remark);
  if (run.ranks == 1) {
    head.remarks.push_back(
        "One rank: out-of-place is a local copy, in-place does nothing, and bus bandwidth is not defined");
    for (const std::string& remark : one_rank_remarks(options.plan, run.nccl_version)) head.remarks.push_back(remark);
  }
  return head;
}

}  // namespace ringrun::worker
