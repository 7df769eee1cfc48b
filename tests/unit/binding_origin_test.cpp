#include "worker/placement/binding_origin.hpp"

#include <gtest/gtest.h>

#include <map>

#include "lib/topology/cpu_list.hpp"

namespace ringrun::worker {
namespace {

/// As a rank of Open MPI with four cores to run on.
struct Case {
  const char* command;
  std::string policy;
  std::string mapping;
  std::string engine_cpus;
  std::string own;
  std::map<std::string, std::string> variables;
  BindingOrigin origin;
  const char* by;
  int cores = 1;
};

const std::map<std::string, std::string> kOpenMpi4 = {{"OMPI_MCA_orte_ess_num_procs", "2"}};

std::map<std::string, std::string> with(const std::string& name, const std::string& value) {
  std::map<std::string, std::string> variables = kOpenMpi4;
  variables[name] = value;
  return variables;
}

BindingEvidence evidence_of(const Case& item) {
  BindingEvidence evidence;
  evidence.engine = {item.policy, item.mapping, item.engine_cpus};
  evidence.variable = [&item](const char* name) -> const char* {
    const auto found = item.variables.find(name);
    return found == item.variables.end() ? nullptr : found->second.c_str();
  };
  evidence.own = parse_cpu_list(item.own);
  evidence.own_cores = item.cores;
  evidence.launcher = {0, 1, 2, 3};
  return evidence;
}

// What 4.1.4 and 5.0.7 say of these command lines, measured.
TEST(BindingOrigin, OfOpenMpiIsToldByWhatItSays) {
  const auto asked = BindingOrigin::kAsked;
  const auto by_default = BindingOrigin::kDefault;
  const Case cases[] = {
      {"4", "CORE:IF-SUPPORTED", "BYCORE:NOOVERSUBSCRIBE", "1", "1", kOpenMpi4, by_default, "mpirun's default (core)"},
      {"5", "CORE:IF-SUPPORTED", "BYCORE:NOOVERSUBSCRIBE", "1", "1", {}, by_default, "mpirun's default (core)"},
      {"4 -np 3", "SOCKET:IF-SUPPORTED", "BYSOCKET:NOOVERSUBSCRIBE", "0-3", "0-3", kOpenMpi4, by_default,
       "mpirun's default (socket)", 4},
      {"5 --map-by numa",
       "NUMA:IF-SUPPORTED",
       "BYNUMA:NOOVERSUBSCRIBE",
       "0,1",
       "0,1",
       {},
       by_default,
       "mpirun's default (numa)",
       2},
      {"4 more ranks than slots", "NONE:IF-SUPPORTED:OVERLOAD-ALLOWED", "BYNUMA:OVERSUBSCRIBE", "", "0-3", kOpenMpi4,
       by_default, "mpirun's default (none)", 4},
      {"5 more ranks than slots",
       "NONE",
       "BYSLOT:OVERSUBSCRIBE",
       "",
       "0-3",
       {},
       BindingOrigin::kUnknown,
       "with more ranks than slots this mpirun says the same of its default and of --bind-to none",
       4},
      {"4 --bind-to core", "CORE", "BYCORE:NOOVERSUBSCRIBE", "1", "1",
       with("OMPI_MCA_hwloc_base_binding_policy", "core"), asked, "--bind-to core"},
      {"4 hwloc_base_binding_policy in a file", "CORE", "BYCORE:NOOVERSUBSCRIBE", "1", "1", kOpenMpi4, asked,
       "--bind-to core"},
      {"5 --bind-to core", "CORE", "BYCORE:NOOVERSUBSCRIBE", "1", "1", {}, asked, "--bind-to core"},
      {"5 --bind-to none", "NONE", "BYSLOT:NOOVERSUBSCRIBE", "", "0-3", {}, asked, "--bind-to none", 4},
      {"4 --bind-to core:if-supported", "CORE:IF-SUPPORTED", "BYCORE:OVERSUBSCRIBE", "1", "1",
       with("OMPI_MCA_hwloc_base_binding_policy", "core:if-supported"), asked, "--bind-to core:if-supported"},
      {"4 --bind-to-core", "CORE:IF-SUPPORTED", "BYCORE:NOOVERSUBSCRIBE", "1", "1",
       with("OMPI_MCA_hwloc_base_bind_to_core", "1"), asked, "hwloc_base_bind_to_core"},
      {"4 --map-by slot:PE=2", "CORE:IF-SUPPORTED", "BYSLOT:NOOVERSUBSCRIBE", "0,1", "0,1",
       with("OMPI_MCA_rmaps_base_mapping_policy", "slot:PE=2"), asked, "--map-by slot:PE=2", 2},
      {"5 --map-by slot:pe=2",
       "CORE:IF-SUPPORTED",
       "BYSLOT:NOOVERSUBSCRIBE",
       "0,1",
       "0,1",
       {},
       asked,
       "pe= of --map-by",
       2},
      {"5, the two threads of one core",
       "CORE:IF-SUPPORTED",
       "BYCORE:NOOVERSUBSCRIBE",
       "0,2",
       "0,2",
       {},
       by_default,
       "mpirun's default (core)"},
      {"4 --cpu-set", "CPUSET:IF-SUPPORTED", "BYCORE:NOOVERSUBSCRIBE", "0", "0", kOpenMpi4, asked,
       "a rankfile or a list of CPUs"},
      {"4 --rankfile", "CPUSET:IF-SUPPORTED", "BYUSER:OVERSUBSCRIBE", "0", "0", kOpenMpi4, asked,
       "a rankfile or a list of CPUs"},
      {"5 --rankfile",
       "CORE:IF-SUPPORTED",
       "BYUSER:NOOVERSUBSCRIBE",
       "0",
       "0",
       {},
       asked,
       "a rankfile or a list of CPUs"},
      {"5 --cpu-list", "CORE:IF-SUPPORTED", "PE-LIST:NOOVERSUBSCRIBE", "0", "0", {}, asked, "a list of CPUs"},
      {"5 --use-hwthread-cpus",
       "HWTHREAD:IF-SUPPORTED",
       "BYHWTHREAD:NOOVERSUBSCRIBE",
       "0",
       "0",
       {},
       asked,
       "--use-hwthread-cpus"},
      {"5 taskset between",
       "CORE:IF-SUPPORTED",
       "BYCORE:NOOVERSUBSCRIBE",
       "1",
       "3",
       {},
       asked,
       "a program between mpirun and the worker (taskset, numactl)"},
      {"4 taskset between, unbound", "NONE:IF-SUPPORTED", "BYNUMA:OVERSUBSCRIBE", "", "3", kOpenMpi4, asked,
       "a program between mpirun and the worker (taskset, numactl)"},
      {"5 reads no parameter of 4's",
       "CORE:IF-SUPPORTED",
       "BYCORE:NOOVERSUBSCRIBE",
       "1",
       "1",
       {{"OMPI_MCA_hwloc_base_binding_policy", "none"}},
       by_default,
       "mpirun's default (core)"},
  };
  for (const Case& item : cases) {
    const BindingVerdict verdict = judge_binding(evidence_of(item));
    EXPECT_EQ(verdict.origin, item.origin) << item.command;
    EXPECT_EQ(verdict.by, item.by) << item.command;
  }
}

/// Of a launcher that says nothing by PMIx.
class SilentLauncher : public testing::Test {
 protected:
  BindingVerdict verdict() const { return judge_binding(evidence_of(item_, engine_)); }
  static BindingEvidence evidence_of(const Case& item, const std::optional<mpi::EngineBinding>& engine) {
    BindingEvidence evidence = worker::evidence_of(item);
    evidence.engine = engine;
    return evidence;
  }

