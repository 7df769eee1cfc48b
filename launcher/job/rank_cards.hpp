#pragma once

#include "launcher/job/job.hpp"
#include "lib/explain/situation.hpp"

namespace ringrun {

/// Leaves each rank those of its nearest cards that reach the other hosts: of interfaces the chosen ones, and the RDMA
/// devices that lead where they lead. Where the network was not looked at, and for a job on one host, all count. The
/// situation's first hosts are the job's.
void name_cards(Job& job, const Situation& situation);

/// For machines that are not here: leaves each rank those of its nearest cards that NCCL_SOCKET_IFNAME and NCCL_IB_HCA
/// allow, where the job or a host's line sets them. Returns warnings of values that allow none.
std::vector<std::string> name_said_cards(Job& job, const Exports& exports);

}  // namespace ringrun
