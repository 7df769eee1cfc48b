// The least that times an all-reduce: a loop around MPI_Allreduce on two buffers, with the sizes, iterations, untimed
// operations, barriers and average of the worker. tools/measure_mpi sets the worker's times beside it, from the same
// minute on the same machine. Prints the worker's columns.
//
//   plain_mpi_loop LARGEST-BYTES ITERATIONS
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lib/mpi/check.hpp"

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  using ringrun::mpi::check;
  const std::size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{1} << 20;
  const int iterations = argc > 2 ? std::atoi(argv[2]) : 20;

  // As the worker starts it: a higher level costs latency.
  int provided = 0;
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  int rank = 0;
  int size = 0;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  const std::size_t whole_pages = std::max<std::size_t>(4096, (largest + 4095) / 4096 * 4096);
  auto* send = static_cast<char*>(std::aligned_alloc(4096, whole_pages));
  auto* receive = static_cast<char*>(std::aligned_alloc(4096, whole_pages));
  std::memset(send, 0, whole_pages);
  std::memset(receive, 0, whole_pages);

  const auto run = [&](std::size_t bytes, int times) {
    const std::size_t slices = std::max<std::size_t>(1, largest / bytes);
    for (int i = 0; i < times; ++i) {
      const std::size_t offset = static_cast<std::size_t>(i) % slices * bytes;
      check(MPI_Allreduce(send + offset, receive + offset, static_cast<int>(bytes / sizeof(float)), MPI_FLOAT, MPI_SUM,
                          MPI_COMM_WORLD),
            "MPI_Allreduce");
    }
  };
  run(largest, 1);
  run(8, 1);
  for (std::size_t bytes = 8; bytes <= largest; bytes *= 2) {
    run(bytes, 1);
    check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    const auto start = Clock::now();
    run(bytes, iterations);
    const double here = std::chrono::duration<double, std::micro>(Clock::now() - start).count() / iterations;
    double sum = 0;
    check(MPI_Allreduce(&here, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
    if (rank != 0) continue;
    std::printf(
        "%12zu  %12zu     float     sum      -1  %7.2f    0.00    0.00     N/A     0.00    0.00    0.00     N/A\n",
        bytes, bytes / sizeof(float), sum / size);
  }
  std::free(send);
  std::free(receive);
  check(MPI_Finalize(), "MPI_Finalize");
  return 0;
}
