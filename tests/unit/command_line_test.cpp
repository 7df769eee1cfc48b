#include <gtest/gtest.h>

#include "launcher/cli/option_table.hpp"
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
  EXPECT_TRUE(request.dry_run && request.verbose && request.engine_options.mapping.oversubscribe);
  EXPECT_EQ(request.start_timeout, 5);
  EXPECT_EQ(request.master_port, 29500);
  EXPECT_EQ(request.engine_options.mapping.bind_to, "core");
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

TEST(CommandLine, AnOptionInTheValuesPlaceIsNamed) {
  EXPECT_EQ(problem_of([] {
              parse_command_line({"-x", "-hostfile", "ab"});
            }),
            "-x needs NAME[=VALUE] behind it, and the option -hostfile stands there");
  EXPECT_EQ(problem_of([] {
              parse_command_line({"-np", "-H", "a"});
            }),
            "-np needs N behind it, and the option -H stands there");
  EXPECT_EQ(problem_of([] {
              parse_command_line({"-H", "-odd"});
            }),
            "-H needs LIST behind it, and the option -odd stands there");
  EXPECT_EQ(problem_of([] {
              parse_command_line({"--prefix", "--np=2", "x"});
            }),
            "--prefix needs DIR behind it, and the option --np=2 stands there");
  EXPECT_EQ(parse_command_line({"--mca", "x", "-np"}).parameters[0].second, "-np") << "a parameter may have any value";
}

TEST(CommandLine, LongOptionsTakeTheirValueBehindAnEqualsSign) {
  EXPECT_EQ(parse_command_line({"--map-by=node"}).engine_options.mapping.by, "node");
  EXPECT_EQ(parse_command_line({"-np=3"}).ranks, 3);
  EXPECT_EQ(problem_of([] { parse_command_line({"-x=1"}); }), "unknown option '-x=1'");
}

TEST(CommandLine, AListOfCpusIsOne) {
  EXPECT_EQ(parse_command_line({"--cpu-set", "0,2-3"}).engine_options.mapping.cpu_set, "0,2-3");
  EXPECT_EQ(problem_of([] { parse_command_line({"--cpu-set", "abc"}); }), "--cpu-set 'abc' is no list of CPUs");
  EXPECT_EQ(problem_of([] { parse_command_line({"-cpu-list", "0,x"}); }), "--cpu-list '0,x' is no list of CPUs");
  EXPECT_EQ(problem_of([] { parse_command_line({"--cpu-set", ""}); }), "--cpu-set '' is no list of CPUs");
  EXPECT_EQ(problem_of([] { parse_command_line({"--cpu-set", "3-1"}); }), "--cpu-set '3-1' is no list of CPUs");
}

TEST(CommandLine, ColonsPartProgramsWithWordsOfTheirOwn) {
  const LaunchRequest request = parse_command_line(
      {"-np", "1", "-H",    "a",  "-x",     "A=1", "--mca", "btl", "self", "./x",          "-np", ":",
       "-np", "2", "-wdir", "/w", "--path", "bin", "--mca", "pml", "ob1",  "--tag-output", "./y", "z"});
  EXPECT_EQ(request.program, (Words{"./x", "-np"}));
  EXPECT_EQ(request.ranks, 1);
  ASSERT_EQ(request.more.size(), 1u);
  EXPECT_EQ(request.more[0].program, (Words{"./y", "z"}));
  EXPECT_EQ(request.more[0].ranks, 2);
  EXPECT_EQ(request.more[0].working_directory, "/w");
  EXPECT_EQ(request.more[0].path, "bin");
  EXPECT_FALSE(request.more[0].names_hosts());
  EXPECT_EQ(request.more[0].exports, Words{"OMPI_MCA_pml=ob1"}) << "that program's alone";
  EXPECT_EQ(request.parameters.size(), 1u);
  EXPECT_TRUE(request.output.tag) << "the whole job's, wherever it stands";
}

TEST(CommandLine, AColonWithoutAProgramBesideItIsRefused) {
  for (const Words& words : {Words{"x", ":"}, Words{":", "x"}, Words{"-np", "1", ":", "-np", "1", "x"}}) {
    EXPECT_EQ(problem_of([&] { parse_command_line(words); }),
              "a program is missing beside ':', which stands between programs");
  }
  EXPECT_EQ(parse_command_line({"--", "x", ":", "y"}).more.size(), 1u) << "as mpirun splits behind -- too";
}

