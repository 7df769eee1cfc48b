#include "worker/backend/backend_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/exit_code.hpp"

namespace ringrun::worker {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

ProcessFacts without_gpu(const std::string& host, int local_rank = 0, int local_size = 1) {
  ProcessFacts facts;
  facts.host = host;
  facts.local_rank = local_rank;
  facts.local_size = local_size;
  facts.why_no_gpu = "no NVIDIA driver";
  return facts;
}

/// A process that sees `gpus` cards of its host.
ProcessFacts with_gpus(const std::string& host, int gpus, int local_rank = 0, int local_size = 1) {
  ProcessFacts facts = without_gpu(host, local_rank, local_size);
  facts.why_no_gpu.clear();
  facts.host_has_gpu = true;
  facts.nccl_version = 22809;
  for (int i = 0; i < gpus; ++i) {
    facts.devices.push_back(
        {i, "GPU-" + host + std::to_string(i), "0000:0" + std::to_string(i) + ":00", "NVIDIA H200"});
  }
  return facts;
}

std::string refusal(const Options& options, const std::vector<ProcessFacts>& facts) {
  try {
    choose_backend(options, facts);
  } catch (const Unsupported& refused) {
    EXPECT_FALSE(refused.remedy().empty());
    return refused.what();
  }
  return "accepted";
}

TEST(BackendChoice, IsNcclWithOneGpuForEachLocalRank) {
  const auto decision = choose_backend({}, {with_gpus("a", 2, 0, 2), with_gpus("a", 2, 1, 2), with_gpus("b", 1)});
  EXPECT_TRUE(decision.nccl);
  EXPECT_THAT(decision.devices, ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(0)));
  EXPECT_FALSE(decision.shared_gpu);
}

TEST(BackendChoice, IsMpiWhereNoHostHasAGpuAndSaysWhy) {
  const auto decision = choose_backend({}, {without_gpu("a"), without_gpu("b")});
  EXPECT_FALSE(decision.nccl);
  EXPECT_THAT(decision.remarks, ElementsAre("Backend: MPI on host memory, since no host has a usable GPU (a: no NVIDIA "
                                            "driver; b: no NVIDIA driver)"));
}

TEST(BackendChoice, StopsWhereOnlySomeHostsHaveAGpuAndNamesTheOthers) {
  EXPECT_EQ(refusal({}, {with_gpus("a", 1), without_gpu("b")}),
            "some hosts have a usable GPU and some have none; b: no NVIDIA driver");
}

TEST(BackendChoice, StopsWhereThereIsAGpuThatCannotBeUsed) {
  ProcessFacts broken = without_gpu("b");
  broken.host_has_gpu = true;
  broken.why_no_gpu = "libnccl.so.2: cannot open shared object file";
  EXPECT_THAT(refusal({}, {broken}), HasSubstr("b: libnccl.so.2: cannot open"));
}

TEST(BackendChoice, IsWhatTheUserAskedFor) {
  Options options;
  options.backend = BackendChoice::kMpi;
  EXPECT_FALSE(choose_backend(options, {with_gpus("a", 1)}).nccl);
  options.backend = BackendChoice::kNccl;
  EXPECT_TRUE(choose_backend(options, {with_gpus("a", 1)}).nccl);
  EXPECT_THAT(refusal(options, {without_gpu("b")}), HasSubstr("b: no NVIDIA driver"));
}

TEST(BackendChoice, RefusesTwoRanksOnOneGpuAndNamesBoth) {
  // A container sees one card, and the launcher's local ranks are 0 in both: the UUID tells.
  EXPECT_EQ(refusal({}, {with_gpus("a", 1), with_gpus("a", 1)}),
            "rank 0 on a and rank 1 on a are on the same GPU, GPU-a0 (0000:00:00)");
  EXPECT_THAT(refusal({}, {with_gpus("a", 1, 0, 2), with_gpus("a", 1, 1, 2)}), HasSubstr("on the same GPU"));
}

TEST(BackendChoice, LetsHostsOfOtherNamesShareACardAndSaysSo) {
  ProcessFacts on_b = with_gpus("b", 1);
  on_b.devices[0].uuid = "GPU-a0";
  const auto decision = choose_backend({}, {with_gpus("a", 1), on_b});
  EXPECT_TRUE(decision.nccl);
  EXPECT_FALSE(decision.shared_gpu);
  EXPECT_THAT(decision.remarks, Contains(HasSubstr("rank 0 on a and rank 1 on b take turns on GPU-a0")));
  EXPECT_THAT(refusal({}, {with_gpus("a", 1), on_b, on_b}),
              HasSubstr("rank 1 on b and rank 2 on b are on the same GPU"));
}

