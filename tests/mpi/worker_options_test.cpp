// The options and variables of nccl-tests, on host memory under mpirun.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "lib/host/host_name.hpp"
#include "tests/support/mpirun.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

CommandResult sweep(int ranks, const std::vector<std::string>& options, CommandOptions settings = {},
                    const std::string& program = "./all_reduce_perf") {
  std::vector<std::string> words{program, "--backend", "mpi", "-b", "1K", "-e", "4K", "-f", "2"};
  words.insert(words.end(), options.begin(), options.end());
  return mpirun(ranks, words, std::move(settings));
}

int lines_that_match(const std::string& text, const std::string& regex) {
  int count = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) count += std::regex_search(line, std::regex(regex)) ? 1 : 0;
  return count;
}

TEST(WorkerOption, EveryWayOfBlockingMeasuresAndChecksTheSame) {
  for (const char* blocking : {"0", "1", "2", "3"}) {
    const auto run = sweep(3, {"-z", blocking, "-m", "2"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    expect_right_rows(run.out, 1024, 4096);
  }
}

TEST(WorkerOption, TimesEveryIterationAndShowsTheirSpread) {
  const auto file = std::filesystem::temp_directory_path() / ("ringrun-times-" + std::to_string(getpid()) + ".json");
  const auto run = sweep(2, {"-I", "1", "-K", "5", "-J", file});
  std::ifstream in(file);
  const auto json = nlohmann::json::parse(in, nullptr, false);
  std::filesystem::remove(file);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("; summary skips first 5 iterations"));
  EXPECT_THAT(run.out, HasSubstr("i_min    i_max    i_p99    i_cv%"));
  EXPECT_EQ(lines_that_match(run.out, "^ +[0-9]+( +[0-9]+) +float +sum +-1( +[0-9.]+)+ *$"), 3) << run.out;
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["config"]["per_iter_skip"], 5);
  for (const auto& result : json["results"]) {
    const auto& spread = result["in_place_per_iter"];
    EXPECT_EQ(spread["skipped_iterations"], 5);
    ASSERT_EQ(spread["times_us"].size(), 20u) << "with those that the summary skips";
    ASSERT_EQ(spread["per_process_max_times_us"].size(), 2u);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_EQ(spread["times_us"][i].get<double>(), std::max(spread["per_process_max_times_us"][0][i].get<double>(),
                                                              spread["per_process_max_times_us"][1][i].get<double>()));
    }
  }
}

TEST(WorkerOption, ShowsTheTimeOfEnqueuingTheTimestampAndTheMemory) {
  const auto run = sweep(2, {"-C", "1", "-S", "1", "-M", "1"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(" cputime "));
  EXPECT_EQ(lines_that_match(run.out, "0  [0-9]+-[0-9]+-[0-9]+ [0-9]+:[0-9]+:[0-9]+$"), 3) << run.out;
  EXPECT_THAT(run.out, HasSubstr("# Host memory usage    : User-Allocated 8.00 KB | Total 8.00 KB\n"));
}

TEST(WorkerOption, KeepsDataRightInBuffersThatBeginLate) {
  for (const char* collective : {"./all_gather_perf", "./reduce_scatter_perf", "./alltoall_perf"}) {
    const auto run = sweep(2, {"-u", "3", "-d", "all"}, {}, collective);
    EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
    EXPECT_THAT(run.out, HasSubstr(" unalign: 3\n"));
  }
}

TEST(WorkerOption, TakesTheAverageMinAndMaxAcrossRanks) {
  for (const char* across : {"0", "1", "2", "3"}) EXPECT_EQ(sweep(2, {"-a", across}).exit_code, 0);
}

TEST(WorkerOption, SplitsTheRanksIntoGroupsWithARowEach) {
  const auto run = sweep(4, {}, {.env = {{"NCCL_TESTS_SPLIT", "MOD 2"}}}, "./all_gather_perf");
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("#  Rank  2 Group  0 Pid"));
  EXPECT_THAT(run.out, HasSubstr("#  Rank  3 Group  1 Pid"));
  // 1024 bytes among the 2 ranks of each group: 128 floats for each.
  EXPECT_EQ(lines_that_match(run.out, "^ +1024 +128 +float +none +-1 .* 0$"), 1) << run.out;
  EXPECT_EQ(lines_that_match(run.out, "^ +1024 +128 +float +none +-1 .* 1$"), 1) << run.out;
}

