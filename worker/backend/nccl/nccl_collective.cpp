#include "worker/backend/nccl/nccl_collective.hpp"

#include <chrono>

#include "lib/nccl/check.hpp"
#include "lib/text/byte_size.hpp"
#include "worker/sweep/buffer_slice.hpp"
#include "worker/sweep/expected.hpp"

namespace ringrun::worker {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenErrorChecks{1};

ncclDataType_t nccl_type(DataType type) {
  switch (type) {
    case DataType::kInt8:
      return ncclInt8;
    case DataType::kUint8:
      return ncclUint8;
    case DataType::kInt32:
      return ncclInt32;
    case DataType::kUint32:
      return ncclUint32;
    case DataType::kInt64:
      return ncclInt64;
    case DataType::kUint64:
      return ncclUint64;
    case DataType::kHalf:
      return ncclFloat16;
    case DataType::kFloat:
      return ncclFloat32;
    case DataType::kDouble:
      return ncclFloat64;
    case DataType::kBfloat16:
      return ncclBfloat16;
  }
  return ncclNumTypes;
}

ncclRedOp_t nccl_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
      return ncclSum;
    case ReduceOp::kProd:
      return ncclProd;
    case ReduceOp::kMax:
      return ncclMax;
    case ReduceOp::kMin:
      return ncclMin;
    case ReduceOp::kAvg:
      return ncclAvg;
  }
  return ncclNumOps;
}

DeviceMemory allocate(int device, std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t code = cudaMalloc(&memory, bytes == 0 ? 1 : bytes);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // the error is sticky until read
    std::size_t free_bytes = 0, total = 0;
    cudaMemGetInfo(&free_bytes, &total);
    throw CudaError(
        "cudaMalloc of " + format_byte_size(static_cast<std::int64_t>(bytes)) + " on device " + std::to_string(device),
        "out of memory, " + std::to_string(free_bytes >> 20) + "M are free; give a smaller largest size, -e", code);
  }
  check_cuda(code, "cudaMalloc");
  return DeviceMemory(memory);
}

std::byte* at(const DeviceMemory& memory, std::size_t offset) { return static_cast<std::byte*>(memory.get()) + offset; }

}  // namespace

NcclCollective::NcclCollective(const ncclUniqueId& id, const GpuBackend::Placement& placement, std::size_t max_bytes)
    : ranks_(placement.ranks), max_bytes_(max_bytes) {
  for (int device : placement.devices) {
    Rank& rank = here_.emplace_back();
    rank.rank = placement.first_rank + static_cast<int>(here_.size()) - 1;
    rank.device = device;
    select(rank);
    rank.send = allocate(device, max_bytes);
    rank.receive = allocate(device, max_bytes);
    rank.scratch = allocate(device, sizeof(Mismatches) + sizeof(ElementValue));
    check_cuda(cudaMemset(rank.send.get(), 0, max_bytes), "cudaMemset");
    check_cuda(cudaMemset(rank.receive.get(), 0, max_bytes), "cudaMemset");
    cudaStream_t stream = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    rank.stream = Stream(stream);
  }
  std::vector<ncclComm_t> communicators(here_.size());
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (std::size_t i = 0; i < here_.size(); ++i) {
    select(here_[i]);
    check_nccl(ncclCommInitRank(&communicators[i], ranks_, id, here_[i].rank), "ncclCommInitRank");
  }
  check_nccl(ncclGroupEnd(), "ncclCommInitRank");
  for (std::size_t i = 0; i < here_.size(); ++i) here_[i].communicator = Communicator(communicators[i]);
}

NcclCollective::~NcclCollective() = default;

void NcclCollective::select(const Rank& rank) const { check_cuda(cudaSetDevice(rank.device), "cudaSetDevice"); }

void NcclCollective::enqueue(const Operation& operation, std::size_t offset) {
  const bool group = here_.size() > 1;
  if (group) check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (const Rank& rank : here_) {
    // A single GPU stays selected from the start.
    if (group) select(rank);
    const void* input = at(operation.in_place ? rank.receive : rank.send, offset);
    check_nccl(ncclAllReduce(input, at(rank.receive, offset), operation.count, nccl_type(operation.type),
                             nccl_op(operation.op), rank.communicator.get(), rank.stream.get()),
               "ncclAllReduce");
  }
  if (group) check_nccl(ncclGroupEnd(), "ncclGroupEnd");
}

