#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "tests/cli/ringrun_fixture.hpp"
#include "tests/support/not_sanitized.hpp"
#include "tests/unit/drawn_machine.hpp"

namespace ringrun::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::json;

/// A machine with two packages, a GPU and a card on each.
class Placement : public Ringrun {
 protected:
  void SetUp() override {
    Ringrun::SetUp();
    node_ = file("node.xml", drawn_xml(R"(
package 0
 node 0 cores 4x2
  bridge
   bridge
    gpu 01:00.0
    card 02:00.0 ib0 mlx5_0=4
package 1
 node 1 cores 4x2
  bridge
   bridge
    gpu 81:00.0
    card 82:00.0 ib1 mlx5_1=4
)"));
  }

  CommandResult dry_run(std::vector<std::string> words) {
    words.insert(words.begin(), {"--dry-run", "--topology", node_});
    // There is no engine there.
    return ringrun(std::move(words), {{"PATH", folder_}});
  }

  std::string node_;
};

TEST_F(Placement, OfAMachineThatIsNotHereIsATable) {
  const CommandResult result = dry_run({});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "rank  host  local_rank  gpu             numa  cpus       nics  hcas\n"
            "   0  node           0  0 0000:01:00.0     0  0-3,8-11   ib0   mlx5_0\n"
            "   1  node           1  1 0000:81:00.0     1  4-7,12-15  ib1   mlx5_1\n");
}

TEST_F(Placement, IsOneObjectWithTheRanksInTheirOrder) {
  const CommandResult result = dry_run({"-H", "a:2,b:1", "--json", "prog"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json ranks = Json::parse(result.out).at("ranks");
  ASSERT_EQ(ranks.size(), 3u);
  EXPECT_EQ(ranks[1], Json::parse(R"({"rank":1,"host":"a","local_rank":1,
    "gpu":{"index":1,"bus_id":"0000:81:00.0","uuid":null,"name":null},
    "numa":1,"cpus":"4-7,12-15","nics":["ib1"],"hcas":["mlx5_1"]})"));
  EXPECT_EQ(ranks[2].at("host"), "b");
  EXPECT_EQ(ranks[2].at("local_rank"), 0);
}

TEST_F(Placement, SaysNullOfWhatNobodyKnows) {
  const CommandResult unasked = ringrun({"--dry-run", "--offline", "--json", "-H", "host1.invalid:1", "true"});
  ASSERT_EQ(unasked.exit_code, 0) << unasked.err;
  const Json json = Json::parse(unasked.out);
  for (const char* name : {"gpu", "numa", "cpus", "nics", "hcas"})
    EXPECT_TRUE(json.at("ranks").at(0).at(name).is_null()) << name;
  EXPECT_THAT(json.at("command").get<std::string>(), HasSubstr("mpirun"));
  const CommandResult engines = dry_run({"-H", "a:2,b:2", "--json", "--map-by", "ppr:1:l3cache", "prog"});
  ASSERT_EQ(engines.exit_code, 0) << engines.err;
  EXPECT_TRUE(Json::parse(engines.out).at("ranks").at(1).at("host").is_null());
}

TEST_F(Placement, HonoursTheGpusThatAreSaid) {
  EXPECT_THAT(dry_run({"-x", "CUDA_VISIBLE_DEVICES=1"}).out, HasSubstr("\n   0  node           0  1 0000:81:00.0"));
  const std::string hosts = file("hosts", "a #: gpus=1\n");
  EXPECT_THAT(dry_run({"-hostfile", hosts}).out, HasSubstr("\n   0  a              0  1 0000:81:00.0"));
  const CommandResult twice = dry_run({"-hostfile", hosts, "-x", "CUDA_VISIBLE_DEVICES=0"});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr(hosts + ":1: 'gpus=1' of 'a' and -x CUDA_VISIBLE_DEVICES=0 both say which GPUs"));
  const CommandResult missing = dry_run({"-hostfile", file("more", "a #: gpus=1,5\n")});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("more:1: 'gpus=1,5': a has no GPU 5 that can be used"));
}

