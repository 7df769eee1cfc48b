#include "launcher/engine/mapping.hpp"

#include <gtest/gtest.h>

#include "launcher/cli/parse.hpp"
#include "launcher/engine/engine_options.hpp"
#include "lib/text/words.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

std::string words(EngineKind kind, const std::vector<std::string>& options) {
  return join_text(option_words(kind, parse_command_line(options).engine_options), " ");
}

struct Case {
  std::vector<std::string> typed;
  std::string four;
  std::string five;
};

TEST(MappingWords, AreEachGenerationsOwn) {
  const std::vector<Case> cases = {
      {{"--map-by", "socket:PE=2,span"}, "--map-by socket:SPAN,PE=2", "--map-by package:PE=2:SPAN"},
      {{"--map-by", "package:pe=2:nolocal"}, "--map-by socket:PE=2 --nolocal", "--map-by package:PE=2:NOLOCAL"},
      {{"--map-by", ":OVERSUBSCRIBE"}, "--oversubscribe", "--map-by :OVERSUBSCRIBE"},
      {{"--map-by", "node", "--oversubscribe"}, "--map-by node --oversubscribe", "--map-by node:OVERSUBSCRIBE"},
      {{"-N", "2"}, "--map-by ppr:2:node", "--map-by ppr:2:node"},
      {{"-npersocket", "1", "--rank-by", "node"},
       "--map-by ppr:1:socket --rank-by node",
       "--map-by ppr:1:package --rank-by node"},
      {{"-pernode"}, "--map-by ppr:1:node", "--map-by ppr:1:node"},
      {{"--ppr", "2:L3cache"}, "--map-by ppr:2:l3cache", "--map-by ppr:2:l3cache"},
      {{"-bynode", "--bind-to-socket"}, "--map-by node --bind-to socket", "--map-by node --bind-to package"},
      {{"--cpus-per-proc", "4"}, "--map-by :PE=4", "--map-by :PE=4"},
      {{"-rf", "ranks"}, "--rankfile ranks", "--map-by rankfile:file=ranks"},
      {{"--map-by", "rankfile:file=a,b"}, "--rankfile a,b", "--map-by rankfile:file=a,b"},
      {{"--use-hwthread-cpus", "--nooversubscribe"},
       "--nooversubscribe --use-hwthread-cpus",
       "--map-by :NOOVERSUBSCRIBE:HWTCPUS"},
      {{"--cpu-set", "0,1", "--bind-to", "core:overload-allowed"},
       "--cpu-list 0,1 --bind-to core:overload-allowed",
       "--cpu-set 0,1 --bind-to core:overload-allowed"},
      {{"--bind-to", "core:report"}, "--bind-to core --report-bindings", "--bind-to core --display bind"},
      {{"--report-bindings", "--display", "map-devel"},
       "--report-bindings --display-devel-map",
       "--display bind,map-devel"},
      {{"--runtime-options", "continuous,show-progress"},
       "--continuous --show-progress",
       "--runtime-options continuous,show-progress"},
      {{"--stdin", "1"}, "--stdin 1", "--stdin 1"},
      {{"--forward-signals", "USR1,SIGHUP,12"},
       "--mca ess_base_forward_signals SIGUSR1,SIGHUP,12",
       "--forward-signals SIGUSR1,SIGHUP,12"},
      {{"--hetero-nodes"}, "", "--prtemca prte_hetero_nodes 1"},
      {{"--tmpdir", "/t"}, "--mca orte_tmpdir_base /t", "--tmpdir /t"},
  };
  for (const Case& item : cases) {
    EXPECT_EQ(words(EngineKind::openmpi4, item.typed), item.four) << join_text(item.typed, " ");
    EXPECT_EQ(words(EngineKind::openmpi5, item.typed), item.five) << join_text(item.typed, " ");
  }
}

TEST(MappingWords, ThatAnEngineDoesNotKnowAreRefusedByName) {
  const auto problem = [](EngineKind kind, const std::vector<std::string>& typed) {
    return problem_of([&] { words(kind, typed); });
  };
  EXPECT_EQ(problem(EngineKind::openmpi5, {"--rank-by", "core"}), "Open MPI 5 does not know --rank-by core");
  EXPECT_EQ(problem(EngineKind::openmpi4, {"--rank-by", "fill"}), "Open MPI 4 does not know --rank-by fill");
  EXPECT_EQ(problem(EngineKind::openmpi5, {"--map-by", "board"}), "Open MPI 5 does not know --map-by board");
  EXPECT_EQ(problem(EngineKind::openmpi4, {"--map-by", "pe-list=0,1"}),
            "Open MPI 4 does not know --map-by pe-list=0,1");
  EXPECT_EQ(problem(EngineKind::openmpi5, {"--bind-to", "cpu-list:ordered"}),
            "Open MPI 5 does not know --bind-to cpu-list:ordered");
  EXPECT_EQ(problem(EngineKind::openmpi5, {"--novm"}), "Open MPI 5 does not know --novm");
  EXPECT_EQ(problem(EngineKind::openmpi4, {"--stream-buffering", "1"}), "Open MPI 4 does not know --stream-buffering");
  EXPECT_EQ(problem(EngineKind::openmpi4, {"--runtime-options", "exec-agent"}),
            "Open MPI 4 does not know --runtime-options exec-agent");
  EXPECT_EQ(problem(EngineKind::slurm, {"--map-by", "core"}), "Slurm does not know --map-by core");
  EXPECT_EQ(problem(EngineKind::slurm, {"--report-bindings"}), "Slurm does not know --display bind");
  EXPECT_EQ(problem(EngineKind::slurm, {"--tune", "f"}), "Slurm does not know --tune");
  EXPECT_EQ(words(EngineKind::slurm, {"-N", "2", "--rank-by", "node", "--stdin", "none"}), "--input=none");
}

TEST(Mapping, ThatContradictsItselfIsRefused) {
  const auto problem = [](const std::vector<std::string>& typed) {
    return problem_of([&] { parse_command_line(typed); });
  };
  EXPECT_EQ(problem({"--map-by", "node", "-N", "2"}),
            "-N contradicts another option: ranks are to be mapped by node and by ppr:2:node");
  EXPECT_EQ(problem({"--map-by", "node", "-bynode"}), "");
  EXPECT_NE(problem({"--oversubscribe", "--nooversubscribe"}), "");
  EXPECT_NE(problem({"--map-by", ":pe=2", "--cpus-per-proc", "3"}), "");
  for (const char* text :
       {"nonsense", "", "ppr:x:node", "ppr:2", "ppr:0:core", "ppr:2:x", "node:odd", "rankfile", ":pe=0"})
    EXPECT_NE(problem({"--map-by", text}), "") << text;
  EXPECT_NE(problem({"--rank-by", "hwloc"}), "");
  EXPECT_NE(problem({"--bind-to", "nonsense"}), "");
}

TEST(Mapping, SaysWhereRanksRunOrNot) {
  const auto says = [](const std::vector<std::string>& typed) {
    return parse_command_line(typed).engine_options.mapping.says_where();
  };
  EXPECT_FALSE(says({"--bind-to", "core", "--oversubscribe"}));
  for (const std::vector<std::string>& typed : std::vector<std::vector<std::string>>{
           {"-N", "1"}, {"--rank-by", "slot"}, {"--nolocal"}, {"--cpus-per-proc", "2"}, {"--map-by", ":span"}})
    EXPECT_TRUE(says(typed)) << typed[0];
}

}  // namespace
}  // namespace ringrun
