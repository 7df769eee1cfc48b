#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/cli/ringrun_fixture.hpp"
#include "tests/support/not_sanitized.hpp"

namespace ringrun::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

TEST_F(Ringrun, HelpListsEveryOption) {
  const CommandResult result = ringrun({"-h"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* text : {"-np", "-hostfile", "-H", "--mca", "--dry-run", "--start-timeout"})
    EXPECT_THAT(result.out, HasSubstr(text));
}

TEST_F(Ringrun, VersionIsOneLine) {
  const CommandResult result = ringrun({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, MatchesRegex("ringrun [0-9.]+\n"));
}

TEST_F(Ringrun, BadRequestsEndWithTwo) {
  EXPECT_EQ(ringrun({"--bind-to", "nonsense", "true"}).exit_code, 2);
  EXPECT_EQ(ringrun({"-x", "A B=3", "true"}).exit_code, 2);
  for (const char* count : {"0", "x", "-1"}) EXPECT_EQ(ringrun({"-np", count, "true"}).exit_code, 2) << count;
  const CommandResult unknown = ringrun({"--hostfle", "ab", "true"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, StartsWith("ringrun: unknown option '--hostfle'\n  did you mean --hostfile?"));
}

TEST_F(Ringrun, ABadHostfileIsNamedWithItsLine) {
  const std::string path = file("ab", "a slots=2\nb slots=two\n");
  const CommandResult result = ringrun({"-hostfile", path, "true"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("ringrun: " + path + ":2: 'slots=two' is not a whole number from 0 upwards\n  "));
  EXPECT_EQ(ringrun({"-hostfile", "nowhere", "true"}).exit_code, 2);
  EXPECT_EQ(ringrun({"-hostfile", folder_, "true"}).exit_code, 2);
  EXPECT_EQ(ringrun({"-hostfile", file("empty", "# none\n"), "true"}).exit_code, 2);
}

TEST_F(Ringrun, ADryRunShowsRanksAndTheExactCommand) {
  const CommandResult result =
      ringrun({"--dry-run", "-np", "2", "-H", "localhost:2", "--bind-to", "none", "sh", "-c", "touch started"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("rank  host       local_rank  gpu"));
  EXPECT_THAT(result.out, HasSubstr("\n   1  localhost           1  "));
  EXPECT_THAT(result.out, HasSubstr("mpirun -np 2 -H localhost:2 --bind-to none"));
  EXPECT_THAT(result.out, HasSubstr("__rank -- "));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/started"));
}

TEST_F(Ringrun, TheCommandOfADryRunCanBePasted) {
  const CommandResult dry = ringrun({"--dry-run", "-H", "localhost:1", "sh", "-c", "echo \"rank=$RANK it's\""});
  const std::string command = dry.out.substr(dry.out.find("\n\n") + 2);
  CommandOptions options;
  options.env = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
  EXPECT_EQ(run_command({"sh", "-c", command}, options).out, "rank=0 it's\n") << command;
}

TEST_F(Ringrun, AHostfileOfTheLocalHostHasItsAttributesInThePlan) {
  const std::string path = file("ab", "localhost slots=2 #: env.NCCL_DEBUG=WARN env.MASTER_PORT=29999\r\n");
  const CommandResult result = ringrun({"--dry-run", "-hostfile", path, "true"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\"NCCL_DEBUG\":\"WARN\""));
  EXPECT_THAT(result.out, HasSubstr("\"port\":29999"));
}

TEST_F(Ringrun, TwoNamesOfThisHostAreOneHost) {
  const CommandResult result = ringrun({"--dry-run", "-H", "localhost:1,127.0.0.1:2", "true"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" -H localhost:3 "));
}

TEST_F(Ringrun, AMissingProgramIs127AndOneThatCannotBeExecutedIs126) {
  const CommandResult missing = ringrun({"-H", "localhost:1", "./nothing"});
  EXPECT_EQ(missing.exit_code, 127);
  EXPECT_THAT(missing.err, HasSubstr(folder_ + "/nothing does not exist on localhost"));
  EXPECT_EQ(ringrun({"-H", "localhost:1", "no-such-program"}).exit_code, 127);
  file("text", "not a program");
  EXPECT_EQ(ringrun({"-H", "localhost:1", "./text"}).exit_code, 126);
}

TEST_F(Ringrun, AWorkingDirectoryThatAHostLacksIsABadRequest) {
  const CommandResult result = ringrun({"-H", "localhost:1", "-wdir", "/no/such/folder", "true"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("ringrun: -wdir /no/such/folder: localhost has no such folder"));
  EXPECT_EQ(ringrun({"-H", "localhost:1", "-wdir", "", "true"}).exit_code, 2);
}

TEST_F(Ringrun, AnOfflineDryRunAsksNoHost) {
  const std::string shell = file("shell", "#!/bin/sh\ntouch " + folder_ + "/asked\n");
  std::filesystem::permissions(shell, std::filesystem::perms::owner_all);
  const CommandResult result = ringrun({"--dry-run", "--offline", "--mca", "plm_rsh_agent", shell, "-H",
                                        "host1.invalid:2,host2.invalid:1", "--map-by", "node", "true"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\n   1  host2.invalid "));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/asked"));
  EXPECT_EQ(ringrun({"--offline", "true"}).exit_code, 2);
}

TEST_F(Ringrun, TablesStandBeforeTheJobsOutput) {
  const CommandResult result =
      ringrun({"-np", "1", "-H", "localhost:2", "--display", "map,allocation", "--report-pid", "pid", "echo", "here"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, MatchesRegex("host +slots.*\nlocalhost +2 .*\nrank +host.*\n +0 +localhost .*\nhere\n"));
  int pid = 0;
  std::ifstream(folder_ + "/pid") >> pid;
  EXPECT_GT(pid, 0);
}

TEST_F(Ringrun, WhatTheEngineCannotDoIsRefusedByName) {
  const CommandResult result =
      ringrun({"--dry-run", "-H", "localhost:1", "--rank-by", "hwthread:fill", "--xml", "true"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("ringrun: --xml is not supported by ringrun\n  "));
  EXPECT_EQ(ringrun({"--dry-run", "-H", "localhost:1", "--map-by", "node", "-N", "2", "true"}).exit_code, 2);
}

TEST_F(Ringrun, AProgramIsLookedForWhereItsRanksStart) {
  std::filesystem::create_directory(folder_ + "/sub");
  const std::string program = file("sub/say", "#!/bin/sh\npwd\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"-wdir", "sub", "./say"}, {"-wdir", "sub", "say"}, {"-wdir", folder_ + "/sub", "../sub/say"}}) {
    std::vector<std::string> line{"-np", "1", "-H", "localhost:1"};
    line.insert(line.end(), words.begin(), words.end());
    EXPECT_EQ(ringrun(line).out, folder_ + "/sub\n") << words[1] << " " << words[2];
  }
  EXPECT_EQ(ringrun({"-np", "1", "-H", "localhost:1", "--path", "sub", "say"}).out, folder_ + "\n");
}

TEST_F(Ringrun, RunsWithItsStandardStreamsClosed) {
  const std::string program = built_program("ringrun");
  for (const char* closed : {"<&-", "2>&-", "<&- 2>&-"}) {
    CommandOptions options;
    options.env = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
    const CommandResult result =
        run_command({"sh", "-c", "exec " + program + " -np 1 -H localhost:1 echo here " + closed}, options);
    EXPECT_EQ(result.exit_code, 0) << closed;
    EXPECT_EQ(result.out, "here\n") << closed;
  }
}

TEST_F(Ringrun, OutputThatIsLostIsAnError) {
  for (const char* request : {"--help", "--version", "--dry-run -H localhost:1 --allow-run-as-root true"}) {
    const CommandResult result = run_command({"sh", "-c", built_program("ringrun") + " " + request + " > /dev/full"});
    EXPECT_NE(result.exit_code, 0) << request;
    EXPECT_THAT(result.err, HasSubstr("standard output")) << request;
  }
}

TEST_F(Ringrun, FindsItsWayWithoutAnEnvironment) {
  const CommandResult result =
      run_command({"env", "-i", built_program("ringrun"), "--allow-run-as-root", "-H", "localhost:1", "echo", "here"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "here\n");
}

TEST_F(Ringrun, NeedsNothingOfAHostButLibcAndHwloc) {
  RINGRUN_NOT_SANITIZED("ringrun links the sanitizer's library, and libstdc++ as a library");
  const CommandResult result = run_command({"readelf", "-d", built_program("ringrun")});
  ASSERT_EQ(result.exit_code, 0);
  const std::regex needed("NEEDED.*\\[(.*)\\]");
  for (std::sregex_iterator at(result.out.begin(), result.out.end(), needed), end; at != end; ++at) {
    EXPECT_TRUE(
        std::regex_match((*at)[1].str(), std::regex("(libc|libm|ld-linux.*|libhwloc|libdl|librt|libpthread)\\.so.*")))
        << (*at)[1];
  }
}

TEST_F(Ringrun, TooManyRanksNameHostHaveAndWant) {
  const CommandResult result = ringrun({"-np", "3", "-H", "localhost:2", "true"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(ringrun({"-H", "localhost:1000000", "true"}).exit_code, 2);
  EXPECT_THAT(result.err,
              StartsWith("ringrun: -np 3 wants 3 slots, the hosts have 2: localhost 2\n  say more with slots=N"));
}

TEST_F(Ringrun, AHostThatDoesNotAnswerIsThreeAndEveryOneIsNamed) {
  const std::string shell = file("shell", "#!/bin/sh\necho no route to $1 >&2\nexit 255\n");
  std::filesystem::permissions(shell, std::filesystem::perms::owner_all);
  const CommandResult result =
      ringrun({"--mca", "plm_rsh_agent", shell, "-H", "host1.invalid,localhost,host2.invalid", "true"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("ringrun: error L1 on host1.invalid: "));
  EXPECT_THAT(result.err, HasSubstr("no route to host1.invalid\n"));
  EXPECT_THAT(result.err, HasSubstr("ringrun: error L1 on host2.invalid: "));
  EXPECT_EQ(result.err.find("on localhost"), std::string::npos) << result.err;
}

TEST_F(Ringrun, ASilentHostIsGivenUpAfterItsTime) {
  const std::string shell = file("shell", "#!/bin/sh\nsleep 60; true\n");
  std::filesystem::permissions(shell, std::filesystem::perms::owner_all);
  const CommandResult result =
      ringrun({"--dry-run", "--start-timeout", "1", "--mca", "plm_rsh_agent", shell, "-H", "host1.invalid", "true"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("ringrun: error L1 on host1.invalid: "));
  EXPECT_THAT(result.err, HasSubstr("nothing came for 1 s"));
  EXPECT_LT(result.elapsed.count(), 20000);
}

TEST_F(Ringrun, WithoutAnMpirunSaysWhatToInstall) {
  const CommandResult result = ringrun({"-H", "localhost:1", "/bin/true"}, {{"PATH", folder_}});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("apt install openmpi-bin"));
}

TEST_F(Ringrun, AnotherMpisMpirunIsRefused) {
  const std::string fake = file("mpirun", "#!/bin/sh\necho HYDRA build details:\n");
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  const CommandResult result = ringrun({"-H", "localhost:1", "/bin/true"}, {{"PATH", folder_}});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("is MPICH's mpirun"));
}

TEST_F(Ringrun, AsRootItSaysWhatToAdd) {
  if (geteuid() != 0) GTEST_SKIP() << "this test is for root";
  const CommandResult result = ringrun({"-H", "localhost:1", "true"}, {{"OMPI_ALLOW_RUN_AS_ROOT", "0"}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--allow-run-as-root"));
}

}  // namespace
}  // namespace ringrun::test
