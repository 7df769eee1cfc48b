#include "worker/backend/backend_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringrun::worker {
namespace {

using testing::HasSubstr;

std::string text_of(const std::optional<Unsupported>& refused) {
  if (!refused) return "accepted";
  EXPECT_FALSE(refused->remedy().empty());
  return refused->what();
}

std::string by_mpi(const std::vector<std::string>& arguments) {
  return text_of(refusal_by_mpi(parse_options(arguments)));
}

std::string by_nccl(const std::vector<std::string>& arguments, int version) {
  return text_of(refusal_by_nccl(parse_options(arguments), version));
}

std::string by_groups(const std::vector<std::string>& arguments, const std::vector<int>& groups) {
  return text_of(refusal_by_groups(parse_options(arguments), groups));
}

TEST(BackendLimits, OfMpiAreToldByTheOption) {
  EXPECT_EQ(by_mpi({}), "accepted");
  EXPECT_EQ(by_mpi({"-z", "1", "-m", "4", "-I", "1", "-K", "2", "-C", "1", "-S", "1", "-M", "1", "-u", "3", "-p", "1"}),
            "accepted");
  EXPECT_THAT(by_mpi({"-g", "2"}), HasSubstr("-g 2"));
  EXPECT_THAT(by_mpi({"-t", "2"}), HasSubstr("-t 2"));
  EXPECT_THAT(by_mpi({"-G", "1"}), HasSubstr("-G"));
  EXPECT_THAT(by_mpi({"-R", "1"}), HasSubstr("-R"));
  EXPECT_THAT(by_mpi({"-x", "1"}), HasSubstr("-x"));
  EXPECT_THAT(by_mpi({"-y", "1"}), HasSubstr("-y"));
  EXPECT_THAT(by_mpi({"-D", "1"}), HasSubstr("-D 1"));
}

TEST(BackendLimits, OfNcclAreThoseOfItsVersion) {
  const std::vector<std::string> everything{"-t", "2", "-g", "2", "-G", "3", "-R", "1", "-y", "0", "-p", "1"};
  EXPECT_EQ(by_nccl(everything, 21903), "accepted");
  EXPECT_EQ(by_nccl({"-R", "2", "-x", "2"}, 22809), "accepted");
  EXPECT_EQ(by_nccl({"-R", "2"}, 22605), "-R 2 needs NCCL 2.27, this is 22605");
  EXPECT_EQ(by_nccl({"-x", "1"}, 22605), "-x 1 needs NCCL 2.27, this is 22605");
  EXPECT_THAT(by_nccl({"-D", "2"}, 22809), HasSubstr("-D 2"));
}

TEST(BackendLimits, OfGroupsAreTheirNumbersOfRanks) {
  EXPECT_EQ(by_groups({"--collective", "hypercube"}, {4, 2}), "accepted");
  EXPECT_THAT(by_groups({"--collective", "hypercube"}, {4, 6}), HasSubstr("not 6"));
  EXPECT_EQ(by_groups({"--collective", "reduce", "-r", "all"}, {3, 3}), "accepted");
  EXPECT_EQ(by_groups({"--collective", "reduce", "-r", "all"}, {2, 3}), "-r all: the groups have from 2 to 3 ranks");
  EXPECT_EQ(by_groups({"--collective", "reduce", "-r", "2"}, {3, 2}), "-r 2: the last of 2 ranks is 1");
  EXPECT_EQ(by_groups({"-r", "2"}, {2}), "accepted");
}

TEST(BackendLimits, OfNcclOnOneRankAreEightBitFloatsThatAreMultiplied) {
  const auto on_ranks = [](int ranks, CollectiveKind kind, DataType type, ReduceOp op) {
    Operation operation;
    operation.kind = kind;
    operation.type = type;
    operation.op = op;
    operation.ranks = ranks;
    return refusal_on_one_rank(operation).value_or("accepted");
  };
  const auto kReduce = CollectiveKind::kReduce;
  EXPECT_EQ(on_ranks(1, kReduce, DataType::kFloat8e4m3, ReduceOp::kAvg), "NCCL has no avg of f8e4m3 on one rank");
  EXPECT_EQ(on_ranks(1, kReduce, DataType::kFloat8e5m2, ReduceOp::kMulSum), "NCCL has no mulsum of f8e5m2 on one rank");
  EXPECT_EQ(on_ranks(1, kReduce, DataType::kFloat8e5m2, ReduceOp::kMax), "accepted");
  EXPECT_EQ(on_ranks(1, kReduce, DataType::kHalf, ReduceOp::kAvg), "accepted");
  EXPECT_EQ(on_ranks(2, kReduce, DataType::kFloat8e4m3, ReduceOp::kAvg), "accepted");
  EXPECT_EQ(on_ranks(1, CollectiveKind::kBroadcast, DataType::kFloat8e4m3, ReduceOp::kAvg), "accepted");
}

}  // namespace
}  // namespace ringrun::worker
