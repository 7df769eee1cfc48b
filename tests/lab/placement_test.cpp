// What the worker does about its own placement on two hosts, whose drivers show two GPUs each, where another launcher
// than ringrun started it.
#include <gmock/gmock.h>
#include <sched.h>

#include <filesystem>

#include "tests/lab/slurm_lab.hpp"
#include "tests/support/cannot_run.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

bool has_two_cpus() {
  cpu_set_t mask;
  return sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) > 1 && CPU_ISSET(0, &mask);
}

const std::string kGpus = std::string("LD_LIBRARY_PATH=") + RINGRUN_TWO_GPUS;

std::vector<std::string> with_sweep(std::vector<std::string> words) {
  for (const char* word : {"./worker", "-b", "8", "-e", "8", "-n", "1", "--report-bindings"}) words.emplace_back(word);
  return words;
}

/// Each rank may use more than the first core of its host, and it is said once.
void expect_widened(const CommandResult& result, const std::string& instead_of) {
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_right_rows(result.out, 8, 8);
  EXPECT_THAT(result.out, ContainsRegex("# Placement: a share of the CPUs[^\n]*, " + instead_of));
  EXPECT_THAT(result.out, ContainsRegex("\n#  +0  a +0[,-]"));
  EXPECT_THAT(result.out, ContainsRegex("\n#  +1  b +0[,-]"));
}

class LabPlacement : public Lab, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    if (std::filesystem::exists("/dev/nvidia0")) GTEST_SKIP() << "the sweep would be of this machine's own GPUs";
    if (!has_two_cpus()) RINGRUN_CANNOT_RUN("processors 0 and 1 are not both to be used");
    bring_up_with_open_mpi(GetParam(), 2);
    Lab::SetUp();
  }

  static CommandResult mpirun(std::vector<std::string> words) {
    // The lab's own wish, since its hosts share the cores.
    words.insert(words.begin(),
                 {"env", "-u", "OMPI_MCA_hwloc_base_binding_policy", "-u", "PRTE_MCA_hwloc_default_binding_policy",
                  "mpirun", "-np", "2", "-hostfile", "hostfiles/ab", "-x", kGpus});
    return on("a", with_sweep(std::move(words)));
  }
};

TEST_P(LabPlacement, WidensTheDefaultOfMpirunOnBothHosts) {
  expect_widened(mpirun({}), "instead of mpirun's default \\(core\\)");
}

TEST_P(LabPlacement, KeepsWhatMpirunWasToldToBind) {
  const auto result = mpirun({"--bind-to", "core"});
  EXPECT_THAT(result.out, HasSubstr("# Placement: kept as asked for by --bind-to core\n")) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("\n#  +1  b +0 "));
}

INSTANTIATE_TEST_SUITE_P(OnOpenMpi, LabPlacement, testing::Values(4, 5), testing::PrintToStringParamName());

class LabSlurmPlacement : public SlurmLab {
 protected:
  void SetUp() override {
    if (std::filesystem::exists("/dev/nvidia0")) GTEST_SKIP() << "the sweep would be of this machine's own GPUs";
    if (!has_two_cpus()) RINGRUN_CANNOT_RUN("processors 0 and 1 are not both to be used");
    SlurmLab::SetUp();
  }
};

TEST_F(LabSlurmPlacement, IsTheWorkersWhereSrunBoundNothing) {
  expect_widened(on("a", with_sweep({"env", kGpus, "srun", "--mpi=pmix", "-N2", "-n2"})), "where nothing was bound");
}

TEST_F(LabSlurmPlacement, IsLeftAsItIsWhereSrunIsToldSo) {
  const auto result = on("a", with_sweep({"env", kGpus, "srun", "--cpu-bind=none", "--mpi=pmix", "-N2", "-n2"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("# Placement: kept as asked for by --cpu-bind=none\n"));
}

}  // namespace
}  // namespace ringrun::test
