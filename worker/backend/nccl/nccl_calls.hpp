#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>

#include "worker/sweep/operation.hpp"

namespace ringrun::worker {

/// One rank's side of an operation.
struct NcclCall {
  const void* input;
  void* output;
  ncclRedOp_t op;
  int rank;
  ncclComm_t communicator;
  cudaStream_t stream;
};

/// Enqueues the rank's side of any operation but a hypercube. Needs a group around it where the process has several
/// ranks.
void enqueue_call(const Operation& operation, const NcclCall& call);

/// The hypercube all-gather has steps that follow each other: the rank's own part first, then an exchange for each edge
/// 1, 2, 4 … below the number of ranks, which needs a group of its own around it on all ranks.
void enqueue_own_part(const Operation& operation, const NcclCall& call);
void enqueue_edge(const Operation& operation, const NcclCall& call, int edge);

/// Where CTAPolicy is not known, only the default, 0, is.
ncclConfig_t config_with_policy(int cta_policy);

/// The end of a group that runs nothing: the seconds that it would take by NCCL's own model, 0 where NCCL does not say.
/// From NCCL 2.22 on, which can_simulate() asks.
bool can_simulate();
double end_simulated_group();

/// Symmetric windows, from NCCL 2.27 on; Unsupported before. `handle` must stay where it is until the group has ended.
void register_window(ncclComm_t communicator, void* buffer, std::size_t bytes, void** handle);
void deregister_window(ncclComm_t communicator, void* handle);

}  // namespace ringrun::worker
