// Every collective of nccl-tests over MPI: right, and found wrong where one element is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "lib/host/host_name.hpp"
#include "tests/support/mpirun.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using testing::HasSubstr;

struct Collective {
  const char* name;
  bool reduces;
  bool has_root;
  bool is_checked_in_place;
};

const Collective collectives[] = {
    {"all_reduce", true, false, true},  {"all_gather", false, false, true}, {"reduce_scatter", true, false, true},
    {"broadcast", false, true, true},   {"reduce", true, true, true},       {"alltoall", false, false, false},
    {"alltoallv", false, false, false}, {"gather", false, true, true},      {"scatter", false, true, true},
    {"sendrecv", false, false, false},  {"hypercube", false, false, true},
};

class WorkerCollectives : public testing::TestWithParam<Collective> {
 protected:
  std::string program() const { return "./" + std::string(GetParam().name) + "_perf"; }
};

TEST_P(WorkerCollectives, AreRightInEveryTypeReductionAndRoot) {
  const int ranks = std::string(GetParam().name) == "hypercube" ? 4 : 3;
  const auto run = mpirun(ranks, {program(), "--backend", "mpi", "-b", "96", "-e", "96K", "-f", "32", "-n", "2", "-d",
                                  "all", "-o", "all", "-r", "all"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("# Collective test starting: " + std::string(GetParam().name) + "_perf\n"));
  std::set<std::string> combinations;
  std::size_t rows = 0;
  for (const SweepRow& row : sweep_rows(run.out)) {
    ++rows;
    combinations.insert(row.type + " " + row.op + " " + row.root);
    EXPECT_EQ(row.wrong_out_of_place, "0");
    EXPECT_EQ(row.wrong_in_place, GetParam().is_checked_in_place ? "0" : "N/A");
    EXPECT_EQ(row.op == "none", !GetParam().reduces);
    EXPECT_EQ(row.root == "-1", !GetParam().has_root);
  }
  const std::size_t expected =
      8u * (GetParam().reduces ? 4u : 1u) * (GetParam().has_root ? static_cast<std::size_t>(ranks) : 1u);
  EXPECT_EQ(combinations.size(), expected);
  EXPECT_EQ(rows, 3 * expected);
}

TEST_P(WorkerCollectives, AreRightInTheTimedOperationsToo) {
  const int ranks = std::string(GetParam().name) == "hypercube" ? 4 : 3;
  const auto run = mpirun(ranks, {program(), "--backend", "mpi", "-b", "96", "-e",    "96K", "-f",  "32", "-n", "7",
                                  "-c",      "timed",     "-m",  "2",  "-d", "int32", "-o",  "all", "-u", "1"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("# Out of bounds values : 0 OK"));
}

TEST_P(WorkerCollectives, AreFoundWrongWhereOneElementIs) {
  // 512 int32 among 2 ranks: MPI is asked for 512 or 256, of an uneven all-to-all for 341 with the first peer.
  const std::string name = GetParam().name;
  const bool whole = name == "all_reduce" || name == "broadcast" || name == "reduce" || name == "sendrecv";
  const std::string count = whole ? "512" : name == "alltoallv" ? "341" : "256";
  const std::string root = name == "broadcast" || name == "scatter" ? "0" : "1";
  const auto run =
      mpirun(2, {program(), "--backend", "mpi", "-b", "2K", "-e", "2K", "-d", "int32", "-n", "1", "-r", root},
             {.env = {{"LD_PRELOAD", CORRUPT_COLLECTIVES},
                      {"CORRUPT_RANK", "1"},
                      {"CORRUPT_COUNT", count},
                      {"CORRUPT_INDEX", "77"}}});
  EXPECT_EQ(run.exit_code, 7) << run.out << run.err;
  const auto rows = sweep_rows(run.out);
  ASSERT_EQ(rows.size(), 1u) << run.out;
  EXPECT_EQ(rows[0].wrong_out_of_place, "1");
  EXPECT_THAT(run.out, HasSubstr("# rank 1 on " + short_host_name(host_name()) + ": 1 wrong in the "));
  const bool is_part = name == "reduce_scatter" || name == "scatter";
  EXPECT_THAT(run.out, HasSubstr("first at element 77 of " + std::string(is_part ? "256" : "512") + ": expected "));
}

std::string name_of_case(const testing::TestParamInfo<Collective>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(OfNcclTests, WorkerCollectives, testing::ValuesIn(collectives), name_of_case);

TEST(WorkerCollective, IsFoundWrongInATimedOperationWhereThoseAreChecked) {
  // Of the operations of 2 KiB, one is untimed, five are timed, each in a part of its own, and then one is checked.
  const auto sweep = [](const std::string& check) {
    return mpirun(2,
                  {"./worker", "--backend", "mpi", "-b", "2K", "-e", "16K", "-f", "8", "-d", "int32", "-w", "0", "-n",
                   "5", "-c", check},
                  {.env = {{"LD_PRELOAD", CORRUPT_COLLECTIVES},
                           {"CORRUPT_RANK", "1"},
                           {"CORRUPT_COUNT", "512"},
                           {"CORRUPT_INDEX", "77"},
                           {"CORRUPT_CALL", "3"}}});
  };
  EXPECT_EQ(sweep("1").exit_code, 0);
  const auto run = sweep("timed");
  EXPECT_EQ(run.exit_code, 7) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("out-of-place) after timed iteration 2, first at element 77 of 512: expected "));
}

TEST_P(WorkerCollectives, AreRightWhereverTheyBeginInTheBuffers) {
  const int ranks = std::string(GetParam().name) == "hypercube" ? 4 : 3;
  const auto run = mpirun(ranks, {program(), "--backend", "mpi", "-b", "8", "-e", "256K", "-f", "2", "--soak", "2s",
                                  "-d", "all", "-o", "all", "-r", "all"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, testing::ContainsRegex("# Soak: [0-9]{2,} operations of [0-9.]+ GB together in .* s: OK\n"));
}

TEST(WorkerCollective, IsFoundWrongByASoak) {
  const auto run = mpirun(2, {"./worker", "--backend", "mpi", "-b", "2K", "-e", "2K", "-d", "int32", "--soak", "30s"},
                          {.env = {{"LD_PRELOAD", CORRUPT_COLLECTIVES},
                                   {"CORRUPT_RANK", "1"},
                                   {"CORRUPT_COUNT", "512"},
                                   {"CORRUPT_INDEX", "77"},
                                   {"CORRUPT_CALL", "3"}}});
  EXPECT_EQ(run.exit_code, 7) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("# rank 1 on " + short_host_name(host_name()) +
                                 ": 1 wrong in the all-reduce of 2048 bytes (int32 sum, "));
  EXPECT_THAT(run.out, testing::ContainsRegex("# Soak: 4 operations of .*: FAILED"));
  EXPECT_THAT(run.out, HasSubstr("# Out of bounds values : 1 FAILED"));
}

TEST(WorkerCollective, IsFoundWrongByASoakAtASizeThatNoStepReaches) {
  const auto run = mpirun(2, {"./worker", "--backend", "mpi", "-b", "2044", "-e", "2052", "--soak", "30s"},
                          {.env = {{"LD_PRELOAD", CORRUPT_COLLECTIVES},
                                   {"CORRUPT_RANK", "1"},
                                   {"CORRUPT_COUNT", "512"},
                                   {"CORRUPT_INDEX", "7"}}});
  EXPECT_EQ(run.exit_code, 7) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("# rank 1 on " + short_host_name(host_name()) +
                                 ": 1 wrong in the all-reduce of 2048 bytes (float sum, "));
}

TEST(WorkerCollective, RefusesAHypercubeOfThreeRanks) {
  const auto run = mpirun(3, {"./worker", "--backend", "mpi", "--collective", "hypercube"});
  EXPECT_EQ(run.exit_code, 5) << run.err;
  EXPECT_THAT(run.err, HasSubstr("a hypercube has 1, 2, 4, 8 … ranks, not 3"));
}

TEST(WorkerCollective, RefusesARootThatIsNoRank) {
  const auto run = mpirun(2, {"./broadcast_perf", "--backend", "mpi", "-r", "2"});
  EXPECT_EQ(run.exit_code, 5) << run.err;
  EXPECT_THAT(run.err, HasSubstr("-r 2: the last of 2 ranks is 1"));
}

}  // namespace
}  // namespace ringrun::test
