#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/unit/explain_cases.hpp"

namespace ringrun::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto& group :
       {wsl2_and_container_cases, interface_and_network_cases, version_and_gpu_cases, launcher_and_slow_cases}) {
    for (Case& each : group()) all.push_back(std::move(each));
  }
  return all;
}

TEST(Catalogue, FindsEachFaultAloneWithItsEvidenceAndRemedy) {
  for (const Case& each : all_cases()) {
    Situation situation = healthy(each.transport);
    std::set<std::string> before;
    for (const Finding& finding : find_faults(situation)) {
      EXPECT_EQ(finding.severity, Severity::note) << finding.id;
      before.insert(finding.id);
    }
    each.deviate(situation);
    SCOPED_TRACE(each.id + ", " + each.evidence);
    bool found = false;
    for (const Finding& finding : find_faults(situation)) {
      if (finding.id != each.id) {
        EXPECT_EQ(before.count(finding.id), 1u) << finding.id << ": " << finding.evidence;
        continue;
      }
      if (finding.severity != each.severity && before.count(finding.id) != 0) continue;
      found = true;
      EXPECT_EQ(finding.severity, each.severity);
      EXPECT_THAT(finding.evidence, HasSubstr(each.evidence));
      EXPECT_THAT(finding.fix, HasSubstr(each.fix));
      EXPECT_FALSE(finding.why.empty());
    }
    EXPECT_TRUE(found);
  }
}

TEST(Catalogue, HasNoRuleThatIsNeverTried) {
  std::set<std::string> tried;
  for (const Case& each : all_cases()) tried.insert(each.id);
  for (const CatalogueRow& row : catalogue()) {
    const bool has_rule = row.coverage == Coverage::detected || row.coverage == Coverage::untested;
    EXPECT_EQ(static_cast<bool>(row.rule), has_rule) << row.id;
    EXPECT_EQ(tried.count(row.id) == 1, has_rule) << row.id;
  }
}

TEST(Catalogue, NamesEachRowOnce) {
  std::set<std::string> ids;
  for (const CatalogueRow& row : catalogue()) EXPECT_TRUE(ids.insert(row.id).second) << row.id;
  EXPECT_GT(ids.size(), 60u);
}

TEST(Catalogue, SaysWhatRingrunDoesAboutPrivateNetworksByItself) {
  const Findings findings = find_faults(healthy());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "I7");
  EXPECT_THAT(findings[0].hosts, ElementsAre("a", "b"));
  EXPECT_THAT(findings[0].done, HasSubstr("btl_tcp_if_include to 192.168.1.0/24"));
}

TEST(Catalogue, LeavesTheUsersGoodWordsAlone) {
  Situation situation = healthy(Transport::nccl);
  situation.parameters = {{"btl_tcp_if_include", "192.168.1.0/24"}};
  situation.hosts[0].environment["NCCL_SOCKET_IFNAME"] = "=eth0";
  situation.hosts[1].environment["NCCL_SOCKET_IFNAME"] = "^docker,lo";
  EXPECT_THAT(find_faults(situation), IsEmpty());
}

TEST(Catalogue, WarnsOfAnExclusionThatLeavesABridgeThatBothHostsHave) {
  Situation situation = healthy();
  situation.launcher_environment["OMPI_MCA_btl_tcp_if_exclude"] = "lo,virbr0";
  const Findings found = faults(situation);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "I7");
  EXPECT_EQ(found[0].severity, Severity::error);
  EXPECT_THAT(found[0].evidence, HasSubstr("leaves docker0 172.17.0.0/16"));
}

TEST(Catalogue, LetsTheEnvironmentBeatTheFile) {
  Situation situation = healthy(Transport::nccl);
  situation.hosts[1].facts.configuration.nccl_files["/etc/nccl.conf"]["NCCL_SOCKET_IFNAME"] = "^docker0";
  situation.hosts[1].environment["NCCL_SOCKET_IFNAME"] = "=enp3s0";
  EXPECT_THAT(faults(situation), IsEmpty());
}

TEST(Report, PutsErrorsFirstAndJoinsHostsOfOneFault) {
  const Finding small{"C3", Severity::warning, {"a"}, "/dev/shm has 64MB", "why", "fix", ""};
  Finding other = small;
  other.hosts = {"b"};
  const Finding broken{"L1", Severity::error, {"c"}, "said", "why", "one\ntwo", "tried"};
  const Findings arranged = arrange({small, broken, other});
  ASSERT_EQ(arranged.size(), 2u);
  EXPECT_EQ(arranged[0].id, "L1");
  EXPECT_THAT(arranged[1].hosts, ElementsAre("a", "b"));
  EXPECT_TRUE(has_errors(arranged));
  EXPECT_FALSE(has_errors({small}));

  std::ostringstream out;
  print(out, arranged);
  EXPECT_THAT(out.str(), StartsWith("error L1 on c: the remote shell does not get there\n"
                                    "  seen: said\n"
                                    "  why:  why\n"
                                    "  fix:  one\n"
                                    "        two\n"
                                    "  done: tried\n"
                                    "warning C3 on a, b: "));
}

TEST(Report, IsJsonEvenWhereAHostSaidNoText) {
  const auto json = nlohmann::json::parse(to_json(Findings{{"L1", Severity::error, {"b"}, "\xff\"", "w", "f", ""}}));
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["severity"], "error");
  EXPECT_EQ(json[0]["hosts"], nlohmann::json::array({"b"}));
  EXPECT_EQ(nlohmann::json::parse(to_json(Findings{})).size(), 0u);
}

TEST(Troubleshooting, PageIsThatOfTheRules) {
  std::ostringstream printed;
  print_troubleshooting(printed);
  const std::string path = std::string(RINGRUN_SOURCE_DIR) + "/docs/troubleshooting.md";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path) << printed.str();
  std::ifstream in(path);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(page, printed.str()) << "renew it with UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace ringrun::test
