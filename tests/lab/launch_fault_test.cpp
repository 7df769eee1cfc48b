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

TEST_F(LabLaunchFault, AProgramMissingOnTheLaunchingHostIsNamedWithThatHost) {
  // The other way round it would be copied.
  ASSERT_EQ(on("b", {"cp", "/bin/true", "/tmp/only-on-b"}).exit_code, 0);
  const auto result = ringrun("hostfiles/ab", {"/tmp/only-on-b"});
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_THAT(result.err, HasSubstr("/tmp/only-on-b does not exist on 192.168.1.5\n"));
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

/// A start that stalls, each time somewhere else.
class LabStall : public Lab {
 protected:
  static CommandResult ringrun(const std::vector<std::string>& options) {
    std::vector<std::string> argv{built_program("ringrun"), "--start-timeout", "7", "-hostfile", "hostfiles/ab"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.push_back("true");
    return on("a", argv);
  }

  static std::string script(const std::string& name, const std::string& text) {
    const std::string path = shared_file(name, "#!/bin/sh\n" + text);
    EXPECT_EQ(on("a", {"chmod", "755", path}).exit_code, 0);
    return path;
  }

  static void expect_stall(const CommandResult& result, const std::string& stage) {
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_LT(result.elapsed, seconds(15));
    EXPECT_THAT(result.err, HasSubstr("ringrun: warning: no rank has started yet; " + stage));
    EXPECT_THAT(result.err,
                HasSubstr("ringrun: the job did not start within 7 s (--start-timeout) and is ended; " + stage));
    expect_no_process_left();
  }
};

const std::string remote_shell = RINGRUN_SOURCE_DIR "/tests/lab/remote-shell";

TEST_F(LabStall, OfTheRemoteShellIsToldWithItsHost) {
  const std::string shell =
      script("slow-shell", "case \"$*\" in *orted*) exec sleep 1000 ;; esac\nexec " + remote_shell + " \"$@\"\n");
  expect_stall(ringrun({"--mca", "plm_rsh_agent", shell}), "stage remote shell: the login on 192.168.1.6 has not run");
}

TEST_F(LabStall, OfARemoteShellThatFailsIsNotWaitedFor) {
  const std::string shell =
      script("failing-shell", "case \"$*\" in *orted*) exit 255 ;; esac\nexec " + remote_shell + " \"$@\"\n");
  const auto result = ringrun({"--mca", "plm_rsh_agent", shell});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_LT(result.elapsed, seconds(5));
  EXPECT_THAT(result.err, HasSubstr("stage remote shell: that to 192.168.1.6 ended with code 255"));
}

/// A script stands in a program's place on host b.
class LabStallOnB : public LabStall {
 protected:
  void replace(const std::string& program, const std::string& text) {
    ASSERT_EQ(on("b", {"mount", "--bind", script("instead", text), program}).exit_code, 0);
    replaced_ = program;
  }
  void TearDown() override {
    if (!replaced_.empty()) {
      EXPECT_EQ(on("b", {"umount", replaced_}).exit_code, 0);
    }
    LabStall::TearDown();
  }

  std::string replaced_;
};

TEST_F(LabStallOnB, OfTheDaemonIsToldWithItsHost) {
  replace("/usr/bin/orted", "exec sleep 1000\n");
  expect_stall(ringrun({}), "stage daemon: mpirun's daemon was started on 192.168.1.6 and has not connected");
}

TEST_F(LabStallOnB, OfTheWrapperIsToldWithItsHost) {
  const std::string program = built_program("ringrun");
  const std::string copy = shared_file("ringrun", "");
  ASSERT_EQ(on("b", {"cp", "--preserve=mode", program, copy}).exit_code, 0);
  replace(program, "[ \"$1\" = __rank ] && exec sleep 1000\nexec " + copy + " \"$@\"\n");
  expect_stall(ringrun({}), "stage wrapper: mpirun's daemon on 192.168.1.6 has started no rank");
}

}  // namespace
}  // namespace ringrun::test
