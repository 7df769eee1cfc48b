// The least that times an all-reduce: a loop around ncclAllReduce, a cudaStreamSynchronize, a division. Where mpirun or
// ringrun has started it, over all ranks; a rank's GPU is that of its local rank. tools/measure_gpu sets the worker's
// times beside it, from the same minute on the same machine, and tools/measure_placement shows on it what placement
// does for a program that waits as most do. Prints the worker's columns.
//
//   plain_nccl_loop [LARGEST-BYTES [FACTOR [REPETITIONS]]]        (128 MiB, 2, 7)
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "lib/mpi/check.hpp"
#include "lib/nccl/check.hpp"

namespace {

using ringrun::check_cuda;
using ringrun::check_nccl;

struct Ranks {
  int rank = 0;
  int size = 1;
  bool with_mpi = false;
};

/// Alone without MPI, whose threads a one-rank time need not carry.
Ranks join_ranks(int& argc, char**& argv) {
  Ranks ranks;
  if (std::getenv("PMIX_RANK") == nullptr) return ranks;
  ranks.with_mpi = true;
  int provided = 0;
  ringrun::mpi::check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  ringrun::mpi::check(MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank), "MPI_Comm_rank");
  ringrun::mpi::check(MPI_Comm_size(MPI_COMM_WORLD, &ranks.size), "MPI_Comm_size");
  return ranks;
}

/// Ranks on one card are hosts of their own to NCCL, which else refuses them.
void take_gpu(const Ranks& ranks) {
  const char* const local = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  int gpus = 0;
  check_cuda(cudaGetDeviceCount(&gpus), "cudaGetDeviceCount");
  if (gpus < ranks.size) setenv("NCCL_HOSTID", ("plain-" + std::to_string(ranks.rank)).c_str(), 0);
  check_cuda(cudaSetDevice((local == nullptr ? 0 : std::atoi(local)) % gpus), "cudaSetDevice");
}

ncclComm_t join_communicator(const Ranks& ranks) {
  ncclUniqueId id;
  ncclComm_t communicator = nullptr;
  if (ranks.rank == 0) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  if (ranks.with_mpi) ringrun::mpi::check(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD), "MPI_Bcast");
  check_nccl(ncclCommInitRank(&communicator, ranks.size, id, ranks.rank), "ncclCommInitRank");
  return communicator;
}

}  // namespace

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  constexpr int kIterations = 20;
  const Ranks ranks = join_ranks(argc, argv);
  const std::size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{128} << 20;
  const std::size_t factor = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2;
  const int repetitions = argc > 3 ? std::atoi(argv[3]) : 7;

  take_gpu(ranks);
  void* send = nullptr;
  void* receive = nullptr;
  cudaStream_t stream = nullptr;
  check_nccl(ncclMemAlloc(&send, largest), "ncclMemAlloc");
  check_nccl(ncclMemAlloc(&receive, largest), "ncclMemAlloc");
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  const ncclComm_t communicator = join_communicator(ranks);

  const auto run = [&](std::size_t bytes, int iterations) {
    for (int i = 0; i < iterations; ++i) {
      check_nccl(ncclAllReduce(send, receive, bytes / sizeof(float), ncclFloat, ncclSum, communicator, stream),
                 "ncclAllReduce");
    }
    check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  };
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t bytes = 8; bytes <= largest; bytes *= factor) {
      // An all-reduce is also the barrier: nobody ends it before all have begun.
      run(bytes, 1);
      const auto start = Clock::now();
      run(bytes, kIterations);
      const double microseconds = std::chrono::duration<double, std::micro>(Clock::now() - start).count() / kIterations;
      if (ranks.rank != 0) continue;
      std::printf(
          "%12zu  %12zu     float     sum      -1  %7.2f    0.00    0.00     N/A     0.00    0.00    0.00     N/A\n",
          bytes, bytes / sizeof(float), microseconds);
    }
  }
  check_nccl(ncclCommDestroy(communicator), "ncclCommDestroy");
  if (ranks.with_mpi) ringrun::mpi::check(MPI_Finalize(), "MPI_Finalize");
  return 0;
}
