#include "worker/backend/nccl/nccl_rank.hpp"

#include <string>

#include "lib/nccl/check.hpp"
#include "lib/text/byte_size.hpp"
#include "worker/backend/nccl/elements.hpp"
#include "worker/backend/nccl/nccl_calls.hpp"

namespace ringrun::worker {
namespace {

constexpr std::size_t kLargestElement = 8;

NcclMemory allocate(int device, std::size_t bytes) {
  std::size_t free_bytes = 0;
  std::size_t total = 0;
  check_cuda(cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo");
  if (bytes > free_bytes) {
    throw CudaError(
        "ncclMemAlloc of " + format_byte_size(static_cast<std::int64_t>(bytes)) + " on device " +
            std::to_string(device),
        "out of memory, " + std::to_string(free_bytes >> 20) + "M are free; give a smaller largest size, -e",
        cudaErrorMemoryAllocation);
  }
  void* memory = nullptr;
  check_nccl(ncclMemAlloc(&memory, bytes == 0 ? 1 : bytes), "ncclMemAlloc");
  check_cuda(cudaMemset(memory, 0, bytes), "cudaMemset");
  return NcclMemory(memory);
}

std::size_t shift(const NcclRank& rank, const Operation& operation) {
  return (static_cast<std::size_t>(rank.misalignment) + operation.begin) * size_of(operation.type);
}

}  // namespace

NcclRank::NcclRank(int number, int on_device, const GpuBackend::Settings& settings)
    : rank(number), device(on_device), misalignment(settings.misalignment) {
  select();
  const std::size_t bytes = settings.max_bytes + static_cast<std::size_t>(misalignment) * kLargestElement;
  send = allocate(device, bytes);
  receive = allocate(device, bytes);
  void* for_comparison = nullptr;
  check_cuda(cudaMalloc(&for_comparison, sizeof(Mismatches) + sizeof(ElementValue)), "cudaMalloc");
  scratch = DeviceMemory(for_comparison);
  if (settings.null_stream) return;
  cudaStream_t made = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  stream = Stream(made);
}

void NcclRank::select() const { check_cuda(cudaSetDevice(device), "cudaSetDevice"); }

std::byte* NcclRank::input(const Operation& operation) const {
  const std::size_t place = static_cast<std::size_t>(rank) * operation.layout.input_in_place * size_of(operation.type);
  return static_cast<std::byte*>(operation.in_place ? receive.get() : send.get()) + shift(*this, operation) +
         (operation.in_place ? place : 0);
}

std::byte* NcclRank::output(const Operation& operation) const {
  const std::size_t place = static_cast<std::size_t>(rank) * operation.layout.output_in_place * size_of(operation.type);
  return static_cast<std::byte*>(receive.get()) + shift(*this, operation) + (operation.in_place ? place : 0);
}

void join_ranks(const std::vector<NcclRank*>& ranks, const ncclUniqueId& id, int ranks_of_all, int cta_policy) {
  std::vector<ncclComm_t> communicators(ranks.size());
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i]->select();
    ncclConfig_t config = config_with_policy(cta_policy);
    check_nccl(ncclCommInitRankConfig(&communicators[i], ranks_of_all, id, ranks[i]->rank, &config),
               "ncclCommInitRankConfig");
  }
  check_nccl(ncclGroupEnd(), "ncclCommInitRankConfig");
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i]->communicator = Communicator(communicators[i]);
}

NcclRegistrations::NcclRegistrations(const std::vector<NcclRank*>& ranks, int registration, std::size_t bytes)
    : registration_(registration) {
  if (registration == 0) return;
  registered_.reserve(2 * ranks.size());
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (const NcclRank* rank : ranks) {
    rank->select();
    for (void* buffer : {rank->send.get(), rank->receive.get()}) {
      registered_.push_back({rank, nullptr});
      void** handle = &registered_.back().handle;
      if (registration == 2) {
        register_window(rank->communicator.get(), buffer, bytes, handle);
      } else {
        check_nccl(ncclCommRegister(rank->communicator.get(), buffer, bytes, handle), "ncclCommRegister");
      }
    }
  }
  check_nccl(ncclGroupEnd(), "ncclGroupEnd");
}

void NcclRegistrations::release() {
  for (const Registered& registered : registered_) {
    registered.rank->select();
    if (registration_ == 2) {
      deregister_window(registered.rank->communicator.get(), registered.handle);
    } else {
      check_nccl(ncclCommDeregister(registered.rank->communicator.get(), registered.handle), "ncclCommDeregister");
    }
  }
  registered_.clear();
}

}  // namespace ringrun::worker
