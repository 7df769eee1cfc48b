#include "launcher/hosts/hostfile.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <regex>

#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

HostList parse(const std::string& text) { return parse_hostfile(text, "ab"); }

std::string names(const HostList& hosts) {
  std::string text;
  for (const Host& host : hosts) {
    text += (text.empty() ? "" : " ") + host.name + (host.slots ? ":" + std::to_string(*host.slots) : "");
  }
  return text;
}

TEST(Hostfile, ReadsOneHostALineInOrder) {
  EXPECT_EQ(names(parse("b slots=2\n\n  a\n192.168.1.6 cpu=4\n")), "b:2 a 192.168.1.6:4");
}

TEST(Hostfile, ReadsEverySpellingOfSlotsAndTheirMaximum) {
  EXPECT_EQ(names(parse("a slots=2\nb cpu=3\nc count=4\nd slots = 5")), "a:2 b:3 c:4 d:5");
  for (const char* name : {"max_slots", "max-slots", "slots_max", "slots-max", "cpu-max", "max-count"}) {
    const HostList hosts = parse("a slots=2 " + std::string(name) + "=3");
    EXPECT_EQ(hosts.at(0).max_slots, 3) << name;
  }
  EXPECT_EQ(names(parse("a max_slots=3")), "a:3");
}

TEST(Hostfile, ReadsUserAndPort) {
  const HostList hosts = parse("joe@a port=2222\nb username=ann");
  EXPECT_EQ(hosts.at(0).user, "joe");
  EXPECT_EQ(hosts.at(0).port, 2222);
  EXPECT_EQ(hosts.at(1).user, "ann");
  EXPECT_EQ(hosts.at(1).port, std::nullopt);
}

TEST(Hostfile, ReadsWhatAnEditorOnWindowsWrites) {
  EXPECT_EQ(names(parse("\xEF\xBB\xBF"
                        "a slots=2\r\nb\r\n")),
            "a:2 b");
}

TEST(Hostfile, ReadsTheFilesOfOtherLaunchers) {
  EXPECT_EQ(names(parse("worker-1 slots=4\nworker-2 slots=4\n")), "worker-1:4 worker-2:4") << "DeepSpeed";
  const HostList hydra = parse("# Hydra\na:2 binding=user:0,1\nb:4 user=ann\n");
  EXPECT_EQ(names(hydra), "a:2 b:4");
  EXPECT_EQ(hydra.at(1).user, "ann");
  EXPECT_EQ(hydra.at(0).warnings,
            std::vector<std::string>{"ab:2: 'binding=user:0,1' is passed over; --bind-to says how ranks are bound"});
  EXPECT_EQ(names(parse("17\n18 slots=2\nA.example.org\n")), "17 18:2 A.example.org");
  EXPECT_EQ(names(parse("head slots=0\na\n")), "head:0 a");
}

TEST(Hostfile, LeavesHostsOut) {
  EXPECT_EQ(names(parse("^b\na slots=2\nb slots=2\nnode[1-3]\n^node[2-3]  # broken\n")), "a:2 node1");
  EXPECT_EQ(problem_of([] { parse("a\n^b"); }), "ab:2: '^b' leaves out a host that the file does not name");
  EXPECT_EQ(problem_of([] { parse("a\n^a slots=2"); }), "ab:2: '^a' stands alone on its line");
  EXPECT_EQ(problem_of([] { parse("a\n^a:2"); }), "ab:2: '^a:2' is more than a name");
}

TEST(Hostfile, PassesOverWhatMpirunPassesOverAndSaysSo) {
  const HostList hosts = parse("a fast slots=2\nn[1-2] 4\n");
  EXPECT_EQ(names(hosts), "a:2 n1 n2");
  EXPECT_EQ(hosts.at(0).warnings,
            std::vector<std::string>{"ab:1: 'fast' behind a host is passed over, as mpirun does"});
  EXPECT_EQ(hosts.at(1).warnings, std::vector<std::string>{"ab:2: '4' behind a host is passed over, as mpirun does; "
                                                           "slots are written slots=4"});
  EXPECT_TRUE(hosts.at(2).warnings.empty());
}

TEST(Hostfile, TakesCommentsOff) {
  EXPECT_EQ(names(parse("# all\na # one\nb // two\n/* c\n d */ e\nf /* g */ slots=2\n")), "a b e f:2");
}

TEST(Hostfile, ExpandsRangesOfNamesAndKeepsTheirWidth) {
  EXPECT_EQ(names(parse("node[08-10,20] slots=8")), "node08:8 node09:8 node10:8 node20:8");
  EXPECT_EQ(names(parse("r[1-2]n[1-2]")), "r1n1 r1n2 r2n1 r2n2");
}