void NcclCollective::wait() const {
  auto next_check = Clock::now() + kBetweenErrorChecks;
  for (const Rank& rank : here_) {
    while (true) {
      const cudaError_t state = cudaStreamQuery(rank.stream.get());
      if (state == cudaSuccess) break;
      if (state != cudaErrorNotReady) check_cuda(state, "cudaStreamQuery");
      if (Clock::now() < next_check) continue;
      // A peer that died shows here, while the stream would never become idle.
      for (const Rank& any : here_) {
        ncclResult_t error = ncclSuccess;
        check_nccl(ncclCommGetAsyncError(any.communicator.get(), &error), "ncclCommGetAsyncError");
        if (error != ncclSuccess) check_nccl(error, "ncclAllReduce");
      }
      next_check = Clock::now() + kBetweenErrorChecks;
    }
  }
}

void NcclCollective::run(const Operation& operation, int iterations, int aggregate) {
  for (int i = 0; i < iterations; ++i) {
    const std::size_t offset = slice_offset(max_bytes_, operation.bytes(), i);
    if (aggregate > 1) check_nccl(ncclGroupStart(), "ncclGroupStart");
    for (int j = 0; j < aggregate; ++j) enqueue(operation, offset);
    if (aggregate > 1) check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  }
  wait();
}

std::vector<WrongElements> NcclCollective::verify(const Operation& operation, std::uint32_t seed) {
  const Pattern pattern = make_pattern(operation.type, operation.op, ranks_, seed);
  for (const Rank& rank : here_) {
    select(rank);
    void* input = (operation.in_place ? rank.receive : rank.send).get();
    check_cuda(fill_contribution_on_gpu(input, operation.type, pattern, rank.rank, operation.count, rank.stream.get()),
               "fill_contribution_on_gpu");
    if (operation.in_place) continue;
    check_cuda(fill_wrong_on_gpu(rank.receive.get(), operation.type, pattern, operation.count, rank.stream.get()),
               "fill_wrong_on_gpu");
  }
  enqueue(operation, 0);
  wait();
  std::vector<WrongElements> wrong;
  for (const Rank& rank : here_) wrong.push_back(compare(rank, operation, pattern));
  return wrong;
}

WrongElements NcclCollective::compare(const Rank& here, const Operation& operation, const Pattern& pattern) const {
  select(here);
  const cudaStream_t stream = here.stream.get();
  auto* mismatches = static_cast<Mismatches*>(here.scratch.get());
  auto* element = reinterpret_cast<ElementValue*>(mismatches + 1);
  Mismatches found{0, ~0ull};
  check_cuda(cudaMemcpyAsync(mismatches, &found, sizeof found, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
  check_cuda(compare_on_gpu(here.receive.get(), operation.type, pattern, relative_tolerance(operation.type, pattern),
                            operation.count, mismatches, stream),
             "compare_on_gpu");
  check_cuda(cudaMemcpyAsync(&found, mismatches, sizeof found, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  WrongElements wrong;
  wrong.rank = here.rank;
  wrong.count = found.count;
  if (found.count == 0) return wrong;

  ElementValue value{};
  check_cuda(read_element_on_gpu(here.receive.get(), operation.type, found.first_index, element, stream),
             "read_element_on_gpu");
  check_cuda(cudaMemcpyAsync(&value, element, sizeof value, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  wrong.first_index = found.first_index;
  wrong.expected = expected_text(pattern, found.first_index);
  wrong.got = value.is_whole ? std::to_string(value.whole) : element_text(value.floating);
  return wrong;
}

void NcclCollective::finish() {
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (const Rank& rank : here_) check_nccl(ncclCommFinalize(rank.communicator.get()), "ncclCommFinalize");
  check_nccl(ncclGroupEnd(), "ncclCommFinalize");
  for (Rank& rank : here_) check_nccl(ncclCommDestroy(rank.communicator.release()), "ncclCommDestroy");
}

}  // namespace ringrun::worker
