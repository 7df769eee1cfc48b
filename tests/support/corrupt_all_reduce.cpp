// Loaded with LD_PRELOAD: an MPI library that delivers one wrong element. CORRUPT_RANK, CORRUPT_COUNT (elements of the
// operation to spoil) and CORRUPT_INDEX say which; its first byte gets the lowest bit flipped.
#include <mpi.h>

#include <cstdlib>

extern "C" int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const int code = PMPI_Allreduce(send, receive, count, type, op, comm);
  int rank = 0;
  int bytes = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Type_size(type, &bytes);
  if (rank == std::atoi(std::getenv("CORRUPT_RANK")) && count == std::atoi(std::getenv("CORRUPT_COUNT"))) {
    static_cast<unsigned char*>(receive)[std::atoi(std::getenv("CORRUPT_INDEX")) * bytes] ^= 1;
  }
  return code;
}
