// Jobs in a real Slurm cluster of two nodes: hosts and ranks are the allocation's, whichever engine starts them.
#include <gmock/gmock.h>

#include "tests/lab/slurm_lab.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr long long lowest = 8;
constexpr long long highest = 64 << 10;

void expect_right_sweep(const std::string& table) {
  EXPECT_THAT(table, ContainsRegex("#  Rank  0 Group  0 Pid +[0-9]+ on +a (device|host memory)"));
  EXPECT_THAT(table, ContainsRegex("#  Rank  1 Group  0 Pid +[0-9]+ on +b (device|host memory)"));
  expect_right_rows(table, lowest, highest);
}

const std::vector<std::string> sweep{"./worker", "-b", "8", "-e", "64K", "-f", "2"};

class LabSlurm : public SlurmLab {
 protected:
  static std::vector<std::string> ringrun(const std::string& engine, const std::vector<std::string>& words) {
    std::vector<std::string> line{built_program("ringrun"), "--engine", engine};
    line.insert(line.end(), words.begin(), words.end());
    return line;
  }
  static CommandResult fail(const std::string& engine, const std::string& fault, const std::string& ranks) {
    return on("a", in_allocation({"-N2", "-n2"}, ringrun(engine, {fault_rank, fault, ranks})));
  }
  static inline const std::string fault_rank = RINGRUN_BIN_DIR "/../tests/fault_rank";
};

TEST_F(LabSlurm, SrunStartsTheWorkerWithoutRingrun) {
  std::vector<std::string> line{"srun", "--mpi=pmix", "-N2", "-n2"};
  line.insert(line.end(), sweep.begin(), sweep.end());
  const auto result = on("a", line);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_right_sweep(result.out);
}

TEST_F(LabSlurm, AProgramThatANodeLacksIsCopiedThere) {
  // Each node has its own /tmp and home folder.
  for (const std::string engine : {"slurm", "openmpi"}) {
    const std::string program = "/tmp/prog-" + engine;
    on("a",
       {"sh", "-c", "printf '#!/bin/sh\necho " + engine + " on $(hostname)\n' >" + program + "; chmod +x " + program});
    const auto result = on("a", in_allocation({"-N2", "-n2"}, ringrun(engine, {program})));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("ringrun: copied " + program + " (1K) to b\n"));
    EXPECT_THAT(result.out, HasSubstr(engine + " on a\n"));
    EXPECT_THAT(result.out, HasSubstr(engine + " on b\n"));
  }
}

TEST_F(LabSlurm, TheEngineIsMpirunUnlessSrunIsAskedFor) {
  const auto by_itself = on("a", in_allocation({"-N2", "-n2"}, ringrun("auto", {"--dry-run", "hostname"})));
  EXPECT_EQ(by_itself.exit_code, 0) << by_itself.err;
  EXPECT_THAT(by_itself.out, ContainsRegex("\n[^\n]*mpirun "));
  const auto asked = on("a", in_allocation({"-N2", "-n2"}, ringrun("slurm", {"--dry-run", "hostname"})));
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_THAT(asked.out, ContainsRegex("\n[^\n]*srun "));
}

// srun takes that for the end of a job that the others still wait in.
TEST_F(LabSlurm, UnderMpirunARankThatEndsWithoutFinalizeIsAFailure) {
  EXPECT_EQ(fail("openmpi", "silent", "last").exit_code, 1);
}

class LabSlurmEngine : public LabSlurm, public testing::WithParamInterface<const char*> {
 protected:
  static std::vector<std::string> job(const std::vector<std::string>& allocation,
                                      const std::vector<std::string>& program) {
    return in_allocation(allocation, ringrun(GetParam(), program));
  }
};

TEST_P(LabSlurmEngine, RunsTheAllocationsRanksOnItsNodes) {
  const auto result = on("a", job({"-N2", "-n2"}, sweep));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_right_sweep(result.out);
}

TEST_P(LabSlurmEngine, NodesMayHaveDifferentNumbersOfTasks) {
  const std::string script =
      "echo $RANK of $WORLD_SIZE, $LOCAL_RANK of $LOCAL_WORLD_SIZE on $(hostname), node $NODE_RANK";
  const auto result = on("a", job({"-N2", "-n3", "--distribution=block"}, {"sh", "-c", script}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("0 of 3, 0 of 2 on a, node 0\n"));
  EXPECT_THAT(result.out, HasSubstr("1 of 3, 1 of 2 on a, node 0\n"));
  EXPECT_THAT(result.out, HasSubstr("2 of 3, 0 of 1 on b, node 1\n"));
}

TEST_P(LabSlurmEngine, EndsWithTheFailedRanksCode) {
  EXPECT_EQ(fail(GetParam(), "exit3", "last").exit_code, 3);
  EXPECT_EQ(fail(GetParam(), "segv", "last").exit_code, 139);
  EXPECT_EQ(fail(GetParam(), "mpi7", "first").exit_code, 7);
}

TEST_P(LabSlurmEngine, GivesStandardInputToRank0Alone) {
  std::vector<std::string> line{"sh", "-c", "echo words | \"$@\"", "sh"};
  const auto reader = job({"-N2", "-n2"}, {"sh", "-c", "echo $RANK got \"$(cat)\""});
  line.insert(line.end(), reader.begin(), reader.end());
  const auto result = on("a", line);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("0 got words\n"));
  EXPECT_THAT(result.out, HasSubstr("1 got \n"));
}

TEST_P(LabSlurmEngine, AnInterruptEndsEveryRank) {
  auto running = start("a", job({"-N2", "-n2"}, {fault_rank, "deaf"}));
  ASSERT_TRUE(running.wait_for_output("every rank is there")) << running.output();
  const auto from = std::chrono::steady_clock::now();
  send_signal("a", "INT", launcher_pid("a"));
  EXPECT_EQ(running.finish().exit_code, 130);
  expect_no_process_left();
  EXPECT_LT(std::chrono::steady_clock::now() - from, seconds(5));
}

TEST_P(LabSlurmEngine, ACancelledJobLeavesNothingBehind) {
  const auto script = shared_file("job.sh", "#!/bin/sh\nexec " + built_program("ringrun") + " --engine " + GetParam() +
                                                " " + fault_rank + " deaf\n");
  const auto number = submit({"-N2", "-n2", script});
  ASSERT_TRUE(
      wait_until([&] { return batch_output(number).find("every rank is there") != std::string::npos; }, seconds(20)))
      << batch_output(number);
  on("a", {"scancel", number});
  EXPECT_EQ(batch_result(number).state, "CANCELLED");
  expect_no_process_left();
}

INSTANTIATE_TEST_SUITE_P(By, LabSlurmEngine, testing::Values("openmpi", "slurm"),
                         [](const auto& chosen) { return std::string(chosen.param); });

}  // namespace
}  // namespace ringrun::test
