#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/mpi/remote_hosts.hpp"

namespace ringrun::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The ranks of a job on hosts, this one among them, whose names are given with their slots.
class Mapping : public RingrunRemote {
 protected:
  static constexpr const char* kHosts = "127.0.0.3:2,localhost:1,127.0.0.2:3";

  /// "RANK HOST" of each rank as the program says it, sorted.
  std::vector<std::string> ranks(const std::string& launcher, std::vector<std::string> options) {
    options.insert(options.begin(), launcher);
    options.insert(options.end(), {"sh", "-c", "echo $OMPI_COMM_WORLD_RANK $(hostname)"});
    CommandOptions run;
    run.env = kRoot;
    run.env.insert({"OMPI_MCA_plm_rsh_agent", shell_});
    const CommandResult result = run_command(options, run);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<std::string> found = sorted_lines(result.out);
    // What a login prints, plain mpirun lets through.
    found.erase(std::remove(found.begin(), found.end(), "Welcome"), found.end());
    return found;
  }

  /// The same from the table of a dry run.
  std::vector<std::string> predicted(std::vector<std::string> options) {
    options.insert(options.begin(), "--dry-run");
    options.push_back("true");
    std::vector<std::string> found;
    std::istringstream table(remote(options).out);
    std::string line;
    std::getline(table, line);
    char own[256] = "";
    gethostname(own, sizeof own - 1);
    for (std::string rank, host; std::getline(table, line) && !line.empty();) {
      std::istringstream(line) >> rank >> host;
      found.push_back(rank + " " + (host == "localhost" ? own : "n" + host.substr(host.rfind('.') + 1)));
    }
    std::sort(found.begin(), found.end());
    return found;
  }
};

TEST_F(Mapping, IsPlainMpirunsWhereTheUserSaysItAndIsForeseen) {
  const std::vector<std::vector<std::string>> cases = {
      {},
      {"-np", "4"},
      {"--map-by", "node"},
      {"-np", "5", "--map-by", "node", "--rank-by", "slot"},
      {"-npernode", "1"},
      {"-N", "1", "-np", "2"},
      {"--rank-by", "node"},
      {"-np", "8", "--oversubscribe"},
  };
  for (std::vector<std::string> options : cases) {
    options.insert(options.begin(), {"-H", kHosts});
    const auto plain = ranks("mpirun", options);
    EXPECT_EQ(ranks(built_program("ringrun"), options), plain) << testing::PrintToString(options);
    EXPECT_EQ(predicted(options), plain) << testing::PrintToString(options);
  }
}

TEST_F(Mapping, InSequenceFollowsTheListOfHosts) {
  EXPECT_THAT(ranks(built_program("ringrun"), {"-H", "127.0.0.3,127.0.0.2,127.0.0.3", "--map-by", "seq"}),
              ElementsAre("0 n3", "1 n2", "2 n3"));
}

TEST_F(Mapping, TheRendezvousIsOnTheHostOfRankZero) {
  const std::string hostfile = folder_ + "/ab";
  std::ofstream(hostfile) << "127.0.0.2 slots=1 #: env.MASTER_PORT=29991\nlocalhost slots=1 #: env.MASTER_PORT=29992\n";
  const auto ports = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"-hostfile", hostfile, "sh", "-c", "echo $RANK $MASTER_PORT"});
    return sorted_lines(remote(options).out);
  };
  EXPECT_THAT(ports({}), ElementsAre("0 29992", "1 29992")) << "the launching host is filled first";
  EXPECT_THAT(ports({"--map-by", "seq"}), ElementsAre("0 29991", "1 29991"));
}

const char* const kSay = "echo $RANK/$WORLD_SIZE $0 $A $(basename $PWD) $(hostname)";

