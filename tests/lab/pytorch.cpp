#include "tests/lab/pytorch.hpp"

#include <gmock/gmock.h>

#include "tests/support/command.hpp"

namespace ringrun::test {

std::string why_no_pytorch() {
  // The hosts of the lab have the distribution's Python first on PATH.
  static const bool found =
      run_command({"/usr/bin/python3", "-c", "import torch.distributed as d; d.ProcessGroupGloo"}).exit_code == 0;
  return found ? "" : "the lab needs PyTorch with gloo; install python3-torch";
}

void expect_right_all_reduce(const std::string& output, const std::string& place) {
  using testing::HasSubstr;
  EXPECT_THAT(output, HasSubstr("rank 0 of 2 on a: cpu, gloo, met at " + place));
  EXPECT_THAT(output, HasSubstr("rank 1 of 2 on b: cpu, gloo, met at " + place));
  EXPECT_THAT(output, testing::ContainsRegex("all_reduce of [0-9]+ bytes on 2 ranks: .* GB/s, every element right\n"));
}

}  // namespace ringrun::test
