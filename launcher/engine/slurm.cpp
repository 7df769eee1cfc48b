#include "launcher/engine/slurm.hpp"

#include <sstream>

#include "launcher/engine/slurm_variables.hpp"
#include "launcher/launch_errors.hpp"
#include "launcher/run/capture.hpp"
#include "lib/text/shell_word.hpp"

namespace ringrun {
namespace {

constexpr std::chrono::seconds kPatience{20};

/// "Name  = value" of one line.
std::string value_of(std::string_view text, const std::string& name) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    std::string equals;
    std::string value;
    if (words >> first >> equals >> value && first == name && equals == "=") return value;
  }
  return {};
}

}  // namespace

void read_slurm_configuration(std::string_view text, Slurm& slurm) {
  slurm.version = value_of(text, "SLURM_VERSION");
  slurm.binds = value_of(text, "TaskPlugin") != "task/none";
}

std::optional<Slurm> find_slurm(const Environment& environment) {
  const auto srun = find_on_path(environment, "srun");
  if (!srun) return std::nullopt;
  Slurm slurm;
  slurm.srun = *srun;
  if (const auto scontrol = find_on_path(environment, "scontrol")) {
    read_slurm_configuration(capture_all({{{*scontrol, "show", "config"}, "", kPatience}}, 1)[0].out, slurm);
  }
  return slurm;
}

bool has_pmix(const std::string& list) {
  std::istringstream words(list);
  for (std::string word; words >> word;) {
    if (word == "pmix") return true;
  }
  return false;
}

Engine srun_engine(const Slurm& slurm) {
  const Captured said = capture_all({{{slurm.srun, "--mpi=list"}, "", kPatience}}, 1)[0];
  if (!has_pmix(said.out + said.err)) {
    throw HostError(slurm.srun + " cannot join ranks by PMIx: `srun --mpi=list` does not name pmix",
                    "install Slurm's PMIx plugin, or Open MPI's mpirun (apt install openmpi-bin)");
  }
  Engine engine{EngineKind::slurm, slurm.srun, slurm.version};
  engine.binds_tasks = slurm.binds;
  return engine;
}

std::vector<std::string> slurm_shell_words(const Slurm& slurm) {
  std::string script = "while [ \"$1\" = -l ] || [ \"$1\" = -p ]; do shift 2; done; node=$1; shift; unset";
  for (const char* name : kSrunOptions) script += std::string(" ") + name;
  // Memory: that of the whole job there. Without --overlap the step would wait until others end.
  script += "; exec " + quote_for_shell(slurm.srun) +
            " --quiet --overlap --mpi=none --nodes=1 --ntasks=1 --mem=0 --nodelist=\"$node\"" +
            (slurm.binds ? " --cpu-bind=none" : "") + " /bin/sh -c \"$*\"";
  return {"/bin/sh", "-c", script, "srun"};
}

}  // namespace ringrun