TEST_F(Mapping, OfSeveralProgramsGivesEachItsRanksHostsFolderAndVariables) {
  const CommandResult result =
      remote({"-np", "1",  "-H",          "127.0.0.3:1", "-x",  "A=1",   "sh",   "-c", kSay, "first", ":",     "-np",
              "2",   "-H", "127.0.0.2:2", "-x",          "A=2", "-wdir", "/tmp", "sh", "-c", kSay,    "second"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string here = std::filesystem::current_path().filename();
  EXPECT_THAT(sorted_lines(result.out),
              ElementsAre("0/3 first 1 " + here + " n3", "1/3 second 2 tmp n2", "2/3 second 2 tmp n2"));
}

TEST_F(Mapping, OfAnAppFileIsThatOfItsLines) {
  const std::string apps = folder_ + "/apps";
  std::ofstream(apps) << "# two programs\n-np 1 sh -c 'echo $RANK one'\n-np 1 sh -c 'echo $RANK two'\n";
  const CommandResult result = remote({"--app", apps, "-H", "127.0.0.3:2"});
  EXPECT_THAT(sorted_lines(result.out), ElementsAre("0 one", "1 two")) << result.err;
}

TEST_F(Mapping, OfSeveralProgramsWithTooManyRanksIsRefused) {
  const CommandResult result =
      remote({"-np", "1", "-H", "127.0.0.3:1", "true", ":", "-np", "2", "-H", "127.0.0.2:1", "true"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("wants 2 slots"));
}

TEST_F(Mapping, OfSeveralProgramsPutsEachRankOnAGpuThatItsProgramSees) {
  const char* say = "echo $RANK $CUDA_VISIBLE_DEVICES $RINGRUN_PLACEMENT | sed 's/{.*\"gpu\":/ /; s/,.*//'";
  const CommandResult result = ringrun({"-np", "1", "-x", "CUDA_VISIBLE_DEVICES=1", "sh", "-c", say, ":", "-np", "1",
                                        "-x", "CUDA_VISIBLE_DEVICES=0", "sh", "-c", say},
                                       {{"LD_LIBRARY_PATH", RINGRUN_TWO_GPUS}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(sorted_lines(result.out), ElementsAre("0 1  1", "1 0  0"));
}

TEST_F(Mapping, ThatOnlyTheEngineKnowsHasRanksCountedOnTheirHosts) {
  make_shell("LD_LIBRARY_PATH=" RINGRUN_TWO_GPUS);
  const auto job = [&](std::vector<std::string> more) {
    const std::vector<std::string> words = {"-H", "127.0.0.2:3,127.0.0.3:3", "--map-by", "slot:span", "-np", "6"};
    more.insert(more.begin(), words.begin(), words.end());
    more.insert(more.end(), {"sh", "-c", "echo $RANK"});
    return remote(more);
  };
  const CommandResult refused = job({});
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, testing::ContainsRegex("n[23]: 3 ranks want a GPU each, and there are 2; start at most 2, "
                                                  "or let ranks share GPUs: --share-gpu"));
  const CommandResult shared = job({"--share-gpu"});
  EXPECT_EQ(shared.exit_code, 0) << shared.err;
  EXPECT_EQ(lines(shared.out).size(), 6u);
}

TEST_F(Mapping, OfHostsThatAreAllOfTheirOwnKindStarts) {
  const std::string hostfile = folder_ + "/hosts";
  const std::string word(100'000, 'x');
  std::ofstream(hostfile) << "127.0.0.2 slots=1 #: env.LONG=" << word << "2\n127.0.0.3 slots=1 #: env.LONG=" << word
                          << "3\n";
  const CommandResult result =
      remote({"-hostfile", hostfile, "sh", "-c", "echo ${#LONG} $(echo $LONG | tr -d x) ${RINGRUN_PLAN_2:-gone}"});
  EXPECT_EQ(result.exit_code, 0) << result.err.substr(0, 1000);
  EXPECT_THAT(sorted_lines(result.out), ElementsAre("100001 2 gone", "100001 3 gone"));
}

}  // namespace
}  // namespace ringrun::test