  Case item_{"", "", "", "", "0-3", {}, BindingOrigin::kUnknown, ""};
  std::optional<mpi::EngineBinding> engine_;
};

TEST_F(SilentLauncher, ThatBoundNothingLeavesTheBindingToTheWorker) {
  EXPECT_EQ(verdict().origin, BindingOrigin::kDefault);
  EXPECT_EQ(verdict().by, "");
}

TEST_F(SilentLauncher, ThatWasToldToBindNothingIsObeyed) {
  item_.variables = {{"SLURM_CPU_BIND", "quiet,none"}};
  EXPECT_EQ(verdict().origin, BindingOrigin::kAsked);
  EXPECT_EQ(verdict().by, "--cpu-bind=none");
}

TEST_F(SilentLauncher, ThatBoundTheRankIsLeftAlone) {
  item_.own = "2";
  EXPECT_EQ(verdict().origin, BindingOrigin::kUnknown);
  EXPECT_EQ(verdict().by, "this launcher does not tell whether somebody asked for it");
}

TEST_F(SilentLauncher, IsNotBlamedForTheTasksetOfAProcessThatNobodyLaunched) {
  item_.own = "2";
  BindingEvidence evidence = evidence_of(item_, engine_);
  evidence.launched = false;
  EXPECT_EQ(judge_binding(evidence).origin, BindingOrigin::kAsked);
}

TEST_F(SilentLauncher, ThatCannotBeSeenSetsNoLimitSoThatNothingIsWidened) {
  engine_ = {"CORE:IF-SUPPORTED", "BYCORE:NOOVERSUBSCRIBE", "1"};
  item_.own = "1";
  BindingEvidence evidence = evidence_of(item_, engine_);
  EXPECT_EQ(judge_binding(evidence).origin, BindingOrigin::kDefault);
  evidence.launcher.reset();
  EXPECT_EQ(judge_binding(evidence).origin, BindingOrigin::kUnknown);
}

TEST_F(SilentLauncher, LeavesAMemoryPolicyToWhoeverSetIt) {
  BindingEvidence evidence = evidence_of(item_, engine_);
  evidence.memory_is_chosen = true;
  EXPECT_EQ(judge_binding(evidence).origin, BindingOrigin::kAsked);
}

}  // namespace
}  // namespace ringrun::worker
