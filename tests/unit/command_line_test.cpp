#include <gtest/gtest.h>

#include "launcher/cli/normalise.hpp"
#include "launcher/cli/parse.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

using Words = std::vector<std::string>;

TEST(CommandLine, TheProgramAndAllBehindItAreItsOwn) {
  const LaunchRequest request = parse_command_line({"-np", "4", "./train", "-np", "8", "--help", "-x"});
  EXPECT_EQ(request.ranks, 4);
  EXPECT_EQ(request.program, (Words{"./train", "-np", "8", "--help", "-x"}));
}

TEST(CommandLine, TwoDashesEndTheOptions) {
  EXPECT_EQ(parse_command_line({"-np", "2", "--", "-odd", "name"}).program, (Words{"-odd", "name"}));
  EXPECT_EQ(parse_command_line({"true", "--", "x"}).program, (Words{"true", "--", "x"}));
}

TEST(CommandLine, EverySpellingOfTheNumberOfRanksIsRead) {
  for (const char* spelling : {"-n", "-np", "-c", "--n", "--np"}) {
    EXPECT_EQ(parse_command_line({spelling, "3"}).ranks, 3) << spelling;
  }
  EXPECT_EQ(parse_command_line({"--np=3"}).ranks, 3);
}

TEST(CommandLine, HostsFilesAndParametersAreRead) {
  const LaunchRequest request = parse_command_line({"-machinefile", "ab", "-H", "a,b:2", "--host", "c", "--mca", "btl",
                                                    "tcp,self", "-gmca", "x", "-1", "-x", "A", "-x", "B=1,2"});
  EXPECT_EQ(request.hostfile, "ab");
  EXPECT_EQ(request.host_lists, (Words{"a,b:2", "c"}));
  EXPECT_EQ(request.exports, (Words{"A", "B=1,2"}));
  EXPECT_EQ(request.parameters, (std::vector<std::pair<std::string, std::string>>{{"btl", "tcp,self"}, {"x", "-1"}}));
}

TEST(CommandLine, OptionsOfRingrunAreRead) {
  const LaunchRequest request =
      parse_command_line({"--dry-run", "-v", "--start-timeout", "5", "--master-port=29500", "--bind-to", "core", "-wd",
                          "/tmp", "--prefix", "/opt", "--oversubscribe"});
  EXPECT_TRUE(request.dry_run && request.verbose && request.oversubscribe);
  EXPECT_EQ(request.start_timeout, 5);
  EXPECT_EQ(request.master_port, 29500);
  EXPECT_EQ(request.bind_to, "core");
  EXPECT_EQ(request.working_directory, "/tmp");
  EXPECT_EQ(request.prefix, "/opt");
}

TEST(CommandLine, NumbersThatAreNoneAreRejected) {
  for (const char* text : {"0", "x", "-1", "", "2x", "1.5", "99999999999"}) {
    EXPECT_EQ(problem_of([&] {
                parse_command_line({"-np", text});
              }),
              "-np '" + std::string(text) + "' is not a whole number from 1 upwards");
  }
  EXPECT_EQ(problem_of([] {
              parse_command_line({"--master-port", "65536"});
            }),
            "--master-port '65536' is not a whole number from 1 to 65535");
}

TEST(CommandLine, AnUnknownOptionIsNamedWithTheNearestOne) {
  EXPECT_EQ(
      error_text([] {
        parse_command_line({"--hostfle", "ab"});
      }),
      "unknown option '--hostfle' | did you mean --hostfile? Options of the program stand behind its name; ringrun "
      "-h lists ringrun's own");
  EXPECT_EQ(error_text([] {
              parse_command_line({"-b", "8"});
            }),
            "unknown option '-b' | Options of the program stand behind its name; ringrun -h lists ringrun's own");
}

TEST(CommandLine, AnOptionWithoutItsWordsIsNamed) {
  EXPECT_EQ(problem_of([] { parse_command_line({"-np"}); }), "-np needs N behind it");
  EXPECT_EQ(problem_of([] { parse_command_line({"--mca", "btl"}); }), "--mca needs NAME VALUE behind it");
  EXPECT_EQ(problem_of([] { parse_command_line({"--dry-run=yes"}); }),
            "'--dry-run=yes': --dry-run takes no value after '='");
}

TEST(CommandLine, WhatMayStandOnceIsRejectedTwice) {
  EXPECT_EQ(problem_of([] { parse_command_line({"-np", "1", "-n", "2"}); }), "-np is given more than once");
  EXPECT_EQ(problem_of([] {
              parse_command_line({"--mca", "a", "1", "-mca", "a", "2"});
            }),
            "--mca a is given twice, as '1' and as '2'");
}

}  // namespace
}  // namespace ringrun
