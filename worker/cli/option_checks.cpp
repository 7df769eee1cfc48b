#include "worker/cli/option_checks.hpp"

#include <string>
#include <utility>
#include <vector>

#include "lib/error.hpp"

namespace ringrun::worker {
namespace {

/// Options that do not go with `mode`, which `is_for`.
void refuse_with(const std::string& mode, const std::string& is_for, const std::string& remedy,
                 const std::vector<std::pair<bool, const char*>>& others) {
  for (const auto& [given, name] : others) {
    if (given) throw UserError(mode + " and " + name + ": " + is_for, remedy);
  }
}

/// A scan measures one operation of one size, and tells in a form of its own.
void check_scan(const Options& options) {
  if (!options.scan) return;
  const SweepPlan& plan = options.plan;
  refuse_with("--scan", "a scan is of one operation, type and size", "leave one of them out; -J takes a scan's result",
              {{options.all_types, "-d all"},
               {options.all_ops, "-o all"},
               {options.all_roots, "-r all"},
               {options.soak_seconds > 0, "--soak"},
               {!options.baseline_file.empty(), "--baseline"},
               {!options.csv_file.empty(), "--csv"},
               {plan.samples, "--stats"},
               {plan.expects, "--expected"},
               {plan.checks_timed, "--check timed"},
               {plan.graph_launches > 0, "-G"},
               {plan.blocking != Blocking::kNot, "-z"},
               {options.cycles != 1, "-N"},
               {plan.each_iteration, "-I"},
               {options.reports_cpu_time, "-C"},
               {options.reports_timestamps, "-S"},
               {options.reports_memory, "-M"},
               {options.tune_seconds > 0, "--tune"},
               {options.split.rule != Split::Rule::kNone, "NCCL_TESTS_SPLIT"}});
}

/// A soak checks results, and takes no times.
void check_soak(const Options& options) {
  if (options.soak_seconds <= 0 || options.scan || options.tune_seconds > 0) return;
  const SweepPlan& plan = options.plan;
  refuse_with("--soak", "a soak checks results and measures nothing",
              "leave one of them out; -J takes what a soak has found",
              {{!options.baseline_file.empty(), "--baseline"},
               {!options.csv_file.empty(), "--csv"},
               {plan.samples, "--stats"},
               {plan.expects, "--expected"},
               {plan.each_iteration, "-I"},
               {plan.checks_timed, "-c timed"},
               {plan.graph_launches > 0, "-G"},
               {plan.blocking != Blocking::kNot, "-z"},
               {options.cycles != 1, "-N"},
               {options.reports_cpu_time, "-C"},
               {options.reports_timestamps, "-S"}});
}

/// A tuning measures one operation in processes of its own.
void check_tuning(const Options& options) {
  if (options.tune_seconds <= 0) return;
  const SweepPlan& plan = options.plan;
  refuse_with("--tune", "a tuning measures one operation, and its times alone", "leave one of them out",
              {{options.soak_seconds > 0, "--soak"},
               {!options.baseline_file.empty(), "--baseline"},
               {!options.csv_file.empty(), "--csv"},
               {plan.samples, "--stats"},
               {plan.expects, "--expected"},
               {plan.graph_launches > 0, "-G"},
               {plan.each_iteration, "-I"},
               {plan.checks_timed, "-c timed"},
               {plan.blocking != Blocking::kNot, "-z"},
               {options.cycles != 1, "-N"},
               {options.reports_cpu_time, "-C"},
               {options.reports_timestamps, "-S"},
               {options.reports_memory, "-M"},
               {options.all_types, "-d all"},
               {options.all_ops, "-o all"},
               {options.all_roots, "-r all"}});
}

void check_together(const Options& options) {
  const SweepPlan& plan = options.plan;
  if (plan.graph_launches > 0 && plan.blocking != Blocking::kNot)
    throw UserError("-G and -z: a CUDA graph is captured as a whole, without a wait in it", "leave one of them out");
  if (plan.graph_launches > 0 && plan.each_iteration)
    throw UserError("-G and -I: the iterations of a CUDA graph have no times of their own", "leave one of them out");
  if (plan.graph_launches > 0 && plan.samples)
    throw UserError("-G and --stats: the iterations of a CUDA graph have no times of their own",
                    "leave one of them out");
  if (plan.graph_launches > 0 && options.null_stream)
    throw UserError("-G and -y: CUDA captures no graph from the null stream", "leave one of them out");
  if (plan.each_iteration && plan.skipped_iterations >= plan.iterations)
    throw UserError("-K leaves out all iterations of -n", "give more iterations, or leave out fewer");
}

}  // namespace

void check_options(const Options& options) {
  check_tuning(options);
  check_together(options);
  check_scan(options);
  check_soak(options);
}

}  // namespace ringrun::worker