TEST(CommandLine, OutputAndDisplayHaveBothGenerationsWords) {
  const LaunchRequest four =
      parse_command_line({"--tag-output", "-timestamp-output", "--merge-stderr-to-stdout", "--output-filename", "logs",
                          "--display-map", "--display-allocation", "--report-bindings"});
  const LaunchRequest five =
      parse_command_line({"--output", "tag,timestamp,merge,file=logs", "--display", "map,allocation,bind"});
  for (const LaunchRequest* request : {&four, &five}) {
    EXPECT_EQ(request->output, (OutputStyle{true, true, true, "logs"}));
    EXPECT_TRUE(request->display_map && request->display_allocation);
    EXPECT_EQ(request->engine_options.display, Words{"bind"});
  }
  EXPECT_EQ(problem_of([] { parse_command_line({"--output", "xml"}); }), "--output 'xml' is not known");
  EXPECT_EQ(parse_command_line({"--output-filename", "logs:nojobid,nocopy"}).output.files, "logs:nojobid,nocopy");
  EXPECT_EQ(problem_of([] {
              parse_command_line({"--output-filename", "logs:mine"});
            }),
            "--output-filename 'logs:mine': the qualifier 'mine' is not known");
}

TEST(CommandLine, WhatRingrunDoesByItselfIsTakenOutOfTheRuntimeOptions) {
  const LaunchRequest request =
      parse_command_line({"--runtime-options", "donotlaunch,timeout=9,max-restarts=2,continuous"});
  EXPECT_TRUE(request.dry_run);
  EXPECT_EQ(request.timeout, 9);
  EXPECT_EQ(request.max_restarts, 2);
  EXPECT_EQ(request.engine_options.runtime, Words{"continuous"});
}

TEST(CommandLine, StandardInputGoesToOneRankOrNone) {
  EXPECT_FALSE(parse_command_line({"--stdin", "0"}).engine_options.standard_input);
  EXPECT_EQ(parse_command_line({"--stdin", "none"}).engine_options.standard_input, "none");
  EXPECT_EQ(parse_command_line({"-stdin", "3"}).engine_options.standard_input, "3");
  for (const char* text : {"all", "x", "-1"}) EXPECT_NE(problem_of([&] { parse_command_line({"--stdin", text}); }), "");
}

TEST(CommandLine, EveryRowsExampleIsReadInEachOfItsSpellings) {
  for (const OptionRow& row : option_table()) {
    if (row.spellings[0] == "--app") continue;  // names a file
    EXPECT_EQ(row.example.size(), static_cast<std::size_t>(row.arity)) << row.spellings[0];
    for (const std::string& spelling : row.spellings) {
      EXPECT_EQ(find_option(spelling), &row) << spelling << " stands in two rows";
      Words words{spelling};
      words.insert(words.end(), row.example.begin(), row.example.end());
      words.push_back("program");
      const std::string problem = problem_of([&] { EXPECT_EQ(parse_command_line(words).program, Words{"program"}); });
      const bool refused = problem.find("is not supported by ringrun") != std::string::npos;
      EXPECT_TRUE(problem.empty() || refused) << spelling << ": " << problem;
    }
  }
}

TEST(CommandLine, WhatIsCopiedBelongsToTheProgramThatItStandsBefore) {
  const LaunchRequest request =
      parse_command_line({"--preload-files", "a,b/c", "-s", "x", ":", "--preload-libraries", "y", ":", "z"});
  EXPECT_EQ(request.preload.files, (Words{"a", "b/c"}));
  EXPECT_TRUE(request.preload.program);
  EXPECT_FALSE(request.preload.libraries);
  EXPECT_TRUE(request.more[0].preload.program) << "libraries are of no use to another program";
  EXPECT_TRUE(request.more[0].preload.libraries);
  EXPECT_FALSE(request.more[1].preload.program);
}

TEST(CommandLine, WhatCannotBeIsRefusedByNameWithARemedy) {
  for (const char* option : {"--debug", "--index-argv-by-rank", "--xml", "-tv"}) {
    const std::string text = error_text([&] { parse_command_line({option, "x"}); });
    EXPECT_EQ(text.find(std::string(option) + " is not supported by ringrun | "), 0u) << text;
    EXPECT_GT(text.size(), std::string(option).size() + 40) << text;
  }
}

}  // namespace
}  // namespace ringrun
