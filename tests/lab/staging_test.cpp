// Programs and files that only the launching host has. Each host has its own /tmp and home folder.
#include <gmock/gmock.h>

#include "tests/lab/network_lab.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string folder = "/tmp/job";

class Staging : public NetworkLab {
 protected:
  void SetUp() override {
    NetworkLab::SetUp();
    if (lab) sh("a", "mkdir -p " + folder);
  }
  void TearDown() override {
    if (!lab) return;
    for (const char* host : {"a", "b"}) sh(host, "cd /; rm -rf " + folder + " /root/.cache /tmp/other");
    NetworkLab::TearDown();
  }

  static std::string sh(const std::string& host, const std::string& line) {
    const auto result = on(host, {"sh", "-c", line});
    EXPECT_EQ(result.exit_code, 0) << line << "\n" << result.err;
    return result.out;
  }
  /// A program of the shell in the folder.
  static void program(const std::string& host, const std::string& name, const std::string& line) {
    sh(host, "mkdir -p " + folder + "; cd " + folder + "; printf '#!/bin/sh\\n" + line + "\\n' >" + name +
                 "; chmod +x " + name);
  }
  /// ringrun in the folder of a, over a and b unless the words say other hosts.
  static CommandResult run(std::vector<std::string> words, const std::vector<std::string>& hosts = {"-H", "a,b"}) {
    words.insert(words.begin(), hosts.begin(), hosts.end());
    words.insert(words.begin(), {"env", "--chdir=" + folder, built_program("ringrun")});
    return on("a", words, seconds(60));
  }
  static std::string sorted(const std::string& text) { return run_command({"sort"}, {.input = text}).out; }
  static std::string copies_on_b() { return sh("b", "ls /root/.cache/ringrun/programs"); }
};

