#include "worker/backend/supported_choices.hpp"

#include <numeric>

namespace ringrun::worker {
namespace {

using Refusal = std::function<std::optional<std::string>(const Operation&)>;

/// `operation_with` makes the operation that a choice is asked about with.
template <typename Choices, typename OperationWith>
std::optional<Unsupported> keep(Choices& choices, bool all, const char* option, OperationWith operation_with,
                                const Refusal& refusal, std::vector<std::string>& remarks) {
  Choices kept;
  for (const auto choice : choices) {
    const auto why = refusal(operation_with(choice));
    if (why && !all) return Unsupported(*why, "choose another with " + std::string(option) + ", or another --backend");
    if (why) remarks.push_back("Left out: " + *why);
    if (!why) kept.push_back(choice);
  }
  choices = kept;
  return std::nullopt;
}

/// A type and a reduction that the backend has may still not go together.
std::optional<Unsupported> keep_pairs(SweepPlan& plan, Operation any, const Refusal& refusal,
                                      std::vector<std::string>& remarks) {
  std::optional<std::string> last;
  for (const DataType type : plan.types) {
    for (const ReduceOp op : plan.ops) {
      any.type = type;
      any.op = op;
      const auto why = refusal(any);
      if (!why) continue;
      plan.left_out.emplace_back(type, op);
      remarks.push_back("Left out: " + *why);
      last = why;
    }
  }
  if (!last || plan.left_out.size() < plan.types.size() * plan.ops.size()) return std::nullopt;
  return Unsupported(*last, "choose another with -d or -o");
}

}  // namespace

std::optional<Unsupported> keep_supported(Options& options, int ranks, const Refusal& refusal,
                                          std::vector<std::string>& remarks) {
  SweepPlan& plan = options.plan;
  if (options.all_roots) {
    plan.roots.resize(static_cast<std::size_t>(ranks));
    std::iota(plan.roots.begin(), plan.roots.end(), 0);
  }
  Operation any;
  any.kind = plan.kind;
  any.ranks = ranks;
  const auto with_type = [any](DataType type) mutable {
    any.type = type;
    return any;
  };
  const auto with_op = [any](ReduceOp op) mutable {
    any.op = op;
    return any;
  };
  if (const auto refused = keep(plan.types, options.all_types, "-d", with_type, refusal, remarks)) return refused;
  if (!any.description().reduces) return std::nullopt;
  if (const auto refused = keep(plan.ops, options.all_ops, "-o", with_op, refusal, remarks)) return refused;
  return keep_pairs(plan, any, refusal, remarks);
}

std::optional<Unsupported> refusal_by_size(const SweepPlan& plan, int ranks, const Refusal& refusal) {
  for (const DataType type : plan.types) {
    Operation any;
    any.kind = plan.kind;
    any.ranks = ranks;
    any.type = type;
    any.op = plan.ops.front();
    any.root = plan.roots.front();
    if (plan.leaves_out(any.type, any.op)) continue;
    if (const auto why = refusal(operation_of(any, plan.sizes.back())))
      return Unsupported(*why, "give a smaller largest size: -e");
  }
  return std::nullopt;
}

}  // namespace ringrun::worker
