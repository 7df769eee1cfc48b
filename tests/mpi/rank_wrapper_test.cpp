// The rank wrapper under plain mpirun: what it shows of the rank's streams, and what it leaves behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lib/placement/job_plan.hpp"
#include "tests/mpi/ringrun_job.hpp"
#include "tests/support/cannot_run.hpp"

namespace ringrun::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::UnorderedElementsAre;

class RankWrapper : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "ringrun-wrapper-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    mark_ = "RINGRUN_TEST_MARK=" + folder_.string();
    plan_ = make_job_plan({HostClass{}}, {"127.0.0.1", 29500, "another-run"});
  }

  void TearDown() override {
    for (const pid_t pid : marked_processes(mark_)) kill(pid, SIGKILL);
    fs::remove_all(folder_);
  }

  /// A shell script in `ranks` wrapped ranks; its records are in standard error.
  CommandResult run(int ranks, const std::string& script) {
    std::vector<std::string> words = {built_program("ringrun"), "__rank", "--", "/bin/sh", "-c", script};
    return mpirun(ranks, std::move(words));
  }

  CommandResult mpirun(int ranks, std::vector<std::string> words) {
    words.insert(words.begin(), {"mpirun", "--oversubscribe", "-np", std::to_string(ranks), "-x", "RINGRUN_TEST_MARK"});
    return with_plan(words);
  }

  CommandResult with_plan(const std::vector<std::string>& words) {
    CommandOptions options;
    options.env = kRoot;
    options.env.insert(
        {{"RINGRUN_PLAN", to_json(plan_)}, {"RINGRUN_HOST", "0"}, {"RINGRUN_TEST_MARK", folder_.string()}});
    CommandResult result = run_command(words, options);
    result.err = without_records(result.err);
    return result;
  }

  static std::string without_records(std::string text) {
    for (std::size_t begin = 0; (begin = text.find('\x02', begin)) != std::string::npos;) {
      text.erase(begin, text.find('\x03', begin) + 2 - begin);
    }
    return text;
  }

  std::string file(const std::string& path) const {
    std::ifstream stream(folder_ / path);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }

  bool nothing_is_left() const {
    return eventually([&] { return marked_processes(mark_).empty(); }, std::chrono::seconds(5));
  }

  fs::path folder_;
  std::string mark_;
  JobPlan plan_;
};

TEST_F(RankWrapper, MarksLinesAsMpirunDoes) {
  plan_.output.tag = true;
  const CommandResult result = run(2, "echo out; echo; echo err >&2; printf end");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(lines(result.err), UnorderedElementsAre("[1,0]<stderr>:err", "[1,1]<stderr>:err"));
  // A last line has no end here either, so that another rank's may follow on it.
  EXPECT_THAT(result.out, HasSubstr("[1,0]<stdout>:out\n[1,0]<stdout>:\n"));
  EXPECT_THAT(result.out, HasSubstr("[1,1]<stdout>:end"));
  EXPECT_EQ(result.out.size(), std::string("[1,0]<stdout>:out\n[1,0]<stdout>:\n[1,0]<stdout>:end").size() * 2);
}

TEST_F(RankWrapper, WritesTheTimeAndMergesStandardErrorIntoOutputInTheirOrder) {
  plan_.output.timestamp = true;
  plan_.output.merge = true;
  const CommandResult result = run(1, "echo one; echo two >&2; echo three");
  const std::string time = "[A-Z][a-z][a-z] [A-Z][a-z][a-z] [ 0-9][0-9] [0-9:]+ 20[0-9][0-9]";
  EXPECT_THAT(result.out, MatchesRegex(time + "<stdout>:one\n" + time + "<stdout>:two\n" + time + "<stdout>:three\n"));
  EXPECT_EQ(result.err, "");
}

