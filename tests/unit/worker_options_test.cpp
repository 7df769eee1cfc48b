#include "worker/cli/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "lib/error.hpp"

namespace ringrun::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(WorkerOptions, HaveTheDefaultsOfNcclTests) {
  const Options options = parse_options({});
  EXPECT_THAT(options.plan.sizes, ElementsAre(32 << 20));
  EXPECT_THAT(options.plan.types, ElementsAre(DataType::kFloat));
  EXPECT_THAT(options.plan.ops, ElementsAre(ReduceOp::kSum));
  EXPECT_EQ(options.plan.iterations, 20);
  EXPECT_EQ(options.plan.warmups, 1);
  EXPECT_EQ(options.plan.aggregate, 1);
  EXPECT_EQ(options.plan.checks, 1);
  EXPECT_EQ(options.plan.across, TimeAcross::kAverage);
  EXPECT_EQ(options.gpus, 1);
  EXPECT_EQ(options.cycles, 1);
}

TEST(WorkerOptions, TakeShortLongAndGluedForms) {
  const Options options = parse_options({"-b", "8",  "--maxbytes", "128M", "-f", "2",   "-n", "5", "--warmup_iters=3",
                                         "-c", "0",  "-d",         "int8", "-o", "max", "-a", "3", "-N",
                                         "0",  "-g", "2",          "-m",   "4",  "-T",  "7.5"});
  EXPECT_EQ(options.plan.sizes.size(), 25u);
  EXPECT_EQ(options.plan.sizes.front(), 8);
  EXPECT_EQ(options.plan.sizes.back(), 128 << 20);
  EXPECT_EQ(options.plan.iterations, 5);
  EXPECT_EQ(options.plan.warmups, 3);
  EXPECT_EQ(options.plan.checks, 0);
  EXPECT_THAT(options.plan.types, ElementsAre(DataType::kInt8));
  EXPECT_THAT(options.plan.ops, ElementsAre(ReduceOp::kMax));
  EXPECT_EQ(options.plan.across, TimeAcross::kMax);
  EXPECT_EQ(options.plan.aggregate, 4);
  EXPECT_EQ(options.plan.timeout, 7.5);
  EXPECT_EQ(options.cycles, 0);
  EXPECT_EQ(options.gpus, 2);
}

TEST(WorkerOptions, ChooseTheCollectiveByItsOptionOrByTheProgramsName) {
  EXPECT_EQ(parse_options({}).plan.kind, CollectiveKind::kAllReduce);
  EXPECT_EQ(parse_options({}, {"bin/all_gather_perf", nullptr}).plan.kind, CollectiveKind::kAllGather);
  EXPECT_EQ(parse_options({"--collective", "gather"}, {"all_gather_perf", nullptr}).plan.kind, CollectiveKind::kGather);
}

TEST(WorkerOptions, TakeARootOnlyWhereTheCollectiveHasOne) {
  EXPECT_THAT(parse_options({"-r", "3"}).plan.roots, ElementsAre(-1));
  const std::vector<std::string> broadcast{"--collective", "broadcast", "-r"};
  const auto with_root = [&](const std::string& root) {
    auto arguments = broadcast;
    arguments.push_back(root);
    return parse_options(arguments);
  };
  EXPECT_THAT(with_root("3").plan.roots, ElementsAre(3));
  EXPECT_FALSE(with_root("3").all_roots);
  EXPECT_TRUE(with_root("all").all_roots);
  EXPECT_TRUE(with_root("-1").all_roots);
}

TEST(WorkerOptions, TakeAReductionOnlyWhereTheCollectiveReduces) {
  EXPECT_EQ(parse_options({"-o", "all"}).plan.ops.size(), 6u);
  const Options copy = parse_options({"-o", "all", "--collective", "alltoall"});
  EXPECT_EQ(copy.plan.ops.size(), 1u);
  EXPECT_FALSE(copy.all_ops);
}

TEST(WorkerOptions, TakeATimeoutForEveryWaitOrOneForEachPhase) {
  const auto timeouts = [](const std::string& text) {
    const Options options = parse_options({"--timeout", text});
    return std::pair(options.init_timeout, options.plan.timeout);
  };
  EXPECT_EQ(timeouts("7.5"), std::pair(7.5, 7.5));
  EXPECT_EQ(timeouts("init=30,op=90"), std::pair(30.0, 90.0));
  EXPECT_EQ(timeouts("op=5"), std::pair(60.0, 5.0));
  EXPECT_EQ(timeouts("init=0"), std::pair(0.0, 60.0));
}