TEST(WorkerOption, SplitsByTheMaskAndByGroupsOfUnevenSizes) {
  const auto mask = sweep(4, {}, {.env = {{"NCCL_TESTS_SPLIT_MASK", "0x1"}}});
  EXPECT_EQ(mask.exit_code, 0) << mask.err;
  EXPECT_THAT(mask.out, HasSubstr("#  Rank  1 Group  1 Pid"));
  const auto uneven = sweep(3, {"-o", "all"}, {.env = {{"NCCL_TESTS_SPLIT", "DIV 2"}}}, "./reduce_perf");
  EXPECT_EQ(uneven.exit_code, 0) << uneven.out << uneven.err;
  EXPECT_THAT(uneven.out, HasSubstr("# Out of bounds values : 0 OK"));
  const auto all_roots = sweep(3, {"-r", "all"}, {.env = {{"NCCL_TESTS_SPLIT", "DIV 2"}}}, "./reduce_perf");
  EXPECT_EQ(all_roots.exit_code, 5) << all_roots.out;
  EXPECT_THAT(all_roots.err, HasSubstr("the groups have from 1 to 2 ranks"));
}

TEST(WorkerOption, LocatesAWrongElementInItsGroup) {
  const auto run = sweep(4, {"-d", "int32", "-n", "1"},
                         {.env = {{"NCCL_TESTS_SPLIT", "MOD 2"},
                                  {"LD_PRELOAD", CORRUPT_COLLECTIVES},
                                  {"CORRUPT_RANK", "1"},
                                  {"CORRUPT_COUNT", "512"},
                                  {"CORRUPT_INDEX", "77"}}});
  EXPECT_EQ(run.exit_code, 7) << run.out << run.err;
  // Rank 1 of each group; "Using devices" knows them as 2 and 3.
  const std::string on = " on " + short_host_name(host_name());
  EXPECT_THAT(run.out, HasSubstr("# rank 2" + on + " (group 0): 1 wrong in the all-reduce of 2048 bytes"));
  EXPECT_THAT(run.out, HasSubstr("# rank 3" + on + " (group 1): 1 wrong in the all-reduce of 2048 bytes"));
}

TEST(WorkerOption, WritesItsResultsAsJsonWithTheVariablesThatTellAndNoSecret) {
  const auto file = std::filesystem::temp_directory_path() / ("ringrun-worker-" + std::to_string(getpid()) + ".json");
  const auto run = sweep(2, {"-J", file, "-I", "1"}, {.env = {{"NCCL_ALGO", "Ring"}, {"SOME_TOKEN", "s3cret"}}});
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::filesystem::remove(file);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(text, HasSubstr("\"NCCL_ALGO=Ring\""));
  EXPECT_THAT(text, Not(HasSubstr("s3cret")));
  EXPECT_THAT(text, HasSubstr("\"version\": 3"));
  EXPECT_THAT(text, HasSubstr("\"out_of_place_per_iter\""));
  EXPECT_THAT(text, HasSubstr("\"device_info\": \"host memory\""));
}

TEST(WorkerOption, IsRefusedWith5WhereHostMemoryHasNothingLikeIt) {
  for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{
           {"-G", "2"}, {"-R", "1"}, {"-R", "2"}, {"-D", "1"}, {"-x", "1"}, {"-y", "1"}, {"-t", "2"}, {"-g", "2"}}) {
    const auto run = sweep(2, option);
    EXPECT_EQ(run.exit_code, 5) << option[0] << run.out;
    EXPECT_THAT(run.err, ContainsRegex("worker: " + option[0] + "[ :]"));
  }
}

TEST(WorkerOption, IsRefusedWith6WhereItMeansNothing) {
  EXPECT_EQ(sweep(2, {"-I", "1", "-K", "20"}).exit_code, 6);
  const auto rule = sweep(2, {}, {.env = {{"NCCL_TESTS_SPLIT", "XOR 2"}}});
  EXPECT_EQ(rule.exit_code, 6);
  EXPECT_THAT(rule.err, HasSubstr("NCCL_TESTS_SPLIT: 'XOR 2'"));
}

TEST(WorkerOptions, MustBeTheSameForAllRanks) {
  for (const char* other :
       {"./all_gather_perf --backend mpi -b 8K -e 8K", "./all_reduce_perf --backend mpi -b 8K -e 16K"}) {
    const auto run = mpirun(2, {"sh", "-c",
                                std::string("if [ $OMPI_COMM_WORLD_RANK = 1 ]; then exec ") + other +
                                    "; fi; exec ./all_reduce_perf --backend mpi -b 8K -e 8K"});
    EXPECT_EQ(run.exit_code, 6) << run.out << run.err;
    EXPECT_THAT(run.err, testing::ContainsRegex("worker: process 1 on .* was started with (--collective all_gather|-e "
                                                "16384), process 0 on .* with (--collective all_reduce|-e 8192)"));
  }
}

}  // namespace
}  // namespace ringrun::test
