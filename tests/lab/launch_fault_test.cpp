// Launches that cannot work: the code says whose fault it is, and the message names the place.
#include <gmock/gmock.h>

#include "tests/lab/lab_fixture.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class LabLaunchFault : public Lab {
 protected:
  static CommandResult ringrun(const std::string& hostfile, const std::vector<std::string>& program) {
    std::vector<std::string> argv{built_program("ringrun"), "-hostfile", hostfile};
    argv.insert(argv.end(), program.begin(), program.end());
    return on("a", argv);
  }
};

TEST_F(LabLaunchFault, AWrongHostfileIsNamedWithItsLine) {
  const auto hosts = shared_file("wrong", "192.168.1.5 slots=1\n192.168.1.6 slots=many\n");
  const auto result = ringrun(hosts, {"true"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(hosts + ":2"));
}

TEST_F(LabLaunchFault, AMissingHostfileIsNamed) {
  const auto result = ringrun("/run/lab/none", {"true"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("/run/lab/none"));
}

TEST_F(LabLaunchFault, AMissingProgramIsNamedWithAHost) {
  const auto result = ringrun("hostfiles/ab", {"./no-such-program"});
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_THAT(result.err, HasSubstr("no-such-program"));
  EXPECT_THAT(result.err, ContainsRegex("192\\.168\\.1\\.[56]|on [ab]\\b"));
}

TEST_F(LabLaunchFault, AProgramMissingOnOneHostIsNamedWithThatHost) {
  ASSERT_EQ(on("a", {"cp", "/bin/true", "/tmp/only-on-a"}).exit_code, 0);
  const auto result = ringrun("hostfiles/ab", {"/tmp/only-on-a"});
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_THAT(result.err, HasSubstr("/tmp/only-on-a"));
  EXPECT_THAT(result.err, HasSubstr("192.168.1.6"));
}

TEST_F(LabLaunchFault, AnUnreachableHostIsNamedAndTheOthersAreNotBlamed) {
  const auto hosts = shared_file("unreachable", "192.168.1.5 slots=1\n192.168.1.6 slots=1\n192.168.1.99 slots=1\n");
  const auto result = ringrun(hosts, {"true"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_LT(result.elapsed, seconds(20));
  EXPECT_THAT(result.err, HasSubstr("192.168.1.99"));
  EXPECT_THAT(result.err, Not(HasSubstr("192.168.1.6")));
}

TEST_F(LabLaunchFault, AnAddressWithoutAMachineIsNamedThroughRealSsh) {
  start_sshd("b", 2222);
  const auto hosts =
      shared_file("no_machine", "192.168.1.5 slots=1\n192.168.1.6 slots=1 port=2222\n192.168.1.99 slots=1\n");
  const auto result = on_with_ssh("a", {built_program("ringrun"), "-hostfile", hosts, "true"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_LT(result.elapsed, seconds(30));
  EXPECT_THAT(result.err, HasSubstr("192.168.1.99"));
  EXPECT_THAT(result.err, Not(HasSubstr("192.168.1.6")));
}

}  // namespace
}  // namespace ringrun::test
