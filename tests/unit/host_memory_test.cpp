// What memory a process may still take: the host's, and what control groups limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "lib/host/memory_rooms.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;
using testing::SizeIs;

constexpr std::int64_t kMebibyte = 1 << 20;

/// A host whose files of /proc and /sys are the test's.
class MemoryRooms : public testing::Test {
 protected:
  MemoryRooms() : root_(fs::temp_directory_path() / ("ringrun-rooms-" + std::to_string(getpid()))) {}
  ~MemoryRooms() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    const fs::path path = root_ / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::vector<MemoryRoom> rooms() const { return read_memory_rooms(root_); }

  static std::string mount(const std::string& group, const std::string& point, const std::string& type) {
    return "31 23 0:28 " + group + " " + point + " rw,relatime shared:4 - " + type + "\n";
  }

 private:
  fs::path root_;
};

TEST_F(MemoryRooms, AreTheHostsWhereNothingIsLimited) {
  write("proc/meminfo", "MemTotal: 4096 kB\nMemFree: 1024 kB\nMemAvailable:    2048 kB\n");
  write("proc/self/cgroup", "0::/user.slice/session-1.scope\n");
  write("proc/self/mountinfo", mount("/", "/sys/fs/cgroup", "cgroup2 cgroup2 rw"));
  write("sys/fs/cgroup/user.slice/memory.max", "max\n");
  const auto all = rooms();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].cgroup, "");
  EXPECT_EQ(all[0].unused_bytes, 2 * kMebibyte);
}

TEST_F(MemoryRooms, AreThoseOfEveryGroupAboveWhichHasALimit) {
  write("proc/self/cgroup", "0::/slurm/job_1/step_0/task_0\n");
  write("proc/self/mountinfo", mount("/", "/sys/fs/cgroup", "cgroup2 cgroup2 rw"));
  write("sys/fs/cgroup/slurm/job_1/step_0/task_0/memory.max", "max\n");
  write("sys/fs/cgroup/slurm/job_1/step_0/memory.max", "104857600\n");
  write("sys/fs/cgroup/slurm/job_1/step_0/memory.current", "41943040\n");
  // 10 MiB of it are files, which the kernel forgets before it kills anybody; what a tmpfs holds it cannot.
  write("sys/fs/cgroup/slurm/job_1/step_0/memory.stat",
        "anon 1048576\nfile 20971520\nshmem 10485760\ninactive_file 8388608\nactive_file 2097152\n");
  write("sys/fs/cgroup/slurm/job_1/memory.max", "209715200\n");
  const auto all = rooms();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].cgroup, "/slurm/job_1/step_0");
  EXPECT_EQ(all[0].limit_bytes, 100 * kMebibyte);
  EXPECT_EQ(all[0].unused_bytes, 70 * kMebibyte);
  EXPECT_EQ(all[1].cgroup, "/slurm/job_1");
  EXPECT_EQ(all[1].unused_bytes, 200 * kMebibyte);
  EXPECT_NE(all[0].id, all[1].id);
}

TEST_F(MemoryRooms, AreThoseOfTheFirstGenerationToo) {
  write("proc/self/cgroup", "5:cpu:/\n4:hugetlb,memory:/job\n0::/\n");
  write("proc/self/mountinfo", mount("/", "/sys/fs/cgroup/cpu", "cgroup cgroup rw,cpu") +
                                   mount("/", "/sys/fs/cgroup/memory", "cgroup cgroup rw,hugetlb,memory") +
                                   mount("/", "/sys/fs/cgroup/unified", "cgroup2 cgroup2 rw"));
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "104857600\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "52428800\n");
  write("sys/fs/cgroup/memory/job/memory.stat", "inactive_file 0\ntotal_inactive_file 10485760\n");
  const auto all = rooms();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].cgroup, "/job");
  EXPECT_EQ(all[0].unused_bytes, 60 * kMebibyte);
}

// docker on the first generation: the path is the host's, and its last part stands where the whole would be.
TEST_F(MemoryRooms, AreFoundInAContainerThatSeesTheHostsPath) {
  write("proc/self/cgroup", "4:memory:/docker/4c0e/inner\n");
  write("proc/self/mountinfo", mount("/docker/4c0e", "/sys/fs/cgroup/memory", "cgroup cgroup rw,memory"));
  write("sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "10485760\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "104857600\n");
  const auto all = rooms();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].cgroup, "/docker/4c0e/inner");
  EXPECT_EQ(all[1].cgroup, "/docker/4c0e");
}

// A namespace of its own hides the path; a process that was moved there from outside has one that leads out of it.
TEST_F(MemoryRooms, AreFoundInAContainerThatSeesItsOwnPathAlone) {
  write("proc/self/mountinfo", mount("/", "/sys/fs/cgroup", "cgroup2 cgroup rw,nsdelegate"));
  write("sys/fs/cgroup/memory.max", "104857600\n");
  write("sys/fs/memory.max", "1\n");
  for (const char* path : {"/", "/../../other"}) {
    write("proc/self/cgroup", std::string("0::") + path + "\n");
    const auto all = rooms();
    ASSERT_THAT(all, SizeIs(1)) << path;
    EXPECT_EQ(all[0].cgroup, "/");
    EXPECT_EQ(all[0].limit_bytes, 100 * kMebibyte);
  }
}

TEST_F(MemoryRooms, AreNoneWhereNothingIsSaid) { EXPECT_THAT(rooms(), SizeIs(0)); }

}  // namespace
}  // namespace ringrun