TEST_F(Placement, HonoursTheGpusThatAHostsOwnVariableShows) {
  const CommandResult result = dry_run({"-hostfile", file("hosts", "a #: env.CUDA_VISIBLE_DEVICES=1\nb\n"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json ranks = Json::parse(result.out).at("ranks");
  ASSERT_EQ(ranks.size(), 3u) << "one on a, two on b";
  EXPECT_EQ(ranks[0].at("gpu").at("index"), 1);
  EXPECT_EQ(ranks[1].at("host"), "b");
}

TEST_F(Placement, GivesEachProgramTheGpusThatItsOwnVariableShows) {
  const std::vector<std::string> words = {"-np", "1", "-x", "CUDA_VISIBLE_DEVICES=1", "a", ":",
                                          "-np", "1", "-x", "CUDA_VISIBLE_DEVICES=0", "b"};
  const CommandResult table = dry_run(words);
  EXPECT_THAT(table.out, HasSubstr("\n   0  node           0  1 0000:81:00.0     1  4-7,12-15  ib1   mlx5_1\n"));
  EXPECT_THAT(table.out, HasSubstr("\n   1  node           1  0 0000:01:00.0     0  0-3,8-11   ib0   mlx5_0\n"));
  std::vector<std::string> same = words;
  same[9] = "CUDA_VISIBLE_DEVICES=1";
  same.insert(same.begin(), "--json");
  EXPECT_THAT(dry_run(same).err, HasSubstr("-np 2 wants 2 slots, the hosts have 1"));
  same.insert(same.begin(), "--share-gpu");
  const Json ranks = Json::parse(dry_run(same).out).at("ranks");
  EXPECT_EQ(ranks.at(0).at("gpu"), ranks.at(1).at("gpu"));
}

TEST_F(Placement, SaysWhyRanksHaveNoGpu) {
  const CommandResult twice = dry_run({"-x", "CUDA_VISIBLE_DEVICES=0,0", "-np", "1"});
  EXPECT_EQ(twice.exit_code, 0);
  const std::string note = "node: CUDA_VISIBLE_DEVICES=0,0: CUDA shows none of its 2 entries\n";
  EXPECT_EQ(twice.err, "ringrun: warning: " + note);
  EXPECT_THAT(twice.out, HasSubstr("note on " + note));
  node_ = file("bare.xml", drawn_xml("package 0\n node 0 cores 4x1\n"));
  EXPECT_THAT(dry_run({"-np", "1"}).out, HasSubstr("note on bare: the file " + node_ + " shows no NVIDIA GPU\n"));
}

TEST_F(Placement, LeavesThisShellsGpusOutAndSaysSo) {
  const CommandResult result =
      ringrun({"--dry-run", "--topology", node_}, {{"PATH", folder_}, {"CUDA_VISIBLE_DEVICES", "1"}});
  EXPECT_THAT(result.err, StartsWith("ringrun: note: CUDA_VISIBLE_DEVICES=1 is this shell's, and not that machine's"));
  EXPECT_THAT(result.out, HasSubstr("\n   1  node           1  1 0000:81:00.0"));
}

TEST_F(Placement, ShowsTheInterfaceThatIsSaid) {
  const CommandResult said = dry_run({"--nic", "node=ib1"});
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(said.out, HasSubstr("0-3,8-11   ib1   mlx5_0\n"));
  EXPECT_THAT(dry_run({"--nic", "node=bond0"}).err,
              StartsWith("ringrun: warning: --nic node=bond0: the file shows no such card"));
  EXPECT_EQ(dry_run({"--nic", "other=ib1"}).exit_code, 2);
}

TEST_F(Placement, ShowsTheCardsThatNcclsVariablesAllow) {
  const CommandResult asked = dry_run({"-x", "NCCL_SOCKET_IFNAME==ib1", "-x", "NCCL_IB_HCA=^mlx5_0:1"});
  EXPECT_EQ(asked.err, "");
  EXPECT_THAT(asked.out, HasSubstr("0-3,8-11   ib1   mlx5_1\n"));
  const std::string hosts = file("hosts", "a\nb #: env.NCCL_SOCKET_IFNAME=ib0\n");
  const Json ranks = Json::parse(dry_run({"-hostfile", hosts, "--json"}).out).at("ranks");
  EXPECT_EQ(ranks.at(1).at("nics"), Json({"ib1"}));
  EXPECT_EQ(ranks.at(3).at("nics"), Json({"ib0"}));
  const CommandResult forwarded =
      ringrun({"--dry-run", "--topology", node_}, {{"PATH", folder_}, {"NCCL_IB_HCA", "mlx4"}});
  EXPECT_EQ(forwarded.err, "ringrun: warning: NCCL_IB_HCA=mlx4 allows no card that the file shows\n");
  EXPECT_THAT(forwarded.out, HasSubstr("0-3,8-11   ib0\n"));
}

TEST_F(Placement, CountsThePackagesOfTheMachine) {
  const CommandResult result = dry_run({"-H", "a", "--map-by", "ppr:1:socket", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json ranks = Json::parse(result.out).at("ranks");
  ASSERT_EQ(ranks.size(), 2u);
  EXPECT_EQ(ranks[1].at("gpu").at("index"), 1);
  const CommandResult more = dry_run({"-H", "a:4", "--map-by", "ppr:2:socket"});
  EXPECT_EQ(more.exit_code, 2);
  EXPECT_THAT(more.err, HasSubstr("a: 4 ranks want a GPU each, and there are 2"));
}

TEST_F(Placement, GivesGpusOfSeveralLinesARankEach) {
  const CommandResult result = dry_run({"-hostfile", file("hosts", "a #: gpus=1\na #: gpus=0\n"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json ranks = Json::parse(result.out).at("ranks");
  ASSERT_EQ(ranks.size(), 2u);
  EXPECT_EQ(ranks[0].at("gpu").at("index"), 1);
  EXPECT_EQ(ranks[1].at("gpu").at("index"), 0);
}

TEST_F(Placement, SharesGpusAndKeepsInsideCpusWhereThatIsSaid) {
  const CommandResult refused = dry_run({"-np", "3"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("node 2\n  each GPU is a slot: "));
  const CommandResult shared = dry_run({"-np", "3", "--share-gpu", "--cpu-set", "0-1,4-5"});
  EXPECT_EQ(shared.exit_code, 0) << shared.err;
  EXPECT_EQ(shared.out,
            "rank  host  local_rank  gpu             numa  cpus  nics  hcas\n"
            "   0  node           0  0 0000:01:00.0     0  0,1   ib0   mlx5_0\n"
            "   1  node           1  1 0000:81:00.0     1  4,5   ib1   mlx5_1\n"
            "   2  node           2  0 0000:01:00.0     0  0,1   ib0   mlx5_0\n");
}

TEST_F(Placement, OfTenThousandHostsIsShownWithinASecondAnd200Megabytes) {
  RINGRUN_NOT_SANITIZED("its time and memory are those of an ordinary build");
  std::string drawing;
  for (const std::string package : {"0", "1"}) {
    drawing += "package " + package + "\n node " + package + " cores 48x2\n  bridge\n";
    for (int card = 1; card < 5; ++card) drawing += "   gpu " + package + std::to_string(card) + ":00.0\n";
  }
  node_ = file("eight.xml", drawn_xml(drawing));
  std::string hosts;
  for (int i = 0; i < 10000; ++i)
    hosts += "n" + std::to_string(10000 + i) + " #: env.KIND=" + std::to_string(i % 3) + "\n";
  const std::string hostfile = file("hosts", hosts);
  for (const char* json : {"--quiet", "--json"}) {
    rusage before{};
    getrusage(RUSAGE_CHILDREN, &before);
    const CommandResult result = dry_run({"-hostfile", hostfile, json});
    rusage after{};
    getrusage(RUSAGE_CHILDREN, &after);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_GT(result.out.size(), 4'000'000u) << "80000 ranks";
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    // 0.25 s and 120 MB where it is optimised.
    EXPECT_LT(seconds(after.ru_utime) - seconds(before.ru_utime), 1.0) << json;
    EXPECT_LT(after.ru_maxrss, 200 * 1024) << "KiB, of the largest child so far";
  }
}

TEST_F(Placement, NeedsAFileThatIsATopology) {
  const CommandResult missing = ringrun({"--dry-run", "--topology", "nowhere.xml"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, StartsWith("ringrun: --topology nowhere.xml: No such file or directory\n  write one"));
  const CommandResult bad = ringrun({"--dry-run", "--topology", file("bad.xml", "<topology><object")});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr("bad.xml is not a topology that hwloc can read\n  save one with: lstopo"));
  EXPECT_EQ(ringrun({"--dry-run", "--topology", folder_}).exit_code, 2);
  EXPECT_EQ(ringrun({"--topology", node_, "true"}).exit_code, 2) << "without --dry-run";
  EXPECT_EQ(ringrun({"--json", "true"}).exit_code, 2) << "without --dry-run";
}

TEST_F(Placement, OfARealMachineHasItsNodesAndCards) {
  const std::string path = std::string(RINGRUN_TOPOLOGIES) + "/ipa20.xml";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not on this machine";
  const CommandResult result = ringrun({"--dry-run", "--topology", path, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json ranks = Json::parse(result.out).at("ranks");
  ASSERT_EQ(ranks.size(), 4u);
  const int nodes[] = {3, 1, 7, 5};
  const char* cards[] = {"mlx5_0", "mlx5_2", "mlx5_3", "mlx5_3"};
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(ranks[rank].at("numa"), nodes[rank]) << rank;
    EXPECT_EQ(ranks[rank].at("hcas"), Json({cards[rank]})) << rank;
  }
}

}  // namespace
}  // namespace ringrun::test
