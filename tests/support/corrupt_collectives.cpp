// Loaded with LD_PRELOAD: an MPI library that delivers one wrong element. CORRUPT_RANK, CORRUPT_COUNT (elements in the
// call to spoil) and CORRUPT_INDEX (of the rank's result) say which; its first byte gets the lowest bit flipped. With
// CORRUPT_CALL only that one of the calls, numbered from 0.
#include <mpi.h>

#include <cstdlib>

namespace {

int setting(const char* name) { return std::atoi(std::getenv(name)); }

int spoil(int code, void* result, int count, MPI_Datatype type, MPI_Comm comm) {
  int rank = 0;
  int bytes = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Type_size(type, &bytes);
  if (result == MPI_IN_PLACE || rank != setting("CORRUPT_RANK") || count != setting("CORRUPT_COUNT")) return code;
  static int calls = 0;
  if (std::getenv("CORRUPT_CALL") == nullptr || calls++ == setting("CORRUPT_CALL"))
    static_cast<unsigned char*>(result)[setting("CORRUPT_INDEX") * bytes] ^= 1;
  return code;
}

}  // namespace

extern "C" {

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return spoil(PMPI_Allreduce(in, out, count, type, op, comm), out, count, type, comm);
}

int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return spoil(PMPI_Reduce(in, out, count, type, op, root, comm), out, count, type, comm);
}

int MPI_Reduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return spoil(PMPI_Reduce_scatter_block(in, out, count, type, op, comm), out, count, type, comm);
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return spoil(PMPI_Bcast(data, count, type, root, comm), data, count, type, comm);
}

int MPI_Allgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int count, MPI_Datatype type,
                  MPI_Comm comm) {
  return spoil(PMPI_Allgather(in, in_count, in_type, out, count, type, comm), out, count, type, comm);
}

int MPI_Gather(const void* in, int in_count, MPI_Datatype in_type, void* out, int count, MPI_Datatype type, int root,
               MPI_Comm comm) {
  return spoil(PMPI_Gather(in, in_count, in_type, out, count, type, root, comm), out, count, type, comm);
}

int MPI_Scatter(const void* in, int in_count, MPI_Datatype in_type, void* out, int count, MPI_Datatype type, int root,
                MPI_Comm comm) {
  return spoil(PMPI_Scatter(in, in_count, in_type, out, count, type, root, comm), out, count, type, comm);
}

int MPI_Alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int count, MPI_Datatype type,
                 MPI_Comm comm) {
  return spoil(PMPI_Alltoall(in, in_count, in_type, out, count, type, comm), out, count, type, comm);
}

int MPI_Alltoallv(const void* in, const int* in_counts, const int* in_offsets, MPI_Datatype in_type, void* out,
                  const int* counts, const int* offsets, MPI_Datatype type, MPI_Comm comm) {
  const int code = PMPI_Alltoallv(in, in_counts, in_offsets, in_type, out, counts, offsets, type, comm);
  return spoil(code, out, counts[0], type, comm);
}

int MPI_Sendrecv(const void* in, int in_count, MPI_Datatype in_type, int to, int in_tag, void* out, int count,
                 MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  const int code = PMPI_Sendrecv(in, in_count, in_type, to, in_tag, out, count, type, from, tag, comm, status);
  return spoil(code, out, count, type, comm);
}

}  // extern "C"
