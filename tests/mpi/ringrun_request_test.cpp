#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/mpi/ringrun_job.hpp"

namespace ringrun::test {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(RingrunRequest, AScriptWithLineEndsOfWindowsIsExplained) {
  const std::string script = testing::TempDir() + "windows_script_" + std::to_string(getpid());
  std::ofstream(script) << "#!/bin/sh\r\necho never\r\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const CommandResult result = ringrun({"-np", "1", script});
  std::filesystem::remove(script);
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_THAT(result.err, HasSubstr("the file is there; what its first line names (#!) is not"));
}

TEST(RingrunRequest, ParametersNameAHostfileForJobsThatNameNone) {
  const std::string file = testing::TempDir() + "default_hostfile_" + std::to_string(getpid());
  std::ofstream(file) << "localhost slots=3\n";
  const auto ranks = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--bind-to", "none", "echo", "here"});
    return lines(ringrun(words, {{"OMPI_MCA_orte_default_hostfile", file}}).out).size();
  };
  EXPECT_EQ(ranks({}), 3u);
  EXPECT_EQ(ranks({"-H", "localhost:2"}), 2u);
  EXPECT_EQ(ranks({"--mca", "orte_default_hostfile", "none", "-np", "1"}), 1u);
  std::filesystem::remove(file);
}

TEST(RingrunRequest, AnotherNameOfAHostIsOneSlotMore) {
  const CommandResult result = ringrun({"-H", "localhost,127.0.0.1", "--bind-to", "none", "sh", "-c", "echo $RANK"});
  EXPECT_THAT(lines(result.out), UnorderedElementsAre("0", "1")) << result.err;
}

TEST(RingrunRequest, APlaceForTheSessionFolderThatIsNoneIsNamed) {
  const auto error = [](const std::string& folder) {
    const CommandResult result = ringrun({"-np", "1", "echo", "here"}, {{"TMPDIR", folder}});
    EXPECT_EQ(result.exit_code, result.out == "here\n" ? 0 : 3) << result.err;
    return result.err;
  };
  EXPECT_THAT(error("/dev/null"), HasSubstr("mpirun cannot keep its session folder in TMPDIR, '/dev/null'"));
  EXPECT_THAT(error("."), HasSubstr("it is no absolute path"));
  const std::string folder = testing::TempDir() + "a place " + std::to_string(getpid());
  EXPECT_EQ(error(folder), "") << "mpirun makes it";
  std::filesystem::remove_all(folder);
}

TEST(RingrunRequest, TooFewOpenFilesAreSaidInsteadOfAHang) {
  const auto limited = [](const std::string& files, const std::string& ranks) {
    return run_command({"prlimit", "--nofile=" + files + ":" + files, built_program("ringrun"), "-np", ranks,
                        "--bind-to", "none", "--oversubscribe", "echo", "here"},
                       {.env = kRoot});
  };
  for (const auto& [files, ranks] : {std::pair{"16", "1"}, std::pair{"40", "8"}}) {
    const CommandResult result = limited(files, ranks);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(std::string("a process may open ") + files + " files here, and mpirun needs "));
  }
  EXPECT_EQ(limited("64", "2").out, "here\nhere\n");
}

TEST(RingrunRequest, AnEngineThatEndsWithoutAWordIsSaid) {
  const std::string file = testing::TempDir() + "rankfile_" + std::to_string(getpid());
  std::ofstream(file) << "rank 0=localhost slot=100000\n";
  const CommandResult result = ringrun({"-np", "1", "--rankfile", file, "echo", "never"});
  std::filesystem::remove(file);
  EXPECT_NE(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("ringrun: "));
}

TEST(RingrunRequest, WhatAnAttemptHasFiledStaysAfterTheNext) {
  const std::string folder = testing::TempDir() + "filed_" + std::to_string(getpid());
  const CommandResult result =
      ringrun({"-np", "1", "--max-restarts", "1", "--output-filename", folder + ":nojobid,nocopy", "sh", "-c",
               "echo attempt $TORCHELASTIC_RESTART_COUNT; exit 3"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  std::ifstream file(folder + "/rank.0/stdout");
  const std::string filed((std::istreambuf_iterator<char>(file)), {});
  std::filesystem::remove_all(folder);
  EXPECT_EQ(filed, "attempt 0\nattempt 1\n");
}

}  // namespace
}  // namespace ringrun::test
