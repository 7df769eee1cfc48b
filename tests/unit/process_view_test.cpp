#include "worker/placement/process_view.hpp"

#include <gtest/gtest.h>

namespace ringrun::worker {
namespace {

const BindingVerdict kDefault{BindingOrigin::kDefault, "mpirun's default (core)"};
const BindingVerdict kTaskset{BindingOrigin::kAsked, "a program between mpirun and the worker (taskset, numactl)"};
const BindingVerdict kHidden{BindingOrigin::kUnknown, "the launcher's process cannot be seen from here"};

std::string verdict(const std::vector<std::optional<BindingVerdict>>& verdicts, std::size_t own) {
  std::vector<ProcessView> host;
  for (const auto& one : verdicts) host.push_back({one, {}});
  const BindingVerdict all = verdict_of_host(host, own);
  return std::to_string(static_cast<int>(all.origin)) + all.by;
}

std::string text_of(const BindingVerdict& one) { return verdict({one}, 0); }

TEST(HostVerdict, KeepsAllRanksWhereOneWasBoundByAProgramBetween) {
  EXPECT_EQ(verdict({kTaskset, kDefault}, 0), text_of(kTaskset));
  EXPECT_EQ(verdict({kTaskset, kDefault}, 1), text_of(kTaskset)) << "its mask is the engine's by chance";
  EXPECT_EQ(verdict({kHidden, kTaskset}, 0), text_of(kTaskset));
}

TEST(HostVerdict, KeepsAllRanksWhereOneCannotTell) { EXPECT_EQ(verdict({kDefault, kHidden}, 0), text_of(kHidden)); }

TEST(HostVerdict, IsTheDefaultWhereAllAgreeOrAreNotToBePlaced) {
  EXPECT_EQ(verdict({kDefault, kDefault}, 1), text_of(kDefault));
  EXPECT_EQ(verdict({std::nullopt, kDefault}, 1), text_of(kDefault));
}

TEST(ProcessView, TravelsAsText) {
  const ProcessView view = process_view_from(to_text({kTaskset, {"0000:01:00.0", ""}}));
  ASSERT_TRUE(view.verdict);
  EXPECT_EQ(view.verdict->origin, kTaskset.origin);
  EXPECT_EQ(view.verdict->by, kTaskset.by);
  EXPECT_EQ(view.gpus, (std::vector<std::string>{"0000:01:00.0", ""}));
  EXPECT_FALSE(process_view_from(to_text({})).verdict);
  EXPECT_NO_THROW(process_view_from(to_text({BindingVerdict{BindingOrigin::kAsked, "--bind-to \xff"}, {}})));
}

}  // namespace
}  // namespace ringrun::worker
