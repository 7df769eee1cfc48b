#pragma once

#include <vector>

#include "launcher/hosts/slots.hpp"
#include "launcher/job/job.hpp"

namespace ringrun {

/// The worker's word for it, and ringrun's.
inline constexpr const char* kShareGpu = "--share-gpu";

/// More ranks than GPUs on a host are no mistake: by --share-gpu, of ringrun or of the sweep, or by --oversubscribe;
/// where the program is told to use MPI; and under mpirun's name.
bool may_share_gpus(const JobRequest& request);

/// The slots, on hosts whose GPUs they are: as many as the ranks want where ranks share GPUs, by a word or because they
/// use MPI. Ranks of a program that sees no GPU anywhere (`sees_gpu`, a member for each program) want none, and where
/// there is but one host they have slots beside. Throws UserError where they do not share, and are more.
std::vector<int> gpu_slots(const JobRequest& request, const std::vector<HostCapacity>& capacities,
                           const std::vector<bool>& sees_gpu, std::vector<int> slots);

}  // namespace ringrun
