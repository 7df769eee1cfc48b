#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/engine/engine.hpp"
#include "launcher/environment.hpp"

namespace ringrun {

/// The Slurm of this host.
struct Slurm {
  /// Absolute path.
  std::string srun;
  /// "22.05.8", "" where it does not say.
  std::string version;
  /// It can bind tasks (TaskPlugin).
  bool binds = true;
  bool operator==(const Slurm&) const = default;
};

/// The srun on PATH and what `scontrol show config` says; nothing where there is no srun.
std::optional<Slurm> find_slurm(const Environment& environment);

/// What `scontrol show config` prints, read into `slurm`.
void read_slurm_configuration(std::string_view text, Slurm& slurm);

/// srun as the engine of the job. Throws HostError where it cannot join ranks by PMIx.
Engine srun_engine(const Slurm& slurm);

/// True where `srun --mpi=list` names PMIx. Pure.
bool has_pmix(const std::string& list);

/// The words of a remote shell that starts a command on a node of the allocation in a step of its own, beside whatever
/// runs there: nodes of a cluster often let nobody in by ssh. Behind them stand -l USER or -p PORT, which mean nothing
/// to srun, the node, and the command for a shell.
std::vector<std::string> slurm_shell_words(const Slurm& slurm);

}  // namespace ringrun
