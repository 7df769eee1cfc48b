#include "worker/sweep/operation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/sweep/bandwidth.hpp"

namespace ringrun::worker {

bool operator==(const Segment& a, const Segment& b) {
  return a.begin == b.begin && a.count == b.count && a.source == b.source && a.source_begin == b.source_begin;
}

namespace {

using testing::ElementsAre;

Operation operation(CollectiveKind kind, std::int64_t bytes, int ranks, int root = -1) {
  Operation like;
  like.kind = kind;
  like.ranks = ranks;
  like.root = root;
  return operation_of(like, bytes);
}

TEST(CollectiveKind, IsNamedAsNcclTestsNamesItsPrograms) {
  for (CollectiveKind kind : all_collectives()) {
    EXPECT_EQ(collective_from(name_of(kind)), kind);
    EXPECT_EQ(collective_of_program(std::string(name_of(kind)) + "_perf"), kind);
  }
  EXPECT_EQ(all_collectives().size(), 11u);
  EXPECT_EQ(collective_of_program("/usr/bin/alltoall_perf_mpi"), CollectiveKind::kAllToAll);
  EXPECT_EQ(collective_of_program("./worker"), std::nullopt);
  EXPECT_EQ(collective_from("allreduce"), std::nullopt);
}

// 4096 bytes are 1024 floats; among 4 ranks, parts of 256.
TEST(Layout, IsThatOfNcclTests) {
  const auto layout = [](CollectiveKind kind) { return operation(kind, 4096, 4).layout; };
  for (CollectiveKind kind : {CollectiveKind::kAllReduce, CollectiveKind::kBroadcast, CollectiveKind::kReduce,
                              CollectiveKind::kSendReceive}) {
    EXPECT_EQ(layout(kind).count, 1024u);
    EXPECT_EQ(layout(kind).send, 1024u);
    EXPECT_EQ(layout(kind).receive, 1024u);
  }
  for (CollectiveKind kind : {CollectiveKind::kAllGather, CollectiveKind::kGather, CollectiveKind::kHypercube}) {
    EXPECT_EQ(layout(kind).count, 256u);
    EXPECT_EQ(layout(kind).send, 256u);
    EXPECT_EQ(layout(kind).receive, 1024u);
    EXPECT_EQ(layout(kind).input_in_place, 256u);
    EXPECT_EQ(layout(kind).output_in_place, 0u);
  }
  for (CollectiveKind kind : {CollectiveKind::kReduceScatter, CollectiveKind::kScatter}) {
    EXPECT_EQ(layout(kind).send, 1024u);
    EXPECT_EQ(layout(kind).receive, 256u);
    EXPECT_EQ(layout(kind).input_in_place, 0u);
    EXPECT_EQ(layout(kind).output_in_place, 256u);
  }
  for (CollectiveKind kind : {CollectiveKind::kAllToAll, CollectiveKind::kAllToAllV}) {
    EXPECT_EQ(layout(kind).count, 256u);
    EXPECT_EQ(layout(kind).send, 1024u);
    EXPECT_EQ(layout(kind).receive, 1024u);
  }
}

TEST(Layout, GivesEveryRankAMultipleOf16Bytes) {
  EXPECT_EQ(operation(CollectiveKind::kAllGather, 1000, 3).bytes(), 960u);
  EXPECT_EQ(operation(CollectiveKind::kAllToAll, 8, 2).bytes(), 0u);
  EXPECT_EQ(operation(CollectiveKind::kAllReduce, 1000, 3).bytes(), 1000u);
}

TEST(Bandwidth, IsThatOfNcclTests) {
  // 1 MiB in 1 ms among 4 ranks.
  const auto busbw = [](CollectiveKind kind) {
    const Bandwidth bandwidth = bandwidth_of(operation(kind, 1 << 20, 4), 1e-3);
    return bandwidth.bus / bandwidth.algorithm;
  };
  EXPECT_DOUBLE_EQ(bandwidth_of(operation(CollectiveKind::kAllReduce, 1 << 20, 4), 1e-3).algorithm, 1.048576);
  EXPECT_DOUBLE_EQ(busbw(CollectiveKind::kAllReduce), 1.5);
  for (CollectiveKind kind : {CollectiveKind::kAllGather, CollectiveKind::kReduceScatter, CollectiveKind::kAllToAll,
                              CollectiveKind::kAllToAllV, CollectiveKind::kGather, CollectiveKind::kScatter})
    EXPECT_DOUBLE_EQ(busbw(kind), 0.75);
  for (CollectiveKind kind :
       {CollectiveKind::kBroadcast, CollectiveKind::kReduce, CollectiveKind::kSendReceive, CollectiveKind::kHypercube})
    EXPECT_DOUBLE_EQ(busbw(kind), 1);
  EXPECT_DOUBLE_EQ(bandwidth_of(operation(CollectiveKind::kHypercube, 1 << 20, 4), 1e-3).algorithm, 0.75 * 1.048576);
  EXPECT_EQ(bandwidth_of(operation(CollectiveKind::kAllReduce, 8, 1), 1e-6).bus, 0);
  EXPECT_EQ(bandwidth_of(operation(CollectiveKind::kAllReduce, 8, 2), 0).algorithm, 0);
}

TEST(Result, SaysWhereEveryElementComesFrom) {
  const auto result = [](CollectiveKind kind, int rank) { return result_of(operation(kind, 96, 3, 1), rank); };
  EXPECT_THAT(result(CollectiveKind::kAllReduce, 2), ElementsAre(Segment{0, 24, -1, 0}));
  EXPECT_THAT(result(CollectiveKind::kReduce, 1), ElementsAre(Segment{0, 24, -1, 0}));
  EXPECT_THAT(result(CollectiveKind::kReduce, 2), ElementsAre());
  EXPECT_THAT(result(CollectiveKind::kReduceScatter, 2), ElementsAre(Segment{0, 8, -1, 16}));
  EXPECT_THAT(result(CollectiveKind::kBroadcast, 2), ElementsAre(Segment{0, 24, 1, 0}));
  EXPECT_THAT(result(CollectiveKind::kScatter, 2), ElementsAre(Segment{0, 8, 1, 16}));
  EXPECT_THAT(result(CollectiveKind::kSendReceive, 0), ElementsAre(Segment{0, 24, 2, 0}));
  const auto everybody = ElementsAre(Segment{0, 8, 0, 0}, Segment{8, 8, 1, 0}, Segment{16, 8, 2, 0});
  EXPECT_THAT(result(CollectiveKind::kAllGather, 2), everybody);
  EXPECT_THAT(result(CollectiveKind::kHypercube, 2), everybody);
  EXPECT_THAT(result(CollectiveKind::kGather, 1), everybody);
  EXPECT_THAT(result(CollectiveKind::kGather, 2), ElementsAre());
  EXPECT_THAT(result(CollectiveKind::kAllToAll, 2),
              ElementsAre(Segment{0, 8, 0, 16}, Segment{8, 8, 1, 16}, Segment{16, 8, 2, 16}));
}

TEST(UnevenAllToAll, GivesEveryPairAnotherNumberAndNobodyMoreThanAnEvenOne) {
  const Operation uneven = operation(CollectiveKind::kAllToAllV, 1600, 4);
  ASSERT_EQ(uneven.layout.count, 100u);
  EXPECT_THAT(uneven_parts(uneven, 0).counts, ElementsAre(40, 80, 120, 160));
  EXPECT_THAT(uneven_parts(uneven, 1).counts, ElementsAre(80, 120, 160, 40));
  EXPECT_THAT(uneven_parts(uneven, 1).offsets, ElementsAre(0, 80, 200, 360));
  for (int ranks : {1, 2, 3, 7, 8}) {
    const Operation any = operation(CollectiveKind::kAllToAllV, 12345, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      const auto result = result_of(any, rank);
      for (int peer = 0; peer < ranks; ++peer) {
        // What comes is what the peer sends, from where it sends it.
        const auto at = static_cast<std::size_t>(peer);
        const Parts sent = uneven_parts(any, peer);
        EXPECT_EQ(result[at].count, sent.counts[static_cast<std::size_t>(rank)]);
        EXPECT_EQ(result[at].source_begin, sent.offsets[static_cast<std::size_t>(rank)]);
      }
      EXPECT_LE(result.back().begin + result.back().count, any.layout.receive);
    }
  }
}

TEST(Operation, IsToldWithWhatBelongsToIt) {
  EXPECT_EQ(text_of(operation(CollectiveKind::kAllReduce, 512, 2)),
            "all-reduce of 512 bytes (float sum, out-of-place)");
  EXPECT_EQ(text_of(operation(CollectiveKind::kGather, 512, 2, 1)),
            "gather of 512 bytes (float, root 1, out-of-place)");
}

}  // namespace
}  // namespace ringrun::worker
