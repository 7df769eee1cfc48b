// What a rank finds in its environment on each of two hosts.
#include <gmock/gmock.h>

#include "tests/lab/lab_fixture.hpp"

namespace ringrun::test {
namespace {

using testing::HasSubstr;

using LabEnvironment = Lab;

TEST_F(LabEnvironment, RanksFindTheRendezvousContract) {
  const auto result = on("a", {built_program("ringrun"), "-hostfile", "hostfiles/ab", "sh", "-c",
                               "echo $RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $GROUP_RANK $NODE_RANK "
                               "$MASTER_ADDR $MASTER_PORT $(hostname)"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("0 0 2 1 0 0 192.168.1.5 8888 a\n"));
  EXPECT_THAT(result.out, HasSubstr("1 0 2 1 1 1 192.168.1.5 8888 b\n"));
}

TEST_F(LabEnvironment, RanksOfOneHostAreCountedOnThatHost) {
  const auto hosts = shared_file("two_each", "192.168.1.5 slots=2\n192.168.1.6 slots=2\n");
  const auto result = on("a", {built_program("ringrun"), "-hostfile", hosts, "sh", "-c",
                               "echo $RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $GROUP_RANK $(hostname)"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* line : {"0 0 4 2 0 a\n", "1 1 4 2 0 a\n", "2 0 4 2 1 b\n", "3 1 4 2 1 b\n"})
    EXPECT_THAT(result.out, HasSubstr(line));
}

}  // namespace
}  // namespace ringrun::test
