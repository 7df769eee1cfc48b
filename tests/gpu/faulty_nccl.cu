// Loaded with LD_PRELOAD: an NCCL library whose out-of-place all-reduces of FAULTY_COUNT elements go wrong on rank
// FAULTY_RANK. With FAULTY_BYTE the lowest bit of that byte of the result is flipped; without, the GPU runs into an
// error. With FAULTY_CALL only that one of these calls, numbered from 0.
#include <dlfcn.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>

namespace {

__global__ void flip(unsigned char* byte) { *byte ^= 1; }
__global__ void stop_with_an_error() { asm volatile("trap;"); }

long long setting(const char* name) { return std::atoll(std::getenv(name)); }

bool is_chosen(ncclComm_t communicator, std::size_t count) {
  int rank = 0;
  ncclCommUserRank(communicator, &rank);
  if (rank != setting("FAULTY_RANK") || count != static_cast<std::size_t>(setting("FAULTY_COUNT"))) return false;
  static int calls = 0;
  return std::getenv("FAULTY_CALL") == nullptr || calls++ == setting("FAULTY_CALL");
}

}  // namespace

extern "C" ncclResult_t ncclAllReduce(const void* in, void* out, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                                      ncclComm_t communicator, cudaStream_t stream) {
  static const auto real = reinterpret_cast<decltype(&ncclAllReduce)>(dlsym(RTLD_NEXT, "ncclAllReduce"));
  const ncclResult_t result = real(in, out, count, type, op, communicator, stream);
  if (result != ncclSuccess || in == out || !is_chosen(communicator, count)) return result;
  if (std::getenv("FAULTY_BYTE") != nullptr) {
    flip<<<1, 1, 0, stream>>>(static_cast<unsigned char*>(out) + setting("FAULTY_BYTE"));
  } else {
    stop_with_an_error<<<1, 1, 0, stream>>>();
  }
  // A GPU for which this file holds no code would look like one that does nothing wrong.
  if (cudaPeekAtLastError() != cudaSuccess) std::fprintf(stderr, "faulty_nccl could not start its kernel\n");
  return result;
}