TEST_F(Staging, AChangedProgramIsCopiedAgainAndAnUnchangedOneIsNot) {
  program("a", "prog", "echo one on $(hostname)");
  const auto first = run({"./prog"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(sorted(first.out), "one on a\none on b\n");
  EXPECT_THAT(first.err, HasSubstr("ringrun: copied /tmp/job/prog (1K) to b\n"));
  EXPECT_THAT(run({"./prog"}).err, Not(HasSubstr("copied")));
  program("a", "prog", "echo two on $(hostname)");
  EXPECT_EQ(sorted(run({"./prog"}).out), "two on a\ntwo on b\n");
  EXPECT_EQ(sh("b", "stat -c %a /root/.cache/ringrun /root/.cache/ringrun/programs/*"), "700\n700\n700\n");
}

TEST_F(Staging, AProgramThatDiffersIsWarnedOfAndKeptUnlessThisHostsIsAskedFor) {
  program("a", "prog", "echo mine");
  program("b", "prog", "echo theirs");
  const auto kept = run({"./prog"});
  EXPECT_EQ(sorted(kept.out), "mine\ntheirs\n");
  EXPECT_THAT(expect_finding(kept, "L7").text, HasSubstr("--preload-binary"));
  const auto copied = run({"--preload-binary", "./prog"});
  EXPECT_EQ(copied.out, "mine\nmine\n") << copied.err;
  EXPECT_THAT(copied.err, Not(HasSubstr("L7")));
  EXPECT_EQ(sh("b", folder + "/prog"), "theirs\n");
}

TEST_F(Staging, NothingIsCopiedWhereNothingIsStarted) {
  program("a", "prog", "true");
  const auto dry = run({"--dry-run", "./prog"});
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_THAT(dry.out, ContainsRegex("/root/.cache/ringrun/programs/[0-9a-f]{32}/prog"));
  const auto report = run({"--doctor", "./prog"});
  EXPECT_EQ(report.exit_code, 0) << report.out;
  EXPECT_THAT(report.out, HasSubstr("/tmp/job/prog is not there"));
  EXPECT_EQ(sh("b", "ls -A /root"), ".ssh\n");
}

TEST_F(Staging, OfASystemsProgramIsRefusedWithTheHostsName) {
  const auto without = change("b", {"without", "/usr/bin/cksum"});
  const auto result = run({"cksum", "--version"});
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_THAT(result.err, HasSubstr("the program /usr/bin/cksum does not exist on b"));
  EXPECT_EQ(run({"-s", "cksum", "--version"}).exit_code, 0);
}

TEST_F(Staging, EachOfSeveralProgramsIsLookedForOnItsOwnHosts) {
  program("a", "first", "echo first on $(hostname)");
  program("a", "second", "echo second on $(hostname)");
  const auto result = run({"-H", "a", "./first", ":", "-H", "b", "./second"}, {});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(sorted(result.out), "first on a\nsecond on b\n");
  EXPECT_THAT(result.err, HasSubstr("copied /tmp/job/second (1K) to b\n"));
  EXPECT_THAT(result.err, Not(HasSubstr("/tmp/job/first")));
  const auto absent = run({"-H", "a", "./first", ":", "-H", "b", "./third"}, {});
  EXPECT_EQ(absent.exit_code, 127);
  EXPECT_THAT(absent.err, HasSubstr("the program /tmp/job/third does not exist on b"));
}

TEST_F(Staging, AProgramThatTheHostCannotRunIsNamedBeforeItIsCopied) {
  const std::string worker = built_program("worker");
  sh("a",
     "perl -pe 's/GLIBC_2[.]3(\\d)/GLIBC_2.9$1/g' " + worker + " >" + folder + "/newer; chmod +x " + folder + "/newer");
  const auto newer = expect_stopped(run({"./newer"}, {"-H", "b"}), "L9");
  EXPECT_THAT(newer.hosts, ContainsRegex(host_b));
  EXPECT_THAT(newer.text, ContainsRegex("/tmp/job/newer needs GLIBC 2[.]9[0-9], the host has 2[.]"));
  // The two bytes that say which machine.
  sh("a", "cp " + worker + " " + folder + "/arm; printf '\\267\\0' | dd of=" + folder +
              "/arm bs=1 seek=18 conv=notrunc status=none");
  const auto other = expect_stopped(run({"./arm"}, {"-H", "b"}), "L9");
  EXPECT_THAT(other.text, HasSubstr("/tmp/job/arm is built for aarch64, the host is x86_64"));
  EXPECT_EQ(sh("b", "ls -A /root"), ".ssh\n");
}

TEST_F(Staging, APlaceThatCannotTakeACopyIsNamedWithAnotherOneThatCan) {
  sh("a", "cp " + built_program("worker") + " " + folder + "/prog");
  const auto stopped = [&](const std::string& option) {
    const auto place = change("b", {"hidden", "/root", option});
    return expect_stopped(run({"./prog", "-b", "8", "-e", "8"}), "L11");
  };
  EXPECT_THAT(stopped("size=64k").text, HasSubstr("the disk or the quota is full"));
  EXPECT_THAT(stopped("noexec").text, HasSubstr("/root is mounted noexec"));
  const auto read_only = stopped("ro");
  EXPECT_THAT(read_only.text, HasSubstr("/root is read-only"));
  EXPECT_THAT(read_only.hosts, ContainsRegex(host_b));
  EXPECT_THAT(read_only.text, HasSubstr("#: env.XDG_CACHE_HOME=/FOLDER"));
  const auto place = change("b", {"hidden", "/root", "ro"});
  const auto mended =
      run({"./prog", "-b", "8", "-e", "8"},
          {"-hostfile", hostfile("192.168.1.5 slots=1\n192.168.1.6 slots=1 #: env.XDG_CACHE_HOME=/tmp/other\n")});
  EXPECT_EQ(mended.exit_code, 0) << mended.err;
}

TEST_F(Staging, ACopyThatARankStillRunsOutlivesItsAge) {
  program("a", "long", "echo started; sleep 300");
  program("a", "prog", "true");
  program("a", "last", "true");
  auto job = start("a", {"env", "--chdir=" + folder, built_program("ringrun"), "-H", "b", "./long"});
  ASSERT_TRUE(job.wait_for_output("started")) << job.output();
  const std::string copy = copies_on_b().substr(0, 32);
  const std::string age = "touch -d '20 days ago' /root/.cache/ringrun/programs/" + copy;
  sh("b", age);
  EXPECT_EQ(run({"./prog"}).exit_code, 0);
  EXPECT_THAT(copies_on_b(), HasSubstr(copy));
  send_signal("a", "INT", launcher_pid("a"));
  job.finish();
  sh("b", age);
  EXPECT_EQ(run({"./last"}).exit_code, 0);
  EXPECT_THAT(copies_on_b(), Not(HasSubstr(copy)));
}

TEST_F(Staging, FilesComeIntoTheWorkingDirectoryWhichIsMade) {
  sh("a",
     "cd " + folder + "; mkdir -p data; echo one >data/x; echo 'echo $(cat data/x) in $PWD on $(hostname)' >script");
  const auto result = run({"--preload-files", "script,data", "sh", "script"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(sorted(result.out), "one in /tmp/job on a\none in /tmp/job on b\n");
  sh("a", "echo two >" + folder + "/data/x");
  EXPECT_EQ(sorted(run({"--preload-files", "script,data", "sh", "script"}).out),
            "two in /tmp/job on a\ntwo in /tmp/job on b\n");
  const auto elsewhere = run({"--preload-files", "script,data", "-wdir", "/tmp/other", "sh", "script"});
  EXPECT_EQ(sorted(elsewhere.out), "two in /tmp/other on a\ntwo in /tmp/other on b\n") << elsewhere.err;
}

TEST_F(Staging, AFileOfAPersonsOwnIsNeverReplaced) {
  sh("a", "echo new >" + folder + "/data");
  sh("b", "mkdir -p " + folder + "; echo own >" + folder + "/data");
  const auto finding = expect_stopped(run({"--preload-files", "data", "cat", "data"}), "L11");
  EXPECT_THAT(finding.text, HasSubstr("another /tmp/job/data is there, and is kept"));
  EXPECT_EQ(sh("b", "cat " + folder + "/data"), "own\n");
  const auto absent = run({"--preload-files", "nowhere", "true"});
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_THAT(absent.err, HasSubstr("--preload-files nowhere: there is no such file here"));
}

TEST_F(Staging, LibrariesOfTheProgramsOwnGoAlongWhereThatIsAsked) {
  const std::string library = RINGRUN_NCCL_STAND_INS "/2.19.3/libnccl.so.2";
  sh("a", "cp " RINGRUN_BIN_DIR "/../tests/library_program " + folder + "; cp -L " + library + " " + folder);
  const auto result = run({"--preload-libraries", "./library_program"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "21903\n21903\n");
  EXPECT_THAT(result.err, HasSubstr("copied /tmp/job/libnccl.so.2 ("));
  const auto without = run({"-s", "./library_program"}, {"-H", "b"});
  EXPECT_THAT(without.out, Not(HasSubstr("21903"))) << "the library went along unasked";
}

/// Hosts that have neither ringrun nor the program, reached by the real ssh, on both generations of Open MPI.
class StagingByEngine : public NetworkLab, public testing::WithParamInterface<int> {
 protected:
  static void SetUpTestSuite() {}
  void SetUp() override {
    bring_up_with_open_mpi(GetParam(), 2);
    NetworkLab::SetUp();
    if (lab) start_sshd("b", 2222);
  }
};

TEST_P(StagingByEngine, TheSweepRunsOverAHostThatHasNothingButSshdAndOpenMpi) {
  const auto bare = change("b", {"hidden", RINGRUN_BIN_DIR});
  ASSERT_EQ(on("b", {"ls", "-A"}).out, "") << "the launching host's build is seen there";
  // What ringrun itself left there when it was another build.
  ASSERT_EQ(on("b", {"sh", "-c",
                     "cd /root; umask 077; mkdir -p .cache/ringrun; cd .cache/ringrun; mkdir 0123old 0123new; "
                     "touch -d '40 days ago' 0123old"})
                .exit_code,
            0);
  const auto result = sweep_with_ssh();
  expect_right_sweep_over_the_lan(result);
  EXPECT_EQ(on("b", {"sh", "-c", "cd /root/.cache/ringrun; ls -d 0123*"}).out, "0123new\n");
  EXPECT_THAT(result.err, ContainsRegex("ringrun: copied [^\n]*/worker \\([0-9]+K\\) to 192.168.1.6\n"));
  const auto again = sweep_with_ssh();
  expect_right_sweep_over_the_lan(again);
  EXPECT_THAT(again.err, Not(HasSubstr("copied")));
}

INSTANTIATE_TEST_SUITE_P(OpenMpi, StagingByEngine, testing::Values(4, 5));

}  // namespace
}  // namespace ringrun::test
