#include "worker/placement/launcher_cpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>

namespace ringrun::worker {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

/// A /proc whose processes a test writes.
class LauncherCpus : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "launcher_cpus.XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    proc_ = pattern;
  }
  void TearDown() override { fs::remove_all(proc_); }

  void add(const std::string& pid, int parent, const std::string& cpus,
           const std::map<std::string, std::string>& environment) {
    fs::create_directories(proc_ / pid);
    std::ofstream(proc_ / pid / "status") << "Name:\tx\nPPid:\t" << parent << "\nCpus_allowed_list:\t" << cpus << "\n";
    std::ofstream file(proc_ / pid / "environ");
    for (const auto& [name, value] : environment) file << name << '=' << value << '\0';
  }

  std::vector<int> cpus() const { return launcher_cpus(proc_).value_or(std::vector<int>{-1}); }

  fs::path proc_;
  const std::map<std::string, std::string> rank_{{"PMIX_NAMESPACE", "job1"}, {"PMIX_RANK", "1"}, {"HOME", "/root"}};
};

TEST_F(LauncherCpus, AreThoseOfTheDaemonAboveTheRanksOwnShells) {
  add("self", 40, "1", rank_);
  add("40", 30, "1", rank_);
  add("30", 1, "0-3,8", {{"HOME", "/root"}});
  EXPECT_THAT(cpus(), ElementsAre(0, 1, 2, 3, 8));
}

TEST_F(LauncherCpus, AreNotThoseOfAWrapperThatGaveTheRankFurtherVariables) {
  auto worker = rank_;
  worker["RANK"] = worker["LOCAL_RANK"] = "1";
  add("self", 40, "1", worker);
  add("40", 30, "1", rank_);
  add("30", 1, "0-3", {});
  EXPECT_THAT(cpus(), ElementsAre(0, 1, 2, 3));
}

TEST_F(LauncherCpus, AreThoseOfAnMpirunThatIsARankOfAnotherJobItself) {
  add("self", 40, "1", rank_);
  add("40", 30, "2,3", {{"PMIX_NAMESPACE", "job0"}, {"PMIX_RANK", "1"}});
  add("30", 1, "0-3", {});
  EXPECT_THAT(cpus(), ElementsAre(2, 3));
}

TEST_F(LauncherCpus, AreThoseOfADaemonWhoseEnvironmentIsNobodysToRead) {
  add("self", 40, "1", {{"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "0"}});
  add("40", 1, "0-1", {});
  fs::remove(proc_ / "40/environ");
  EXPECT_THAT(cpus(), ElementsAre(0, 1));
}

TEST_F(LauncherCpus, OfAProcessThatNobodyLaunchedAreItsShells) {
  add("self", 40, "1", {{"HOME", "/root"}});
  add("40", 30, "0,1", {{"HOME", "/root"}});
  add("30", 1, "0-3", {});
  EXPECT_THAT(cpus(), ElementsAre(0, 1));
}

TEST_F(LauncherCpus, AreUnknownWhereTheLauncherIsOutsideTheContainer) {
  add("self", 0, "1", rank_);
  EXPECT_FALSE(launcher_cpus(proc_));
}

}  // namespace
}  // namespace ringrun::worker