TEST(Hostfile, ReadsSlotsBehindAColonAndIpv6Addresses) {
  EXPECT_EQ(names(parse("a:2\nfd00::2\nfe80::1%eth0 slots=3")), "a:2 fd00::2 fe80::1%eth0:3");
}

TEST(Hostfile, AHostWithoutSlotsThatRepeatsHasOneSlotALine) {
  EXPECT_EQ(names(parse("a\nb\na\na")), "a:3 b");
  EXPECT_EQ(names(parse("a slots=4\na")), "a:5");
}

TEST(Hostfile, ReadsItsOwnAttributesBehindAMark) {
  const HostList hosts = parse("a slots=1 port=2222  #: nic=enp3s0 gpus=0,2 env.NCCL_DEBUG=INFO env.X=\"a b\"\nb");
  EXPECT_EQ(hosts.at(0).attributes.nic, "enp3s0");
  EXPECT_EQ(hosts.at(0).attributes.gpus, (std::vector{0, 2}));
  EXPECT_EQ(hosts.at(0).attributes.environment.at("NCCL_DEBUG"), "INFO");
  EXPECT_EQ(hosts.at(0).attributes.environment.at("X"), "a b");
  EXPECT_EQ(hosts.at(1).attributes, HostAttributes{});
}

TEST(Hostfile, ReadsTheContainerInWhichAHostsRanksRun) {
  const HostList hosts = parse("a\nb port=22 #: via=docker:my.node_1\nb #: via=docker:0123abcd\n#: via=docker:all\n");
  EXPECT_EQ(hosts.at(0).attributes.container, HostContainer{"all"});
  EXPECT_EQ(hosts.at(1).attributes.container, HostContainer{"0123abcd"});
}

TEST(Hostfile, AttributesOnALineOfTheirOwnAreEveryHosts) {
  const HostList hosts = parse("a #: env.X=mine\nb\n#: env.X=all env.Y=1 nic=eth0\n");
  EXPECT_EQ(hosts.at(0).attributes.environment.at("X"), "mine");
  EXPECT_EQ(hosts.at(0).attributes.environment.at("Y"), "1");
  EXPECT_EQ(hosts.at(1).attributes.environment.at("X"), "all");
  EXPECT_EQ(hosts.at(1).attributes.nic, "eth0");
}

TEST(Hostfile, AnIpv6AddressMayStandInBrackets) {
  EXPECT_EQ(parse_hostfile("[fd00::2]:4\nn[1-2]:4", "ab").at(0).name, "fd00::2") << "and is refused by its name later";
}

TEST(Hostfile, GpusOfRepeatedLinesAddUpAndAreTheHostsSlots) {
  const HostList hosts = parse("a #: gpus=0,1\na #: gpus=3\n");
  EXPECT_EQ(hosts.at(0).attributes.gpus, (std::vector{0, 1, 3}));
  EXPECT_EQ(hosts.at(0).slots, std::nullopt) << "its GPUs";
  EXPECT_EQ(hosts.at(0).slots_without_gpus, 2) << "mpirun's rule, for the engine's own counting";
  EXPECT_EQ(parse("a #: gpus=0\na #: gpus=3\na\n").at(0).slots, 3);
}

TEST(Hostfile, AHostsOwnWordForItsGpusWinsOverEveryHosts) {
  const HostList hosts = parse("#: env.CUDA_VISIBLE_DEVICES=0 env.Y=1\na #: gpus=1\nb\n");
  EXPECT_EQ(hosts.at(0).attributes.gpus, std::vector{1});
  EXPECT_EQ(hosts.at(0).attributes.environment, (std::map<std::string, std::string>{{"Y", "1"}}));
  EXPECT_EQ(hosts.at(1).attributes.environment.at("CUDA_VISIBLE_DEVICES"), "0");
  EXPECT_EQ(parse("#: gpus=0\na #: env.CUDA_VISIBLE_DEVICES=1\n").at(0).attributes.gpus, std::nullopt);
}