TEST(WorkerOptions, CheckTheTimedOperationsWhereThatIsAskedFor) {
  EXPECT_TRUE(parse_options({"--check", "timed"}).plan.checks_timed);
  EXPECT_EQ(parse_options({"-c", "timed"}).plan.checks, 1);
  EXPECT_FALSE(parse_options({"-c", "3"}).plan.checks_timed);
}

TEST(WorkerOptions, TakeTheTimeOfASoak) {
  EXPECT_EQ(parse_options({}).soak_seconds, 0);
  EXPECT_EQ(parse_options({"--soak", "90"}).soak_seconds, 90);
  EXPECT_EQ(parse_options({"--soak", "1.5s"}).soak_seconds, 1.5);
  EXPECT_EQ(parse_options({"--soak", "10m"}).soak_seconds, 600);
  EXPECT_EQ(parse_options({"--soak", "2h"}).soak_seconds, 7200);
  EXPECT_THROW(parse_options({"--soak", "0"}), UserError) << "it would be a sweep";
  EXPECT_THROW(parse_options({"--soak", "", "-e", "1K"}), UserError);
}

TEST(WorkerOptions, GiveASoakTheSizesFromSmallestToLargestWhateverTheSteps) {
  EXPECT_THAT(parse_options({"--soak", "1s"}).plan.sizes, ElementsAre(8, 32 << 20));
  EXPECT_THAT(parse_options({"--soak", "1s", "-b", "8", "-e", "4K"}).plan.sizes, ElementsAre(8, 4096));
  EXPECT_THAT(parse_options({"--soak", "1s", "-b", "8", "-e", "100", "-f", "3"}).plan.sizes, ElementsAre(8, 100));
  EXPECT_THAT(parse_options({"--soak", "1s", "-e", "4"}).plan.sizes, ElementsAre(4, 4));
}

TEST(WorkerOptions, RefuseWithASoakWhatItDoesNotDo) {
  for (const std::vector<std::string>& other : {std::vector<std::string>{"--baseline", "x"},
                                                {"--csv", "x"},
                                                {"--stats"},
                                                {"--expected"},
                                                {"-I", "1"},
                                                {"-N", "2"},
                                                {"-c", "timed"},
                                                {"-z", "1"},
                                                {"-C", "1"},
                                                {"-S", "1"},
                                                {"-G", "1"}}) {
    std::vector<std::string> words{"--soak", "1s"};
    words.insert(words.end(), other.begin(), other.end());
    EXPECT_THROW(parse_options(words), UserError) << other.front();
  }
  Call call;
  call.least_bandwidth = "100";
  EXPECT_FALSE(parse_options({"--soak", "1s"}, call).least_bandwidth.has_value()) << "it would fail every soak";
}

TEST(WorkerOptions, RefuseFilesWithoutANameAndALimitWithoutABaseline) {
  for (const char* option : {"-J", "--csv", "--baseline"})
    EXPECT_THROW(parse_options({option, ""}), UserError) << option;
  EXPECT_THROW(parse_options({"--max-regression", "5%"}), UserError);
  for (const char* same : {"x", "./x"}) EXPECT_THROW(parse_options({"-J", "x", "--csv", same}), UserError) << same;
  EXPECT_NO_THROW(parse_options({"-J", "x", "--csv", "../x"}));
}

TEST(WorkerOptions, GiveAScanTheLargestSizeWhateverTheSteps) {
  EXPECT_THAT(parse_options({"--scan", "pairs", "-b", "8", "-e", "4K"}).plan.sizes, ElementsAre(4096));
  EXPECT_THAT(parse_options({"--scan", "pairs", "-b", "8", "-e", "100", "-f", "3"}).plan.sizes, ElementsAre(100));
  EXPECT_THAT(parse_options({"--scan", "pairs", "-e", "1M"}).plan.sizes, ElementsAre(1 << 20));
}

TEST(WorkerOptions, TakeFilesToWriteAndToCompareWith) {
  const Options options =
      parse_options({"--csv", "a.csv", "--baseline", "old.json", "--max-regression", "2.5%", "-J", "new.json"});
  EXPECT_EQ(options.csv_file, "a.csv");
  EXPECT_EQ(options.baseline_file, "old.json");
  EXPECT_DOUBLE_EQ(options.allowed_growth, 0.025);
  EXPECT_DOUBLE_EQ(parse_options({"--baseline", "x", "--max-regression", "10"}).allowed_growth, 0.1);
  EXPECT_DOUBLE_EQ(parse_options({}).allowed_growth, 0.05);
}

