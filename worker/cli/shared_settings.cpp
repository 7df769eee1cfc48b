#include "worker/cli/shared_settings.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <sstream>

#include "lib/version.hpp"

namespace ringrun::worker {
namespace {

template <typename Elements>
std::string names_of(const Elements& elements, bool all) {
  if (all) return "all";
  std::string names;
  for (const auto each : elements) names += (names.empty() ? "" : ", ") + std::string(name_of(each));
  return names;
}

const char* yes_or_no(bool yes) { return yes ? "yes" : "no"; }

}  // namespace

std::string shared_settings(const Options& options) {
  const SweepPlan& plan = options.plan;
  std::string lines;
  const auto add = [&lines](const char* name, const auto& value) { lines += fmt::format("{} {}\n", name, value); };
  add("version", kVersion);
  add("--collective", name_of(plan.kind));
  add("--backend", static_cast<int>(options.backend));
  add("-b", options.smallest);
  add("-e", options.largest);
  add("-i", options.step);
  add("-f", options.factor);
  add("-d", names_of(plan.types, options.all_types));
  add("-o", names_of(plan.ops, options.all_ops));
  add("-r", options.all_roots ? std::string("all") : std::to_string(plan.roots.front()));
  add("-n", plan.iterations);
  add("-w", plan.warmups);
  add("-m", plan.aggregate);
  add("-c", plan.checks_timed ? std::string("timed") : std::to_string(plan.checks));
  add("-a", static_cast<int>(plan.across));
  add("-N", options.cycles);
  add("-z", static_cast<int>(plan.blocking));
  add("-G", plan.graph_launches);
  add("-I", yes_or_no(plan.each_iteration));
  add("-K", plan.skipped_iterations);
  add("--soak", options.soak_seconds);
  add("--scan", options.scan ? static_cast<int>(*options.scan) : -1);
  add("--tune", options.tune_seconds);
  add("--stats", yes_or_no(plan.samples));
  add("--expected", yes_or_no(plan.expects));
  add("--baseline", yes_or_no(!options.baseline_file.empty()));
  add("-t", options.threads);
  add("-g", options.gpus);
  add("-p", yes_or_no(options.parallel_init));
  add("-u", options.misalignment);
  add("-R", options.registration);
  add("-x", options.cta_policy);
  add("-y", yes_or_no(options.null_stream));
  add("-D", options.device_implementation);
  add("-M", yes_or_no(options.reports_memory));
  add("NCCL_TESTS_SPLIT", text_of(options.split));
  add("--share-gpu", yes_or_no(options.share_gpu));
  add("--report-bindings", yes_or_no(options.reports_bindings));
  return lines;
}

std::optional<std::string> difference_of(const std::vector<std::string>& settings,
                                         const std::vector<std::string>& hosts) {
  for (std::size_t process = 1; process < settings.size(); ++process) {
    if (settings[process] == settings.front()) continue;
    std::istringstream first(settings.front());
    std::istringstream other(settings[process]);
    std::string in_first;
    std::string in_other;
    while (std::getline(first, in_first) && std::getline(other, in_other) && in_first == in_other) continue;
    return fmt::format("process {} on {} was started with {}, process 0 on {} with {}", process, hosts[process],
                       in_other, hosts.front(), in_first);
  }
  return std::nullopt;
}

}  // namespace ringrun::worker