TEST(Hostfile, NamesFileLineAndTextOfEveryMistake) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a\n192.168.1.6:2222", "ab:2: '192.168.1.6:2222' would be 2222 slots"},
      {"a\nb slots=x", "ab:2: 'slots=x' is not a whole number from 0 upwards"},
      {"a slots=-1", "ab:1: 'slots=-1' is not a whole number from 0 upwards"},
      {"a slots=", "ab:1: 'slots=' is not a whole number from 0 upwards"},
      {"a slots 2", "ab:1: 'slots' has no value"},
      {"a slots=2, port=1", "ab:1: 'slots=2,' is not a whole number from 0 upwards"},
      {"a max_slots=0", "ab:1: 'max_slots=0' is not a whole number from 1 upwards"},
      {"a 192.168.1.6", "ab:1: '192.168.1.6' behind a host is not understood"},
      {"a 4 all.q@a", "ab:1: 'all.q@a' behind a host is not understood"},
      {"a\n/* b\nc\n", "ab:2: the comment that begins with /* has no end"},
      {"a ifname=eth0", "ab:1: 'ifname=eth0' is no attribute of a host"},
      {"a:2:mlx5_0", "ab:1: 'a:2:mlx5_0' is neither host:N nor an IPv6 address"},
      {"a,b", "ab:1: 'a,b' is several hosts"},
      {"a slots=2 cpu=2", "ab:1: 'cpu=2' says the slots a second time"},
      {"a slots=3 max_slots=2", "ab:1: 'max_slots=2' of 'a' is less than its slots=3"},
      {"a SLOTS=2", "ab:1: 'SLOTS=2' is no attribute of a host"},
      {"a gpus=2", "ab:1: 'gpus=2' is no attribute of a host"},
      {"a two;", "ab:1: 'two;' behind a host is not understood"},
      {"a port=70000", "ab:1: 'port=70000' is above 65535"},
      {"a username=", "ab:1: 'username=' has no value"},
      {"@a", "ab:1: '@a' has no user before the '@'"},
      {"joe@", "ab:1: 'joe@' names no host"},
      {"slots=2", "ab:1: 'slots=2' stands where a host's name is expected"},
      {"rank 0=a slot=1", "ab:1: 'rank 0=a' is a line of a rankfile"},
      {"a:x", "ab:1: 'slots=x' is not a whole number from 1 upwards"},
      {"^^a", "ab:1: '^a' names no host here"},
      {"+n0", "ab:1: '+n0' names no host here"},
      {"\"a\"", "ab:1: '\"a\"' is no host name: it has a '\"'"},
      {"-oProxyCommand", "ab:1: '-oProxyCommand' is no host name: it begins with '-'"},
      {"a;b", "ab:1: 'a;b' is no host name: it has a ';'"},
      {"n[1-", "ab:1: 'n[1-' is no range of names: a bracket has no partner"},
      {"n[3-1]", "ab:1: 'n[3-1]' is no range of names: '3-1' runs backwards"},
      {"n[1,,2]", "ab:1: 'n[1,,2]' is no range of names: a number is missing"},
      {"n[a]", "ab:1: 'n[a]' is no range of names: 'a' is not a number"},
      {"n[0-9999999]", "ab:1: 'n[0-9999999]' is no range of names: more than 100000 names"},
      {"a slots=1\n\na slots=2", "ab:3: 'a' is given slots a second time, first at ab:1"},
      {"a #: gpus=x", "ab:1: 'gpus=x' is not a list of GPUs"},
      {"a #: gpus=", "ab:1: 'gpus=' lists no GPU"},
      {"a #: gpus=2,0-2", "ab:1: 'gpus=2,0-2' names GPU 2 twice: CUDA would show none of them"},
      {"a #: gpus=0\na #: gpus=0",
       "ab:2: 'gpus=0' beside the earlier lines of 'a' names GPU 0 twice: CUDA would show "
       "none of them"},
      {"a #: gpus=1 env.CUDA_VISIBLE_DEVICES=0",
       "ab:1: 'gpus=' and 'env.CUDA_VISIBLE_DEVICES=' both say which GPUs the host uses"},
      {"a #: gpus=1\na #: env.CUDA_VISIBLE_DEVICES=0",
       "ab:2: 'gpus=' and 'env.CUDA_VISIBLE_DEVICES=' both say which GPUs the host uses"},
      {"a #: nic", "ab:1: 'nic' behind #: has no value"},
      {"a #: mtu=9000", "ab:1: 'mtu=9000' behind #: is not understood"},
      {"a #: via=node", "ab:1: 'via=node' is no way into a host that ringrun knows"},
      {"a #: via=docker:", "ab:1: 'via=docker:' names no container"},
      {"a #: via=docker:-rm", "ab:1: 'via=docker:-rm' names no container"},
      {"a #: via=docker:a;b", "ab:1: 'via=docker:a;b' names no container"},
      {"a via=docker:b", "ab:1: 'via=docker:b' is no attribute of a host"},
      {"a #: env.1=2", "ab:1: 'env.1=2' behind #: is not understood"},
      {"a #: env.X=\"1", "ab:1: a quote has no partner: '\"1'"},
  };
  for (const auto& [text, problem] : cases) {
    EXPECT_EQ(problem_of([&] { parse(text); }), problem) << text;
    EXPECT_NE(error_text([&] { parse(text); }).substr(problem.size()), " | ") << "no remedy for " << text;
  }
}

