#include "worker/backend/backend_limits.hpp"

#include <algorithm>
#include <string>

namespace ringrun::worker {
namespace {

const char* const kNeedsNccl = "it needs GPUs and NCCL: leave it out, or use --backend nccl";

std::optional<Unsupported> refusal_of_device_code(const Options& options) {
  if (options.device_implementation == 0) return std::nullopt;
  return Unsupported("-D " + std::to_string(options.device_implementation) +
                         ": the worker measures NCCL's own operations, it has no kernels on NCCL's device interface",
                     "leave -D out");
}

}  // namespace

std::optional<Unsupported> refusal_by_mpi(const Options& options) {
  if (const auto refused = refusal_of_device_code(options)) return refused;
  if (options.ranks_of_process() > 1) {
    const std::string asked =
        options.gpus > 1 ? "-g " + std::to_string(options.gpus) : "-t " + std::to_string(options.threads);
    return Unsupported(asked + ": the MPI backend has one rank a process",
                       "start more processes instead: mpirun -np N");
  }
  if (options.plan.graph_launches > 0) return Unsupported("-G: host memory has no CUDA graphs", kNeedsNccl);
  if (options.registration > 0) return Unsupported("-R: host memory is not registered with NCCL", kNeedsNccl);
  if (options.cta_policy > 0) return Unsupported("-x: MPI has no CTA policy", kNeedsNccl);
  if (options.null_stream) return Unsupported("-y: MPI has no streams", kNeedsNccl);
  return std::nullopt;
}

std::optional<Unsupported> refusal_by_nccl(const Options& options, int version) {
  if (const auto refused = refusal_of_device_code(options)) return refused;
  const auto needs = [&](const std::string& what, int least, const char* name) -> std::optional<Unsupported> {
    if (version >= least) return std::nullopt;
    return Unsupported(what + " needs NCCL " + name + ", this is " + std::to_string(version),
                       "leave it out, or build and run with a newer libnccl2");
  };
  if (options.registration == 2) {
    if (const auto refused = needs("-R 2", 22700, "2.27")) return refused;
  }
  if (options.cta_policy > 0) return needs("-x " + std::to_string(options.cta_policy), 22700, "2.27");
  return std::nullopt;
}

std::optional<std::string> refusal_on_one_rank(const Operation& operation) {
  const bool eight_bits = operation.type == DataType::kFloat8e4m3 || operation.type == DataType::kFloat8e5m2;
  const bool multiplies = operation.op == ReduceOp::kAvg || operation.op == ReduceOp::kMulSum;
  if (operation.ranks > 1 || !operation.description().reduces || !eight_bits || !multiplies) return std::nullopt;
  return "NCCL has no " + std::string(name_of(operation.op)) + " of " + std::string(name_of(operation.type)) +
         " on one rank";
}

std::optional<Unsupported> refusal_by_groups(const Options& options, const std::vector<int>& group_sizes) {
  const auto [smallest, largest] = std::minmax_element(group_sizes.begin(), group_sizes.end());
  for (int ranks : group_sizes) {
    if (options.plan.kind != CollectiveKind::kHypercube || (ranks & (ranks - 1)) == 0) continue;
    return Unsupported("a hypercube has 1, 2, 4, 8 … ranks, not " + std::to_string(ranks),
                       "start another number of ranks");
  }
  if (options.all_roots && *smallest != *largest) {
    return Unsupported(
        "-r all: the groups have from " + std::to_string(*smallest) + " to " + std::to_string(*largest) + " ranks",
        "split them evenly, or name one root");
  }
  if (options.plan.roots.back() >= *smallest) {
    return Unsupported("-r " + std::to_string(options.plan.roots.back()) + ": the last of " +
                           std::to_string(*smallest) + " ranks is " + std::to_string(*smallest - 1),
                       "give one of them, or all");
  }
  return std::nullopt;
}

}  // namespace ringrun::worker
