// Buffers that do not fit, refused before anybody takes one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "tests/support/mpirun.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(WorkerMemory, IsRefusedWhereTheHostHasLess) {
  const auto run = mpirun(2, {"./worker", "--backend", "mpi", "-b", "8", "-e", "4T", "-f", "2"});
  EXPECT_EQ(run.exit_code, 5) << run.err;
  EXPECT_THAT(run.err,
              HasSubstr("for each of 2 ranks, and one that MPI takes beside, do not fit into the free memory of "));
  EXPECT_THAT(run.err, Not(ContainsRegex("do not fit.*\n(.*\n)*.*do not fit"))) << "said once";
}

/// A control group with a limit of 512 MiB, where this user may make one.
class LimitedGroup {
 public:
  LimitedGroup() {
    // As the kernel names it for this process; in either generation.
    for (const auto& [mount, limit] :
         {std::pair{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"}}) {
      const std::filesystem::path folder = std::filesystem::path(mount) / ("ringrun-test-" + std::to_string(getpid()));
      std::error_code failed;
      if (!std::filesystem::create_directory(folder, failed)) continue;
      folder_ = folder;
      if (std::filesystem::exists(folder / limit) && (std::ofstream(folder / limit) << (512 << 20) << std::flush)) {
        is_limited_ = true;
        return;
      }
      remove();
    }
  }
  ~LimitedGroup() { remove(); }
  LimitedGroup(const LimitedGroup&) = delete;
  LimitedGroup& operator=(const LimitedGroup&) = delete;

  bool is_limited() const { return is_limited_; }
  std::string processes() const { return folder_ / "cgroup.procs"; }

 private:
  void remove() const { ::rmdir(folder_.c_str()); }

  std::filesystem::path folder_;
  bool is_limited_ = false;
};

TEST(WorkerMemory, IsRefusedWhereAControlGroupAllowsLess) {
  const LimitedGroup group;
  if (!group.is_limited()) GTEST_SKIP() << "no control group with a limit can be made here";
  const auto sweep_of = [&](const std::string& size) {
    return mpirun(
        2, {"sh", "-c",
            "echo $$ >" + group.processes() + " && exec ./worker --backend mpi -n 1 -b " + size + " -e " + size});
  };
  const auto run = sweep_of("96M");
  EXPECT_EQ(run.exit_code, 5) << run.err;
  EXPECT_THAT(run.err, HasSubstr("two buffers of 96M for each of 2 ranks, and one that MPI takes beside, do not fit "
                                 "into what the memory limit of cgroup /"));
  EXPECT_THAT(run.err, Not(ContainsRegex("do not fit.*\n(.*\n)*.*do not fit"))) << "said once";
  const auto small = sweep_of("1M");
  EXPECT_EQ(small.exit_code, 0) << small.err;
}

}  // namespace
}  // namespace ringrun::test
