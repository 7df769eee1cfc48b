#include "worker/ceiling/survey_question.hpp"

#include <fmt/format.h>

#include "lib/host/host_name.hpp"

namespace ringrun::worker {
namespace {

std::vector<RankGpu> gpus_of(const ProcessFacts& process, const std::vector<int>& devices) {
  const std::vector<GpuLinks> links = read_gpu_links();
  std::vector<RankGpu> gpus;
  for (int device : devices) {
    const GpuDevice& gpu = process.devices.at(static_cast<std::size_t>(device));
    RankGpu own{fmt::format("GPU {} of {}", gpu.index, short_host_name(process.host)), {}};
    for (const GpuLinks& one : links) {
      if (one.uuid == gpu.uuid) own.links = one;
    }
    gpus.push_back(own);
  }
  return gpus;
}

}  // namespace

SurveyQuestion survey_question(const Options& options, const std::vector<ProcessFacts>& facts,
                               const BackendDecision& decision, std::size_t process) {
  SurveyQuestion question;
  question.ranks_of_process = options.ranks_of_process();
  question.nccl = decision.nccl;
  for (const ProcessFacts& each : facts) {
    question.leaders.push_back(each.leader);
    question.hosts.push_back(short_host_name(each.host));
    question.groups.push_back(each.group);
  }
  if (decision.nccl) question.own_gpus = gpus_of(facts[process], decision.devices[process]);
  return question;
}

}  // namespace ringrun::worker
