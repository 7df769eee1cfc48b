#include "worker/placement/binding_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/mpi/launch_environment.hpp"
#include "lib/placement/process_binding.hpp"
#include "lib/topology/cpu_list.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun::worker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<ProcessFacts> with_placements(const std::vector<std::string>& texts) {
  std::vector<ProcessFacts> facts(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) facts[i].placement = texts[i];
  return facts;
}

TEST(BindingReport, IsATableInRankOrderWithoutEmptyColumns) {
  EXPECT_THAT(binding_lines({{"a", "0-7", "0", "prefer 0", "0 [0000:4e:00.0]", "eth0", ""},
                             {"b", "8", "1", "any", "1 [0000:8a:00.0]", "", ""}}),
              ElementsAre("Bindings, as the ranks have them",                           //
                          " rank  host  cpus  numa  memory    gpu               nics",  //
                          "    0  a      0-7     0  prefer 0  0 [0000:4e:00.0]  eth0",  //
                          "    1  b        8     1  any       1 [0000:8a:00.0]  -"));
}

TEST(BindingReport, ReachesTheFirstRankWhole) {
  const std::vector<BindingRow> sent{{"a", "0-7", "0", "prefer 0", "0 [0000:4e:00.0]", "eth0", "mlx5_0"}, {"b"}};
  const std::vector<BindingRow> received = binding_rows_from(to_text(sent));
  EXPECT_EQ(binding_lines(received), binding_lines(sent));
}

TEST(BindingReport, ReadsWhatThisProcessHas) {
  ProcessFacts own;
  own.host = "here";
  const std::vector<BindingRow> rows = read_binding_rows(own, {});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].host, "here");
  EXPECT_EQ(rows[0].cpus, format_cpu_list(own_cpus()));
  EXPECT_EQ(rows[0].gpu, "");
}

TEST(PlacementLines, AreOneWhereAllRanksDidTheSame) {
  EXPECT_THAT(placement_lines(with_placements({"kept", "kept", "kept"}), 1), ElementsAre("Placement: kept"));
  EXPECT_THAT(placement_lines(with_placements({"", ""}), 1), IsEmpty());
}

TEST(PlacementLines, NameTheRanksThatDiffer) {
  EXPECT_THAT(placement_lines(with_placements({"shared", "kept", "shared", "shared", ""}), 1),
              ElementsAre("Placement of ranks 0,2,3: shared", "Placement of rank 1: kept"));
  EXPECT_THAT(placement_lines(with_placements({"shared", "kept"}), 2),
              ElementsAre("Placement of ranks 0,1: shared", "Placement of ranks 2,3: kept"));
}

TEST(PlannedPlacement, IsThatOfThisJobAlone) {
  const std::string text = to_json(PlannedPlacement{"job1", 2, "0-7", "0"});
  std::string space = "job1";
  const auto variable = [&](const char* name) -> const char* {
    if (std::string(name) == kPlacementVariable) return text.c_str();
    return std::string(name) == "PMIX_NAMESPACE" ? space.c_str() : nullptr;
  };
  EXPECT_EQ(planned_placement(variable), (PlannedPlacement{"job1", 2, "0-7", "0"}));
  space = "job2";
  EXPECT_EQ(planned_placement(variable), std::nullopt);
  EXPECT_EQ(planned_placement([](const char*) -> const char* { return nullptr; }), std::nullopt);
}

TEST(PlannedPlacement, ThatIsGarbageIsNamed) {
  EXPECT_NE(problem_of([] {
              planned_placement([](const char*) -> const char* { return "[3"; });
            }).find("RINGRUN_PLACEMENT is not what ringrun sets"),
            std::string::npos);
}

}  // namespace
}  // namespace ringrun::worker
