// A host's firewall, in nftables: what it drops is named with the ports, what it refuses stops only who needs it.
#include <gmock/gmock.h>

#include "tests/lab/network_lab.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

class Firewall : public NetworkLab {};

TEST_F(Firewall, ThatDropsIsNamedWithThePortsTried) {
  const auto firewall = change("b", {"firewall", "drop"});
  const auto finding = expect_stopped(sweep(), "F[12]");
  EXPECT_THAT(finding.text, HasSubstr("192.168.1.6"));
  // Three ports at least, chosen by the kernel.
  EXPECT_THAT(finding.text, ContainsRegex("[0-9]{4,5}, [0-9]{4,5}(,| and) [0-9]{4,5}"));
  // Its chain has another name than most; the line is for all.
  const std::string begin = "sudo nft list chains";
  const std::size_t at = finding.text.find(begin);
  ASSERT_NE(at, std::string::npos) << finding.text;
  std::string line = finding.text.substr(at, finding.text.find('\n', at) - at);
  for (std::size_t sudo = 0; (sudo = line.find("sudo ")) != std::string::npos;) line.erase(sudo, 5);
  ASSERT_EQ(on("b", {"sh", "-c", line}).exit_code, 0) << line;
  expect_right_sweep_over_the_lan(sweep());
}

TEST_F(Firewall, ThatDropsOnTheLaunchingHostIsNamed) {
  const auto firewall = change("a", {"firewall", "drop"});
  const auto finding = expect_stopped(sweep(), "F[123]");
  EXPECT_THAT(finding.text, HasSubstr("192.168.1.5"));
}

TEST_F(Firewall, WithARangeLeftOpenRunsInThatRange) {
  const auto on_a = change("a", {"firewall", "drop", "40000-40199"});
  const auto on_b = change("b", {"firewall", "drop", "40000-40199"});
  expect_right_sweep_over_the_lan(sweep({"--port-range", "40000-40199"}));
}

TEST_F(Firewall, WithARangeLeftOpenThatTheLaunchDoesNotKnowIsNamed) {
  const auto firewall = change("b", {"firewall", "drop", "40000-40199"});
  const auto finding = expect_stopped(sweep(), "F[12]");
  EXPECT_THAT(finding.text, HasSubstr("--port-range"));
}

class Refusal : public Firewall, public testing::WithParamInterface<const char*> {};

// Plain mpirun runs too: Open MPI can do with connections that b makes.
TEST_P(Refusal, IsWarnedOfAndMpiRuns) {
  const auto firewall = change("b", {"firewall", GetParam()});
  const auto result = sweep({"--transport", "mpi"});
  expect_right_sweep_over_the_lan(result);
  const auto finding = expect_finding(result, "F[12]");
  EXPECT_EQ(finding.severity, "warning") << finding.text;
  EXPECT_THAT(finding.text, HasSubstr("192.168.1.6"));
}

TEST_P(Refusal, StopsNccl) {
  const auto firewall = change("b", {"firewall", GetParam()});
  const auto finding = expect_stopped(sweep({"--transport", "nccl"}), "F[12]");
  EXPECT_THAT(finding.text, HasSubstr("192.168.1.6"));
}

INSTANTIATE_TEST_SUITE_P(Of, Refusal, testing::Values("reject", "prohibit"),
                         [](const auto& verdict) { return std::string(verdict.param); });

}  // namespace
}  // namespace ringrun::test
