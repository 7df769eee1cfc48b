// Cards that send larger frames than the network between them carries: these are lost, and nobody is told.
#include <gmock/gmock.h>

#include "tests/lab/network_lab.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

class Mtu : public NetworkLab {};

// Plain mpirun starts the ranks and hangs for ever at the first large message.
TEST_F(Mtu, Of9000OverANetworkOf1500IsF4WithTheSizeThatPasses) {
  const auto on_a = change("a", {"mtu", "9000"});
  const auto on_b = change("b", {"mtu", "9000"});
  const auto finding = expect_stopped(sweep(), "F4");
  EXPECT_THAT(finding.text, HasSubstr("9000"));
  EXPECT_THAT(finding.text, ContainsRegex("1500|1472"));
  EXPECT_THAT(finding.text, HasSubstr("ip link set"));
}

// Two ends of a TCP connection agree on the smaller one.
TEST_F(Mtu, Of9000OnOneHostAloneRuns) {
  const auto on_a = change("a", {"mtu", "9000"});
  expect_right_sweep_over_the_lan(sweep());
}

}  // namespace
}  // namespace ringrun::test