TEST(Hostfile, DoesNotGiveEveryRankTheSameRank) {
  EXPECT_EQ(problem_of([] { parse("a #: env.RANK=3"); }),
            "ab:1: 'env.RANK=3' behind #: would give every rank the same");
}

TEST(Hostfile, DoesNotHandControlCharactersToATerminal) {
  EXPECT_EQ(problem_of([] { parse("a\nb \033]0;x\007 slots=2"); }), "ab:2: the line has the control character 0x1b");
  EXPECT_EQ(problem_of([] { parse(std::string("a\0b", 3)); }), "ab:1: the line has the control character 0x00");
}

TEST(Hostfile, SaysWhyAFileCannotBeRead) {
  const auto folder = std::filesystem::temp_directory_path().string();
  EXPECT_EQ(problem_of([] { read_hostfile("/nowhere/ab"); }),
            "cannot read the hostfile '/nowhere/ab': No such file or directory");
  EXPECT_EQ(problem_of([&] { read_hostfile(folder); }), "the hostfile '" + folder + "' is a directory");
  EXPECT_EQ(problem_of([] { read_hostfile("/dev/null"); }), "the hostfile '/dev/null' names no host");
}

TEST(Hostfile, AnyTextIsHostsOrAnErrorWithItsLine) {
  std::mt19937 random(20240601);
  const std::vector<std::string> pieces = {
      "a",  "node", "[",  "]",    "1-3", ",",    ":", "2",  " ",      "slots",        "=",    "#", "#:", "//",
      "/*", "*/",   "\n", "\r\n", "@",   "env.", "X", "\"", "gpus=0", "\xEF\xBB\xBF", "\xFF", "-", "^"};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (auto i = random() % 12; i > 0; --i) text += pieces[random() % pieces.size()];
    try {
      for (const Host& host : parse(text)) EXPECT_FALSE(host.name.empty()) << text;
    } catch (const UserError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("ab:", 0), 0u) << text << ": " << error.what();
    }
  }
}

/// One or a few random bytes of `text` changed, taken out, doubled, or put elsewhere.
std::string mutated(std::string text, std::mt19937& random) {
  const std::string bytes = "\n\r\t =:#@[]-,^+/*\"0129aZ_.\xC3\x7F";
  for (auto changes = 1 + random() % 4; changes > 0 && !text.empty(); --changes) {
    const std::size_t at = random() % text.size();
    const std::size_t size = std::min<std::size_t>(1 + random() % 8, text.size() - at);
    const std::string piece = text.substr(at, size);
    switch (random() % 4) {
      case 0:
        text[at] = bytes[random() % bytes.size()];
        break;
      case 1:
        text.erase(at, size);
        break;
      case 2:
        text.insert(at, piece);
        break;
      default:
        text.erase(at, size);
        text.insert(random() % (text.size() + 1), piece);
    }
  }
  return text;
}

TEST(Hostfile, MutatedFilesAreHostsOrAnErrorWithItsLine) {
  const std::vector<std::string> valid = {
      "# all\n192.168.1.5 slots=1\n192.168.1.6 slots=1 port=2222  #: nic=enp3s0 gpus=0,2 env.NCCL_DEBUG=INFO\n",
      "node[01-16,20] slots = 8 max_slots=16\r\n^node[03-04]\r\nhead slots=0\r\n",
      "#: env.MASTER_PORT=8888 env.X=\"a b\"\na:2\njoe@b.example.org:4\nc username=ann /* d */ cpu=3 // e\n",
      "a\na\nb fast count=2\n17\n"};
  std::mt19937 random(20241130);
  int read = 0;
  int refused = 0;
  for (int round = 0; round < 8000; ++round) {
    const std::string text = mutated(valid[random() % valid.size()], random);
    try {
      for (const Host& host : parse(text)) {
        // What the engine is given must be plain: none of these is a part of a name to it.
        EXPECT_EQ(host.name.find_first_of("[],^+@#= \t\r\n\"/*"), std::string::npos) << text;
        EXPECT_FALSE(host.name.empty()) << text;
        EXPECT_GE(host.slots.value_or(1), 0) << text;
      }
      ++read;
    } catch (const UserError& error) {
      EXPECT_TRUE(std::regex_search(std::string(error.what()), std::regex("^ab:[1-9][0-9]*: ")))
          << text << error.what();
      EXPECT_FALSE(error.remedy().empty()) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(read, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace ringrun
