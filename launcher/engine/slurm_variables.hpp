#pragma once

#include <array>

namespace ringrun {

/// Variables that srun takes for options and that describe the whole job or its user's other steps. Where tasks see
/// one GPU each (--gpus-per-task), ranks of one node cannot reach each other's memory.
inline constexpr std::array kSrunOptions = {"SLURM_NTASKS",         "SLURM_NPROCS",        "SLURM_NTASKS_PER_NODE",
                                            "SLURM_NTASKS_PER_GPU", "SLURM_NNODES",        "SLURM_DISTRIBUTION",
                                            "SLURM_HOSTFILE",       "SLURM_CPU_BIND",      "SLURM_GPU_BIND",
                                            "SLURM_GPUS_PER_TASK",  "SLURM_TRES_PER_TASK", "SLURM_TRES_BIND"};

}  // namespace ringrun
