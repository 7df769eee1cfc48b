// Loaded with LD_PRELOAD: an MPI library in which rank LATE_RANK takes LATE_MICROSECONDS after each all-reduce of
// LATE_COUNT elements, and so comes late to the next one.
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>

namespace {

int setting(const char* name) { return std::atoi(std::getenv(name)); }

}  // namespace

extern "C" int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const int code = PMPI_Allreduce(in, out, count, type, op, comm);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (rank == setting("LATE_RANK") && count == setting("LATE_COUNT"))
    usleep(static_cast<useconds_t>(setting("LATE_MICROSECONDS")));
  return code;
}
