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

template <typename Work>
void NcclCollective::for_each(const std::vector<Prepared>& calls, std::size_t offset, Work work) const {
  const bool group = calls.size() > 1;
  if (group) check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (const Prepared& prepared : calls) {
    // A single GPU stays selected from the start.
    if (group) check_cuda(cudaSetDevice(prepared.device), "cudaSetDevice");
    NcclCall call = prepared.call;
    call.input = static_cast<const std::byte*>(call.input) + offset;
    call.output = static_cast<std::byte*>(call.output) + offset;
    work(call);
  }
  if (group) check_nccl(ncclGroupEnd(), "ncclGroupEnd");
}

void NcclCollective::select(const Rank& rank) const { check_cuda(cudaSetDevice(rank.device), "cudaSetDevice"); }

std::optional<std::string> NcclCollective::refusal(const Operation& operation) const {
  if (nccl_type(operation.type) == ncclNumTypes || !knows_on_gpu(operation.type))
    return "this NCCL or CUDA has no element type " + std::string(name_of(operation.type));
  const bool float8 = operation.type == DataType::kFloat8e4m3 || operation.type == DataType::kFloat8e5m2;
  int library = 0;
  check_nccl(ncclGetVersion(&library), "ncclGetVersion");
  if (float8 && library < NCCL_VERSION(2, 24, 0))
    return "NCCL " + std::to_string(library) + " has no element type " + std::string(name_of(operation.type));
  if (!float8 || !operation.description().reduces) return std::nullopt;
  for (const Rank& rank : here_) {
    int major = 0;
    check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, rank.device),
               "cudaDeviceGetAttribute");
    if (major < 9) return "NCCL reduces " + std::string(name_of(operation.type)) + " from compute capability 9.0 on";
  }
  return std::nullopt;
}

void* NcclCollective::input(const Rank& rank, const Operation& operation) const {
  if (!operation.in_place) return rank.send.get();
  return at(rank.receive,
            static_cast<std::size_t>(rank.rank) * operation.layout.input_in_place * size_of(operation.type));
}

void* NcclCollective::output(const Rank& rank, const Operation& operation) const {
  const std::size_t place = operation.in_place ? operation.layout.output_in_place : 0;
  return at(rank.receive, static_cast<std::size_t>(rank.rank) * place * size_of(operation.type));
}

std::vector<NcclCollective::Prepared> NcclCollective::prepare(const Operation& operation) const {
  std::vector<Prepared> calls;
  for (const Rank& rank : here_) {
    NcclReduction reduction(operation.op, operation.type, rank.rank, rank.communicator.get());
    const NcclCall call{input(rank, operation),  output(rank, operation), reduction.get(), rank.rank,
                        rank.communicator.get(), rank.stream.get()};
    calls.push_back({std::move(reduction), call, rank.device});
  }
  return calls;
}

void NcclCollective::enqueue(const Operation& operation, const std::vector<Prepared>& calls, std::size_t offset) {
  if (operation.kind == CollectiveKind::kHypercube) return enqueue_hypercube(operation, calls, offset);
  for_each(calls, offset, [&](const NcclCall& call) { enqueue_call(operation, call); });
}

void NcclCollective::enqueue_hypercube(const Operation& operation, const std::vector<Prepared>& calls,
                                       std::size_t offset) {
  for_each(calls, offset, [&](const NcclCall& call) { enqueue_own_part(operation, call); });
  for (int edge = 1; edge < ranks_; edge *= 2)
    for_each(calls, offset, [&](const NcclCall& call) { enqueue_edge(operation, call, edge); });
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
        if (error != ncclSuccess) check_nccl(error, "ncclCommGetAsyncError");
      }
      next_check = Clock::now() + kBetweenErrorChecks;
    }
  }
}

void NcclCollective::run(const Operation& operation, int iterations, int aggregate) {
  const std::vector<Prepared> calls = prepare(operation);
  // The steps of a hypercube depend on each other, which operations in one group do not.
  const bool group = aggregate > 1 && operation.kind != CollectiveKind::kHypercube;
  for (int i = 0; i < iterations; ++i) {
    const std::size_t offset = slice_offset(max_bytes_, operation.bytes(), i);
    if (group) check_nccl(ncclGroupStart(), "ncclGroupStart");
    for (int j = 0; j < aggregate; ++j) enqueue(operation, calls, offset);
    if (group) check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  }
  wait();
}

std::vector<WrongElements> NcclCollective::verify(const Operation& operation, std::uint32_t seed) {
  const Pattern pattern = pattern_for(operation, seed);
  for (const Rank& rank : here_) {
    select(rank);
    for (const Segment& segment : result_of(operation, rank.rank)) {
      check_cuda(fill_wrong_on_gpu(output(rank, operation), operation.type, pattern, segment, rank.stream.get()),
                 "fill_wrong_on_gpu");
    }
    check_cuda(fill_contribution_on_gpu(input(rank, operation), operation.type, pattern, rank.rank,
                                        operation.layout.send, rank.stream.get()),
               "fill_contribution_on_gpu");
  }
  enqueue(operation, prepare(operation), 0);
  wait();
  std::vector<WrongElements> wrong;
  for (const Rank& rank : here_) wrong.push_back(compare(rank, operation, pattern));
  return wrong;
}

WrongElements NcclCollective::compare(const Rank& here, const Operation& operation, const Pattern& pattern) const {
  select(here);
  const cudaStream_t stream = here.stream.get();
  const std::vector<Segment> result = result_of(operation, here.rank);
  const void* data = output(here, operation);
  auto* mismatches = static_cast<Mismatches*>(here.scratch.get());
  auto* element = reinterpret_cast<ElementValue*>(mismatches + 1);
  Mismatches found{0, ~0ull};
  check_cuda(cudaMemcpyAsync(mismatches, &found, sizeof found, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
  const double tolerance = relative_tolerance(operation.type, pattern);
  for (const Segment& segment : result) {
    check_cuda(compare_on_gpu(data, operation.type, pattern, tolerance, segment, mismatches, stream), "compare_on_gpu");
  }
  check_cuda(cudaMemcpyAsync(&found, mismatches, sizeof found, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  WrongElements wrong;
  wrong.rank = here.rank;
  wrong.count = found.count;
  if (found.count == 0) return wrong;

  ElementValue value{};
  check_cuda(read_element_on_gpu(data, operation.type, found.first_index, element, stream), "read_element_on_gpu");
  check_cuda(cudaMemcpyAsync(&value, element, sizeof value, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  wrong.first_index = found.first_index;
  wrong.expected = expected_text(pattern, result, found.first_index);
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
