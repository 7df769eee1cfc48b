#include "lib/mpi/session.hpp"

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "lib/mpi/arrivals.hpp"
#include "lib/mpi/check.hpp"
#include "lib/mpi/launch_environment.hpp"

namespace ringrun::mpi {
namespace {

/// Lets the other ranks connect to rank 0 before it connects to them. Where a firewall refuses connections in one
/// direction, that is the one which the daemons have used already, and Open MPI 4.1 waits for ever where both sides try
/// at once and one is refused. Not with many ranks, since each connection costs rank 0.
void greet_rank_zero() {
  constexpr int kMostRanks = 128;
  int rank = 0;
  int size = 0;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  if (size > kMostRanks) return;
  char greeting = 0;
  if (rank != 0) {
    check(MPI_Send(&greeting, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD), "MPI_Send");
  } else {
    for (int other = 1; other < size; ++other)
      check(MPI_Recv(&greeting, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
  }
}

}  // namespace

Session::Session() {
  // A process that no launcher started makes a daemon of its own, which stops where it finds no ssh to reach other
  // hosts by, as in most containers; it will never use one.
  if (!launch_environment().rank) setenv("OMPI_MCA_plm_rsh_agent", "true", 0);
  int provided = 0;
  // FUNNELED: there is a second thread, which never calls MPI. MULTIPLE would cost a quarter of the 8-byte latency in
  // shared memory.
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  greet_rank_zero();
}

void Session::finish() {
  close_arrivals();
  check(MPI_Finalize(), "MPI_Finalize");
}

void Session::abort(int exit_code) noexcept {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized == 0 || finalized != 0) return;
  // The launcher's daemon may be gone.
  std::thread([exit_code] {
    std::this_thread::sleep_for(std::chrono::seconds(10));
    _exit(exit_code);
  }).detach();
  MPI_Abort(MPI_COMM_WORLD, exit_code);
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  const std::string whole(text.data(), static_cast<std::size_t>(length));
  // "Open MPI v4.1.4, package: Debian OpenMPI, ident: …"
  return whole.substr(0, whole.find_first_of(",\n"));
}

}  // namespace ringrun::mpi
