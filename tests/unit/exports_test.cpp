#include "launcher/engine/exports.hpp"

#include <gtest/gtest.h>

#include "launcher/engine/left_over.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

using Words = std::vector<std::string>;

TEST(Exports, ForwardWhatPeopleExpectToTravel) {
  const Exports exports =
      resolve_exports({}, {{"NCCL_DEBUG", "INFO"}, {"TORCH_X", "1"}, {"TORCHELASTIC_X", "1"}, {"HOME", "/"}});
  EXPECT_EQ(exports.forwarded,
            (Environment{{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"NCCL_DEBUG", "INFO"}, {"TORCH_X", "1"}}));
}

TEST(Exports, OfWhatEveryRankGetsItsOwnAreWarnedOf) {
  const Exports exports = resolve_exports({"RANK=7", "A=1"}, {});
  EXPECT_EQ(exports.asked, (Environment{{"A", "1"}}));
  EXPECT_EQ(exports.warnings.size(), 1u);
}

TEST(Exports, TheLastWordForANameWins) {
  const Environment environment = {{"A", "1"}, {"AB", "2"}, {"B", "3"}, {"NCCL_DEBUG", "INFO"}};
  const Exports exports = resolve_exports({"A*", "A=new", "B=", "NCCL_DEBUG=WARN", "GONE"}, environment);
  EXPECT_EQ(exports.asked, (Environment{{"A", "new"}, {"AB", "2"}, {"B", ""}, {"NCCL_DEBUG", "WARN"}}));
  EXPECT_EQ(exports.forwarded.count("NCCL_DEBUG"), 0u);
  EXPECT_EQ(exports.warnings, Words{"-x GONE: the variable is not set here, so the ranks do not get it"});
  EXPECT_EQ(problem_of([] { resolve_exports({"=1"}, {}); }), "-x '=1' names no variable");
}

TEST(LeftOver, IsWhatAnOuterJobSetButForWhatIsExported) {
  const Environment outer = {
      {"RANK", "3"}, {"TORCHELASTIC_USE_AGENT_STORE", "True"}, {"RINGRUN_HOST", "4"}, {"PMIX_RANK", "1"}};
  EXPECT_EQ(left_over_names(outer, {}), (Words{"RANK", "RINGRUN_HOST", "TORCHELASTIC_USE_AGENT_STORE"}));
  Environment inside = outer;
  inside["OMPI_COMM_WORLD_RANK"] = "1";
  EXPECT_EQ(left_over_names(inside, {}),
            (Words{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "RANK", "RINGRUN_HOST", "TORCHELASTIC_USE_AGENT_STORE"}));
  const Environment wrapped = {{"RINGRUN_SET", "MASTER_PORT,NCCL_X,UCX_Y"},
                               {"MASTER_PORT", "1"},
                               {"NCCL_X", "2"},
                               {"UCX_Y", "3"},
                               {"NCCL_MINE", "4"}};
  EXPECT_EQ(left_over_names(wrapped, {}), (Words{"MASTER_PORT", "NCCL_X", "RINGRUN_SET", "UCX_Y"}));
  EXPECT_EQ(left_over_names(wrapped, {"NCCL_X", "UCX_*"}), (Words{"MASTER_PORT", "RINGRUN_SET"}));
}

}  // namespace
}  // namespace ringrun
