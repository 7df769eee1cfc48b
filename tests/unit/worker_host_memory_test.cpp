#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/backend/host_memory.hpp"

namespace ringrun::worker {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMebibyte = 1 << 20;

MemoryRoom host_with(std::int64_t mebibytes) { return {"", "", 0, mebibytes * kMebibyte}; }
MemoryRoom group_with(const std::string& name, std::int64_t mebibytes) {
  return {name, "8:" + name, 2 * mebibytes * kMebibyte, mebibytes * kMebibyte};
}

ProcessFacts process_of(const std::string& host, int leader, std::vector<MemoryRoom> memory) {
  ProcessFacts facts;
  facts.host = host;
  facts.leader = leader;
  facts.memory = std::move(memory);
  return process_facts_from(to_text(facts));
}

std::string refusal(std::int64_t mebibytes, const std::vector<ProcessFacts>& facts,
                    CollectiveKind kind = CollectiveKind::kBroadcast) {
  Options options;
  options.plan.kind = kind;
  options.largest = mebibytes * kMebibyte;
  const auto refused = refusal_by_memory(options, facts);
  return refused ? refused->what() : "accepted";
}

TEST(HostMemory, IsWhatAllRanksOfAHostTakeTogether) {
  const std::vector<ProcessFacts> two{process_of("a", 0, {host_with(1000)}), process_of("a", 0, {host_with(1000)})};
  EXPECT_EQ(refusal(225, two), "accepted");
  EXPECT_EQ(refusal(226, two), "two buffers of 226M for each of 2 ranks do not fit into the free memory of a (1000M)");
  EXPECT_EQ(refusal(450, {two[0]}), "accepted");
  EXPECT_EQ(refusal(226, {two[0], process_of("b", 1, {host_with(1000)})}), "accepted") << "a host each";
  EXPECT_THAT(refusal(226, {two[0], process_of("b", 1, {host_with(400)})}), HasSubstr("for one rank do not fit into"));
}

TEST(HostMemory, IsTheLowerOneOfTheHostsAndALimit) {
  const std::vector<MemoryRoom> rooms{host_with(4000), group_with("/job", 600)};
  const std::vector<ProcessFacts> two{process_of("a", 0, rooms), process_of("a", 0, rooms)};
  EXPECT_EQ(refusal(135, two), "accepted");
  EXPECT_EQ(refusal(256, two),
            "two buffers of 256M for each of 2 ranks do not fit into what the memory limit of "
            "cgroup /job on a leaves free (600M of 1200M)");
}

TEST(HostMemory, OfALimitIsSharedByThoseWhoAreUnderIt) {
  const MemoryRoom job = group_with("/job", 1000);
  std::vector<ProcessFacts> two{process_of("a", 0, {host_with(4000), group_with("/job/0", 600), job}),
                                process_of("a", 0, {host_with(4000), group_with("/job/1", 600), job})};
  EXPECT_EQ(refusal(225, two), "accepted") << "alone each has 600M";
  EXPECT_THAT(refusal(226, two),
              HasSubstr("for each of 2 ranks do not fit into what the memory limit of cgroup /job "));
  EXPECT_THAT(refusal(271, {two[1]}),
              HasSubstr("for one rank do not fit into what the memory limit of cgroup /job/1 "));
}

TEST(HostMemory, IsJudgedByWhatTheFirstProcessSawSoThatNobodyDisagrees) {
  const std::vector<ProcessFacts> late{process_of("a", 0, {host_with(1000)}), process_of("a", 0, {host_with(1)})};
  EXPECT_EQ(refusal(200, late), "accepted");
}

TEST(HostMemory, IsTakenByMpiToo) {
  const std::vector<ProcessFacts> one{process_of("a", 0, {host_with(1000)})};
  EXPECT_EQ(refusal(450, one, CollectiveKind::kAllGather), "accepted");
  EXPECT_EQ(refusal(300, one, CollectiveKind::kAllReduce), "accepted");
  EXPECT_EQ(refusal(301, one, CollectiveKind::kAllReduce),
            "two buffers of 301M for one rank, and one that MPI takes beside, do not fit into the free memory of a "
            "(1000M)");
  EXPECT_EQ(refusal(225, one, CollectiveKind::kReduceScatter), "accepted");
  EXPECT_THAT(refusal(226, one, CollectiveKind::kReduceScatter), HasSubstr(", and two that MPI takes beside, do not"));
}

TEST(HostMemory, IsNotRefusedWhereNothingIsKnown) { EXPECT_EQ(refusal(1 << 30, {process_of("a", 0, {})}), "accepted"); }

}  // namespace
}  // namespace ringrun::worker
