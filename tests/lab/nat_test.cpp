// A host behind a machine that translates addresses, as WSL2 is by default: it reaches the others, and none reaches it.
#include <gmock/gmock.h>

#include "tests/lab/network_lab.hpp"

namespace ringrun::test {
namespace {

using testing::HasSubstr;

class Nat : public NetworkLab {
 protected:
  /// a by its own address, that of the network inside.
  static std::string hosts() { return hostfile("172.28.224.5 slots=1\n192.168.1.6 slots=1 port=2222\n"); }
};

TEST_F(Nat, IsNamedWithTheDirectionThatFails) {
  const auto nat = change("a", {"nat"});
  const auto finding = expect_stopped(sweep({}, hosts()), "NAT");
  EXPECT_THAT(finding.text, HasSubstr("172.28.224.5"));
  EXPECT_THAT(finding.text, HasSubstr("192.168.1.5")) << "the address by which b sees a";
}

TEST_F(Nat, IsNamedThroughRealSshToo) {
  start_sshd("b", 2222);
  const auto nat = change("a", {"nat"});
  expect_stopped(sweep_with_ssh({}, hosts()), "NAT");
}

TEST_F(Nat, OfWsl2IsW1WithTheLineForWslconfig) {
  const auto nat = change("a", {"nat"});
  const auto wsl2 = change("a", {"wsl2", "nat"});
  const auto finding = expect_stopped(sweep({}, hosts()), "W1");
  EXPECT_THAT(finding.text, HasSubstr("windows.ps1 -Peers 192.168.1.6\n"));
  EXPECT_THAT(finding.text, HasSubstr("networkingMode=mirrored"));
  EXPECT_THAT(finding.text, HasSubstr("wsl --shutdown"));
}

TEST_F(Nat, OfWsl2IsW1WhereTheHostfileNamesWindowsAddress) {
  const auto nat = change("a", {"nat"});
  const auto wsl2 = change("a", {"wsl2", "nat"});
  const auto finding = expect_stopped(sweep(), "W1");
  EXPECT_THAT(finding.text, HasSubstr("windows.ps1 -Peers 192.168.1.6\n"));
  EXPECT_THAT(finding.text, HasSubstr("networkingMode=mirrored"));
}

TEST_F(Nat, IsNotSuspectedOfAMirroredWsl2) {
  const auto wsl2 = change("a", {"wsl2", "mirrored"});
  const auto result = sweep();
  expect_right_sweep_over_the_lan(result);
  EXPECT_FALSE(findings_in(result.err).contains("W1")) << result.err;
}

}  // namespace
}  // namespace ringrun::test