TEST(WorkerOptions, StepBySizeWithoutAFactor) {
  EXPECT_THAT(parse_options({"-b", "1M", "-e", "3M", "-i", "1M"}).plan.sizes, ElementsAre(1 << 20, 2 << 20, 3 << 20));
}

TEST(WorkerOptions, NameTheOptionAndTheTextThatIsWrong) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--no-such"}, "no-such"},
      {{"-q"}, "q"},
      {{"--report", "1"}, "several options: --report_cputime, --report_timestamps"},
      {{"--st", "1"}, "--st is the beginning of several options: --stepbytes"},
      {{"--expected=foo"}, "--expected takes no value, and was given 'foo'"},
      {{"-n", "08"}, "--iters: '08'"},
      {{"stray"}, "'stray'"},
      {{"-b", "8X"}, "--minbytes: '8X'"},
      {{"-b", "64M"}, "--minbytes 64M is more than --maxbytes 32M"},
      {{"-n", "abc"}, "--iters: 'abc'"},
      {{"-n", "0"}, "--iters: '0'"},
      {{"-n", "5x"}, "--iters: '5x'"},
      {{"-c", "-1"}, "check"},
      {{"-d", "float16"}, "--datatype: 'float16'"},
      {{"-o", "mean"}, "--op: 'mean'"},
      {{"-a", "4"}, "--average: '4' is not a whole number from 0 to 3"},
      {{"-f", "0"}, "--stepfactor: '0'"},
      {{"-b", "0", "-e", "8", "-f", "2"}, "--minbytes 0"},
      {{"-b", "0", "-e", "128M", "-i", "0"}, "--stepbytes 0"},
      {{"-b", "0", "-e", "100G", "-i", "1"}, "steps"},
      {{"-t", "0"}, "--nthreads: '0'"},
      {{"-z", "4"}, "--blocking: '4'"},
      {{"-R", "3"}, "--local_register: '3'"},
      {{"-G", "1", "-z", "1"}, "-G and -z"},
      {{"--scan", "stars"}, "--scan: 'stars'"},
      {{"--scan", "pairs", "--csv", "x"}, "--scan and --csv"},
      {{"--scan", "pairs", "-d", "all"}, "--scan and -d all"},
      {{"--scan", "leave-one-out", "--expected"}, "--scan and --expected"},
      {{"--scan", "pairs", "-S", "1"}, "--scan and -S"},
      {{"--tune", "-N", "2"}, "--tune and -N"},
      {{"-G", "1", "-I", "1"}, "-G and -I"},
      {{"-G", "1", "--stats"}, "-G and --stats"},
      {{"-G", "1", "-y", "1"}, "-G and -y"},
      {{"-I", "1", "-n", "5", "-K", "5"}, "-K leaves out all iterations"},
      {{"-T", "soon"}, "--timeout: 'soon'"},
      {{"--soak", "long"}, "--soak: 'long'"},
      {{"-T", "init=soon"}, "--timeout: 'soon'"},
      {{"-T", "start=5"}, "--timeout: 'start=5'"},
      {{"-T", "init=5,7"}, "--timeout: '7'"},
      {{"-T", "init=5,"}, "--timeout: ''"},
      {{"--max-regression", "much"}, "--max-regression: 'much'"},
      {{"--backend", "gloo"}, "--backend: 'gloo'"},
      {{"--collective", "allreduce"}, "--collective: 'allreduce'"},
      {{"-r", "first"}, "--root: 'first'"},
      {{"-r", "-2"}, "--root: '-2'"},
      {{"-b"}, "b"},
  };
  for (const auto& [arguments, expected] : cases) {
    try {
      parse_options(arguments);
      ADD_FAILURE() << "accepted: " << testing::PrintToString(arguments);
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr(expected));
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

TEST(WorkerOptions, TakeEveryOtherLetterOfNcclTests) {
  const Options options =
      parse_options({"-t", "2",  "-g", "4",  "-z", "2",  "-I", "1",  "-K", "3",  "-C", "1",  "-S", "1",  "-M",
                     "1",  "-u", "5",  "-R", "2",  "-D", "0",  "-V", "32", "-x", "1",  "-y", "1",  "-p", "1"});
  EXPECT_EQ(options.threads, 2);
  EXPECT_EQ(options.ranks_of_process(), 8);
  EXPECT_EQ(options.plan.blocking, Blocking::kWait);
  EXPECT_TRUE(options.plan.each_iteration);
  EXPECT_EQ(options.plan.skipped_iterations, 3);
  EXPECT_TRUE(options.reports_cpu_time);
  EXPECT_TRUE(options.reports_timestamps);
  EXPECT_TRUE(options.reports_memory);
  EXPECT_EQ(options.misalignment, 5);
  EXPECT_EQ(options.registration, 2);
  EXPECT_EQ(options.cta_policy, 1);
  EXPECT_TRUE(options.null_stream);
  EXPECT_TRUE(options.parallel_init);
  EXPECT_EQ(parse_options({"-G", "7"}).plan.graph_launches, 7);
  EXPECT_EQ(parse_options({"-D", "2"}).device_implementation, 2);
}

TEST(WorkerOptions, TakeTheVariablesOfNcclTests) {
  const Options options = parse_options({}, {.device = "3", .split = "MOD 4"});
  EXPECT_EQ(options.first_device, 3);
  EXPECT_EQ(options.split.group_of(6), 2);
  EXPECT_FALSE(parse_options({}).first_device);
  for (const char* unset : {"", "-1"}) EXPECT_FALSE(parse_options({}, {.device = unset}).first_device) << unset;
  EXPECT_THROW(parse_options({}, {.device = "first"}), UserError);
  EXPECT_THROW(parse_options({}, {.split_mask = "all"}), UserError);
}

TEST(WorkerOptions, DoNotTakeABandwidthThatIsNoNumber) {
  EXPECT_EQ(parse_options({}, {"worker", "12.5"}).least_bandwidth, 12.5);
  EXPECT_FALSE(parse_options({}).least_bandwidth);
  EXPECT_FALSE(parse_options({}, {"worker", ""}).least_bandwidth) << "as a script passes on what is not set";
  EXPECT_FALSE(parse_options({}, {"worker", "-1"}).least_bandwidth) << "nccl-tests' own word for none";
  for (const char* text : {"fast", "-2", "nan", "3GB"})
    EXPECT_THROW(parse_options({}, {"worker", text}), UserError) << text;
}

TEST(WorkerOptions, TakeAScanAndWhatIsExpected) {
  EXPECT_EQ(parse_options({"--scan", "pairs:ranks"}).scan, ScanKind::kPairsOfRanks);
  EXPECT_EQ(parse_options({}).scan, std::nullopt);
  EXPECT_TRUE(parse_options({"--expected"}).plan.expects);
  EXPECT_FALSE(parse_options({}).plan.expects);
}

TEST(WorkerOptions, AreAllInTheHelp) {
  std::ostringstream out;
  print_help(out);
  for (const char* option : {"-b",           "-e",        "-i",          "-f",         "-n",         "-w",
                             "-m",           "-c",        "-o",          "-d",         "-r",         "-g",
                             "-a",           "-N",        "-T",          "-J",         "-t",         "-z",
                             "-G",           "-I",        "-K",          "-u",         "-p",         "-R",
                             "-x",           "-y",        "-D",          "-V",         "-C",         "-S",
                             "-M",           "--stats",   "--soak",      "--csv",      "--baseline", "--max-regression",
                             "--collective", "--backend", "--share-gpu", "--expected", "--scan"}) {
    EXPECT_THAT(out.str(), HasSubstr(option));
  }
}

TEST(WorkerOptions, AreAllInTheTableOfTheDocumentation) {
  std::ostringstream help;
  print_help(help);
  std::ifstream file(RINGRUN_SOURCE_DIR "/docs/nccl-tests.md");
  const std::string documented{std::istreambuf_iterator<char>(file), {}};
  const std::string text = help.str();
  const std::regex letter("\n  (-[A-Za-z]), --");
  int letters = 0;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), letter); match != std::sregex_iterator(); ++match) {
    ++letters;
    EXPECT_THAT(documented, HasSubstr("`" + (*match)[1].str())) << "option " << (*match)[1];
  }
  EXPECT_GE(letters, 30) << text;
}

}  // namespace
}  // namespace ringrun::worker
