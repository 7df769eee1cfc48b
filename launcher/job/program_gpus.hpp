#pragma once

#include <cstddef>
#include <vector>

#include "launcher/job/job.hpp"

namespace ringrun {

/// Moves the GPUs out of a host's answer; where gpus= names some, these alone. Throws UserError, with file and line,
/// for one that the host does not have.
std::vector<Gpu> chosen_gpus(const Host& host, HostFacts& facts);

/// The GPUs of one host as the programs of a job see them.
struct ProgramGpus {
  /// Those that any of them sees.
  std::vector<Gpu> all;
  /// As in JobHost; empty where all see the same.
  std::vector<std::vector<int>> of_program;
};

/// `first` are those that the first program sees, `more` those of each behind it; empty: all see the same.
ProgramGpus gpus_of_programs(std::vector<Gpu> first, const std::vector<std::vector<Gpu>>& more);

/// Of a host whose programs see different GPUs: the place in its list of the GPU of each of its ranks, -1 for none;
/// LOCAL_RANK counts, from the first again behind the last, among those that the rank's program sees. Where only the
/// engine knows which ranks there are, -1 for as many as may be. Empty for any other host.
std::vector<int> gpu_of_each_rank(const Job& job, std::size_t host);

}  // namespace ringrun
