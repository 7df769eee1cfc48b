#pragma once

#include "worker/sweep/expectation.hpp"

namespace ringrun::worker {

/// NCCL tells a profiler which algorithm, protocol and channels it takes for an operation; this shared object is one,
/// by version 2 of that interface, which NCCL has since 2.24. It asks for nothing but between begin_observation() and
/// end_observation(), so that timed operations are as quick as without it.

/// Before NCCL's first communicator: names this shared object as the profiler, unless there is another one.
void become_profiler();

void begin_observation();
/// What the operations since begin_observation() were done by, as the first of them told.
LibraryChoice end_observation();

}  // namespace ringrun::worker
