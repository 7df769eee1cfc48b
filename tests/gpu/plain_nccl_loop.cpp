// The least that times an all-reduce of one rank: a loop around ncclAllReduce, a wait, a division. tools/measure_gpu
// sets the worker's times beside it, from the same minute on the same machine. Prints the worker's columns.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <chrono>
#include <cstdio>

#include "lib/nccl/check.hpp"

int main() {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kLargest = std::size_t{128} << 20;
  constexpr int kRepetitions = 7;
  constexpr int kIterations = 20;

  ringrun::check_cuda(cudaSetDevice(0), "cudaSetDevice");
  void* send = nullptr;
  void* receive = nullptr;
  cudaStream_t stream = nullptr;
  ringrun::check_cuda(cudaMalloc(&send, kLargest), "cudaMalloc");
  ringrun::check_cuda(cudaMalloc(&receive, kLargest), "cudaMalloc");
  ringrun::check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  ncclUniqueId id;
  ncclComm_t communicator = nullptr;
  ringrun::check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  ringrun::check_nccl(ncclCommInitRank(&communicator, 1, id, 0), "ncclCommInitRank");

  const auto run = [&](std::size_t bytes, int iterations) {
    for (int i = 0; i < iterations; ++i) {
      ringrun::check_nccl(ncclAllReduce(send, receive, bytes / sizeof(float), ncclFloat, ncclSum, communicator, stream),
                          "ncclAllReduce");
    }
    ringrun::check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  };
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    for (std::size_t bytes = 8; bytes <= kLargest; bytes *= 2) {
      run(bytes, 1);
      const auto start = Clock::now();
      run(bytes, kIterations);
      const double microseconds = std::chrono::duration<double, std::micro>(Clock::now() - start).count() / kIterations;
      std::printf(
          "%12zu  %12zu     float     sum      -1  %7.2f    0.00    0.00     N/A     0.00    0.00    0.00     N/A\n",
          bytes, bytes / sizeof(float), microseconds);
    }
  }
  ringrun::check_nccl(ncclCommDestroy(communicator), "ncclCommDestroy");
  return 0;
}