TEST(BackendChoice, SharesAGpuWhereThatIsAllowedAndSaysWhatTheFiguresAre) {
  Options options;
  options.share_gpu = true;
  const auto decision = choose_backend(options, {with_gpus("a", 1, 0, 2), with_gpus("a", 1, 1, 2)});
  EXPECT_TRUE(decision.shared_gpu);
  EXPECT_THAT(decision.devices, ElementsAre(ElementsAre(0), ElementsAre(0)));
  EXPECT_THAT(decision.remarks.back(), HasSubstr("socket path on one shared GPU"));
  EXPECT_FALSE(choose_backend(options, {with_gpus("a", 2, 0, 2), with_gpus("a", 2, 1, 2)}).shared_gpu);
}

TEST(BackendChoice, TakesTheOnlyVisibleCardWhereEachTaskSeesItsOwn) {
  ProcessFacts second = with_gpus("a", 1, 1, 2);
  second.devices[0].uuid = "GPU-other";
  EXPECT_THAT(choose_backend({}, {with_gpus("a", 1, 0, 2), second}).devices,
              ElementsAre(ElementsAre(0), ElementsAre(0)));
}

TEST(BackendChoice, GivesEachProcessItsShareOfGpus) {
  Options options;
  options.gpus = 2;
  const auto decision = choose_backend(options, {with_gpus("a", 4, 0, 2), with_gpus("a", 4, 1, 2)});
  EXPECT_THAT(decision.devices, ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_EQ(refusal(options, {with_gpus("a", 3, 0, 2), with_gpus("a", 3, 1, 2)}),
            "a has 3 usable GPUs, too few for 2 processes with 2 GPUs each");
}

TEST(BackendChoice, CountsTheGpusOfAllThreads) {
  Options options;
  options.threads = 2;
  options.gpus = 2;
  EXPECT_THAT(choose_backend(options, {with_gpus("a", 4)}).devices, ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST(BackendChoice, BeginsAtTheDeviceOfItsVariable) {
  ProcessFacts facts = with_gpus("a", 4, 1, 2);
  facts.first_device = 3;
  EXPECT_THAT(choose_backend({}, {facts}).devices, ElementsAre(ElementsAre(3)));
  facts.first_device = 4;
  EXPECT_EQ(refusal({}, {facts}), "NCCL_TESTS_DEVICE=4: a has 4 usable GPUs, numbered from 0");
}

TEST(BackendChoice, RefusesSeveralGpusAProcessOnHostMemory) {
  Options options;
  options.gpus = 2;
  EXPECT_THAT(refusal(options, {without_gpu("a")}), HasSubstr("-g 2"));
}

TEST(BackendChoice, RefusesDifferentNcclVersions) {
  ProcessFacts older = with_gpus("b", 1);
  older.nccl_version = 22103;
  EXPECT_EQ(refusal({}, {with_gpus("a", 1), older}), "NCCL differs: 22809 on a, 22103 on b");
}

TEST(ProcessFacts, ArriveAsTheyWereSent) {
  ProcessFacts sent = with_gpus("a\"b\n", 2, 1, 3);
  sent.why_no_gpu = "ünï \\ \"quoted\"";
  sent.pid = 99;
  sent.cpus = 4;
  sent.leader = 2;
  sent.group = 5;
  sent.first_device = 3;
  sent.avoided = {"docker0", "tailscale0"};
  sent.placement = "kept";
  sent.binding = {"0-3", {"prefer", {0, 1}}, PlannedPlacement{"job", 2, "0-7", "0"}, "0000:4e:00.0"};
  const ProcessFacts received = process_facts_from(to_text(sent));
  EXPECT_EQ(received.placement, "kept");
  EXPECT_EQ(received.binding.cpus, "0-3");
  EXPECT_EQ(received.binding.memory, sent.binding.memory);
  EXPECT_EQ(received.binding.planned, sent.binding.planned);
  EXPECT_EQ(received.binding.planned_bus_id, "0000:4e:00.0");
  EXPECT_EQ(received.host, sent.host);
  EXPECT_EQ(received.why_no_gpu, sent.why_no_gpu);
  EXPECT_EQ(received.pid, 99);
  EXPECT_EQ(received.cpus, 4);
  EXPECT_EQ(received.leader, 2);
  EXPECT_EQ(received.group, 5);
  EXPECT_EQ(received.first_device, 3);
  EXPECT_EQ(received.avoided, sent.avoided);
  EXPECT_EQ(received.local_rank, 1);
  EXPECT_EQ(received.local_size, 3);
  EXPECT_EQ(received.nccl_version, 22809);
  EXPECT_TRUE(received.host_has_gpu);
  ASSERT_EQ(received.devices.size(), 2u);
  EXPECT_EQ(received.devices[1].uuid, sent.devices[1].uuid);
}

}  // namespace
}  // namespace ringrun::worker
