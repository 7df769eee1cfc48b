#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/cli/ringrun_fixture.hpp"

namespace ringrun::test {
namespace {

using testing::HasSubstr;

/// hostfiles/examples/ssh_loop with a stand-in for ssh that only says whom it was to reach.
class SshLoop : public Ringrun {
 protected:
  CommandResult loop(const std::string& hosts) {
    const std::string stand_in =
        file("ssh", "#!/bin/sh\nwhile [ \"$1\" != -p ]; do shift; done; echo \"$3 port $2\"\n");
    std::filesystem::permissions(stand_in, std::filesystem::perms::owner_all);
    CommandOptions options;
    options.env = {{"PATH", folder_ + ":" + std::getenv("PATH")}};
    return run_command({RINGRUN_SOURCE_DIR "/hostfiles/examples/ssh_loop", file("hosts", hosts), "sh", "-c",
                        "echo rank $RANK of $WORLD_SIZE"},
                       options);
  }
};

TEST_F(SshLoop, ReadsWhatMpirunReads) {
  const CommandResult result = loop(
      "# comment\r\n127.0.0.1 slots = 2 // first\r\n/* not\r\nb */ joe@127.0.0.2 port = 2222 max_slots=4\r\n"
      "127.0.0.3 username=ann #: env.X=1\r\n127.0.0.1\r\nn4 slots=0\r\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("rank 0 of 3\n"));
  EXPECT_THAT(result.out, HasSubstr("joe@127.0.0.2 port 2222\n"));
  EXPECT_THAT(result.out, HasSubstr("ann@127.0.0.3 port 22\n"));
}

TEST_F(SshLoop, RefusesWithItsLineWhatRingrunAloneReads) {
  for (const char* line : {"n[1-3]", "b:4", "^b", "fd00::1", "b ifname=x", "b port", "b slots=1 #: via=docker:n"}) {
    const CommandResult result = loop("127.0.0.1\n" + std::string(line) + "\n");
    EXPECT_EQ(result.exit_code, 2) << line;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("/hosts:2: ")) << line;
  }
  EXPECT_THAT(loop("# nobody\n").err, HasSubstr("names no host"));
}

}  // namespace
}  // namespace ringrun::test