TEST_F(RankWrapper, KeepsEachRanksStreamsInFilesAsMpirun4Does) {
  plan_.output.files = folder_ / "kept";
  const CommandResult result = run(11, "[ $RANK = 3 ] || exit 0; echo out; echo err >&2");
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(file("kept/1/rank.03/stdout"), "out\n");
  EXPECT_EQ(file("kept/1/rank.03/stderr"), "err\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "kept/1"), fs::directory_iterator()), 11);
  plan_.output.files += ":nocopy";
  const CommandResult quiet = run(11, "[ $RANK = 3 ] || exit 0; echo again; echo err >&2");
  EXPECT_EQ(quiet.out + quiet.err, "");
  EXPECT_EQ(file("kept/1/rank.03/stdout"), "again\n");
}

TEST_F(RankWrapper, ShowsTheProgramTheSameStreamsAsMpirunAlone) {
  const std::string script = "for n in 0 1 2; do readlink /proc/$$/fd/$n | sed 's/[0-9]*$//; s/:.*//'; done";
  const CommandResult alone = mpirun(1, {"/bin/sh", "-c", script});
  EXPECT_EQ(run(1, script).out, alone.out);
  // Where it passes standard output on itself, the program still sees a terminal where mpirun gives one.
  plan_.output.tag = true;
  EXPECT_EQ(run(1, "[ -t 1 ] && echo terminal || echo pipe").out,
            "[1,0]<stdout>:" + mpirun(1, {"/bin/sh", "-c", "[ -t 1 ] && echo terminal || echo pipe"}).out);
}

TEST_F(RankWrapper, ChoosesTheProgramOfItsRank) {
  fs::create_directory(folder_ / "own");
  plan_.programs = {{0, {"/bin/sh", "-c", "echo first $0 $LOCAL_RANK", "x y"}, std::nullopt, {}},
                    {2, {"/bin/sh", "-c", "echo second $A; pwd"}, (folder_ / "own").string(), {{"A", "b c"}}}};
  const CommandResult result = mpirun(3, {built_program("ringrun"), "__rank", "--"});
  const std::string own = (folder_ / "own").string();
  EXPECT_THAT(lines(result.out), UnorderedElementsAre("first x y 0", "second b c", own, "second b c", own));
}

TEST_F(RankWrapper, GivesARankItsCpusItsMemoryAndItsGpu) {
  const std::string cpu = std::to_string(sched_getcpu());
  plan_.classes[0].rows = {{0, cpu, "0"}, {1, cpu, "900", "1"}};
  const CommandResult result =
      run(2, "echo $LOCAL_RANK $(sed -n 's/Cpus_allowed_list://p' /proc/self/status) $CUDA_VISIBLE_DEVICES;");
  EXPECT_THAT(lines(result.out), UnorderedElementsAre("0 " + cpu, "1 " + cpu + " 1")) << result.err;
}

TEST_F(RankWrapper, NamesWhatItHasSet) {
  plan_.classes[0].environment = {{"FROM_PLAN", "1"}};
  plan_.classes[0].defaults = {{"RINGRUN_TEST_MARK", "kept"}, {"A_DEFAULT", "2"}};
  const CommandResult result = run(1, "echo ,$RINGRUN_SET,; env");
  EXPECT_THAT(result.out, HasSubstr(",FROM_PLAN,"));
  EXPECT_THAT(result.out, HasSubstr(",WORLD_SIZE,A_DEFAULT,\n"));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("RINGRUN_PLAN")));
}

TEST_F(RankWrapper, PassesHundredsOfMebibytesByteForByte) {
  std::string block(std::size_t{8} << 20, '\0');
  unsigned state = 1;
  for (char& byte : block) byte = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  std::ofstream(folder_ / "block", std::ios::binary) << block;
  const std::string many = "i=0; while [ $i -lt 32 ]; do cat " + (folder_ / "block").string() + "; i=$((i+1)); done";
  CommandOptions options;
  options.env = kRoot;
  options.timeout = std::chrono::seconds(100);
  const CommandResult result = run_command(
      {"sh", "-c",
       built_program("ringrun") + " -np 1 -H localhost:1 sh -c '" + many + "' | md5sum; { " + many + "; } | md5sum"},
      options);
  ASSERT_EQ(lines(result.out).size(), 2u) << result.err;
  EXPECT_EQ(lines(result.out)[0], lines(result.out)[1]);
}

TEST_F(RankWrapper, EndsWhatAFailedRankLeavesHoweverItHides) {
  const std::string hides =
      "setsid sh -c 'trap \"\" TERM HUP; sleep 301; true' & (sleep 302 & exec sleep 303) & sleep 0.3; ";
  EXPECT_EQ(run(1, hides + "exit 5").exit_code, 5);
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(RankWrapper, EndsAllWhenItsOwnProcessesAreKilled) {
  for (const char* victim : {"$PPID", "$(cut -d' ' -f4 /proc/$PPID/stat)"}) {
    const std::string hides = "trap '' TERM; setsid sh -c 'trap \"\" TERM HUP; sleep 301; true' & sleep 0.3; ";
    EXPECT_EQ(run(2, hides + "[ $RANK = 1 ] && kill -9 " + victim + "; sleep 304").exit_code, 137) << victim;
    EXPECT_TRUE(nothing_is_left()) << victim;
  }
}

TEST_F(RankWrapper, EndsWhatASuccessfulRankForgotAndLeavesADaemonOfItsOwnSession) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run(1, "setsid sleep 305 >/dev/null 2>&1 </dev/null & sleep 306 & sleep 0.3").exit_code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(marked_processes(mark_).size(), 1u);
}

TEST_F(RankWrapper, LeavesADaemonInAPidNamespaceThatItsSessionsLeaderIsNotIn) {
  std::vector<std::string> words = {"unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", "true"};
  if (run_command(words).exit_code != 0) RINGRUN_CANNOT_RUN("a pid namespace needs root");
  // The namespace ends with its first process, so what is left is looked at from within.
  const std::string finds = "sleep 0.1; for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline 2>/dev/null; echo; done";
  const std::string job = "mpirun --oversubscribe -np 1 " + built_program("ringrun") +
                          " __rank -- /bin/sh -c 'setsid sleep 307 >/dev/null 2>&1 </dev/null & sleep 308 & sleep 0.3'";
  words.back() = job + "; " + finds;
  const CommandResult result = with_plan(words);
  EXPECT_THAT(result.out, HasSubstr("\nsleep 307"));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("\nsleep 308")));
}

}  // namespace
}  // namespace ringrun::test
