#include "worker/backend/nccl/nccl_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ringrun::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class NcclLogTest : public testing::Test {
 protected:
  NcclLogTest() { forget(); }
  ~NcclLogTest() override { forget(); }

  static void forget() {
    for (const char* name : {"NCCL_DEBUG", "NCCL_DEBUG_FILE", "NCCL_DEBUG_SUBSYS"}) unsetenv(name);
  }

  NcclLog log_;
};

TEST_F(NcclLogTest, TellsTheTransportsAndPassesWarningsOn) {
  setenv("NCCL_DEBUG", "WARN", 1);
  log_.open();
  const std::string file = std::getenv("NCCL_DEBUG_FILE");
  EXPECT_STREQ(std::getenv("NCCL_DEBUG"), "INFO");
  std::ofstream nccl(file);
  log_.remove_name();
  EXPECT_FALSE(std::filesystem::exists(file));
  testing::internal::CaptureStderr();
  nccl << "vm:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
       << "vm:1:2 [0] NCCL INFO Channel 00/0 : 1[0] -> 2[0] [send] via NET/Socket/0/Shared\n"
       << "vm:1:2 [0] NCCL WARN something is wrong\n"
       << "vm:1:2 [0] NCCL INFO Channel 01 : 0[0] -> 1[1] via SHM/dir" << std::flush;
  EXPECT_THAT(log_.read_transports(), ElementsAre("NET/Socket", "P2P/CUMEM"));
  nccl << "ect/direct\n" << std::flush;
  EXPECT_THAT(log_.read_transports(), ElementsAre("NET/Socket", "P2P/CUMEM", "SHM/direct"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "vm:1:2 [0] NCCL WARN something is wrong\n");
}

TEST_F(NcclLogTest, LeavesAUsersLogAlone) {
  setenv("NCCL_DEBUG", "INFO", 1);
  log_.open();
  EXPECT_EQ(std::getenv("NCCL_DEBUG_FILE"), nullptr);
  EXPECT_EQ(std::getenv("NCCL_DEBUG_SUBSYS"), nullptr);
  EXPECT_THAT(log_.read_transports(), IsEmpty());
}

}  // namespace
}  // namespace ringrun::worker
