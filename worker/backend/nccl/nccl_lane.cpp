#include "worker/backend/nccl/nccl_lane.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "lib/nccl/check.hpp"
#include "worker/backend/nccl/timeline.hpp"
#include "worker/sweep/buffer_slice.hpp"

namespace ringrun::worker {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenErrorChecks{1};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

NcclLane::NcclLane(std::vector<NcclRank*> ranks, const std::atomic<bool>& abandoned)
    : ranks_(std::move(ranks)), abandoned_(abandoned) {}

std::vector<NcclLane::Prepared> NcclLane::prepare(const Operation& operation) const {
  std::vector<Prepared> calls;
  for (const NcclRank* rank : ranks_) {
    NcclReduction reduction(operation.op, operation.type, rank->rank, rank->communicator.get());
    const NcclCall call{rank->input(operation),   rank->output(operation), reduction.get(), rank->rank,
                        rank->communicator.get(), rank->stream.get()};
    calls.push_back({std::move(reduction), call, rank->device});
  }
  return calls;
}

template <typename Work>
void NcclLane::for_each(const std::vector<Prepared>& calls, std::size_t offset, Work work) const {
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

void NcclLane::enqueue(const Operation& operation, const std::vector<Prepared>& calls, std::size_t offset) const {
  if (operation.kind != CollectiveKind::kHypercube)
    return for_each(calls, offset, [&](const NcclCall& call) { enqueue_call(operation, call); });
  for_each(calls, offset, [&](const NcclCall& call) { enqueue_own_part(operation, call); });
  for (int edge = 1; edge < operation.ranks; edge *= 2)
    for_each(calls, offset, [&](const NcclCall& call) { enqueue_edge(operation, call, edge); });
}

void NcclLane::enqueue_iteration(const Operation& operation, const RunPlan& plan, const std::vector<Prepared>& calls,
                                 std::size_t offset, const std::function<void()>& meet) const {
  const bool waits = plan.blocking == Blocking::kWait || plan.blocking == Blocking::kWaitAndBarrier;
  // What is in a group starts when that ends: nothing to wait for before. And the steps of a hypercube depend on each
  // other, which operations in one group do not.
  const bool group = plan.aggregate > 1 && !waits && operation.kind != CollectiveKind::kHypercube;
  if (group) check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (int i = 0; i < plan.aggregate; ++i) {
    enqueue(operation, calls, offset);
    if (waits) wait();
    if (plan.blocking == Blocking::kWaitAndBarrier) meet();
  }
  if (group) check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  if (plan.blocking == Blocking::kWaitForGroup) wait();
}

NcclLane::Times NcclLane::run(const Operation& operation, const RunPlan& plan, std::size_t buffer_bytes,
                              const std::function<void()>& meet) const {
  const std::vector<Prepared> calls = prepare(operation);
  const BufferSlices slices(buffer_bytes, operation.bytes());
  const auto enqueue_numbered = [&](int iteration) {
    enqueue_iteration(operation, plan, calls, slices.offset(iteration), meet);
  };
  Times times;
  if (plan.graph_launches > 0) {
    const auto graphs = capture([&] {
      for (int i = 0; i < plan.iterations; ++i) enqueue_numbered(i);
    });
    meet();
    const auto start = Clock::now();
    for (int i = 0; i < plan.graph_launches; ++i) launch(graphs);
    times.enqueued = seconds_since(start);
    wait();
    times.total = seconds_since(start);
    return times;
  }
  if (plan.spans) {
    const SpanTimeline timeline(ranks_, plan.iterations);
    ranks_.front()->select();
    // Taking the events lasts longer here than there.
    meet();
    for (int i = 0; i < plan.iterations; ++i) {
      timeline.begin(i);
      enqueue_numbered(i);
      timeline.end(i);
    }
    wait();
    times.spans = timeline.spans();
    return times;
  }
  if (plan.each_iteration) {
    const Timeline timeline(ranks_, plan.iterations);
    ranks_.front()->select();
    const auto start = Clock::now();
    timeline.mark(0);
    for (int i = 0; i < plan.iterations; ++i) {
      enqueue_numbered(i);
      timeline.mark(i + 1);
    }
    times.enqueued = seconds_since(start);
    wait();
    times.total = seconds_since(start);
    times.iterations = timeline.longest();
    return times;
  }
  const auto start = Clock::now();
  for (int i = 0; i < plan.iterations; ++i) enqueue_numbered(i);
  times.enqueued = seconds_since(start);
  wait();
  times.total = seconds_since(start);
  return times;
}

void NcclLane::run_once(const Operation& operation, bool as_graph) const {
  const std::vector<Prepared> calls = prepare(operation);
  std::vector<ExecutableGraph> graphs;
  if (as_graph) {
    graphs = capture([&] { enqueue(operation, calls, 0); });
    launch(graphs);
  } else {
    ranks_.front()->select();
    enqueue(operation, calls, 0);
  }
  wait();
}

double NcclLane::estimate(const Operation& operation) const {
  // The steps of a hypercube are groups of their own.
  if (operation.kind == CollectiveKind::kHypercube || !can_simulate()) return 0;
  const std::vector<Prepared> calls = prepare(operation);
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (const Prepared& prepared : calls) {
    check_cuda(cudaSetDevice(prepared.device), "cudaSetDevice");
    enqueue_call(operation, prepared.call);
  }
  return end_simulated_group();
}

/// One graph for each rank.
std::vector<ExecutableGraph> NcclLane::capture(const std::function<void()>& work) const {
  for (const NcclRank* rank : ranks_) {
    rank->select();
    // Of this thread alone: others capture at the same time, and NCCL may take memory while it connects.
    check_cuda(cudaStreamBeginCapture(rank->stream.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  }
  work();
  std::vector<ExecutableGraph> executable;
  std::vector<Graph> captured;
  for (const NcclRank* rank : ranks_) {
    cudaGraph_t graph = nullptr;
    check_cuda(cudaStreamEndCapture(rank->stream.get(), &graph), "cudaStreamEndCapture");
    captured.emplace_back(graph);
  }
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    ranks_[i]->select();
    cudaGraphExec_t graph = nullptr;
    check_cuda(cudaGraphInstantiate(&graph, captured[i].get(), 0), "cudaGraphInstantiate");
    executable.emplace_back(graph);
  }
  return executable;
}

void NcclLane::launch(const std::vector<ExecutableGraph>& graphs) const {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_.size() > 1) ranks_[i]->select();
    check_cuda(cudaGraphLaunch(graphs[i].get(), ranks_[i]->stream.get()), "cudaGraphLaunch");
  }
}

void NcclLane::wait() const {
  auto next_check = Clock::now() + kBetweenErrorChecks;
  for (const NcclRank* rank : ranks_) {
    while (true) {
      // The null stream is that of the selected device.
      if (ranks_.size() > 1 && !rank->stream) rank->select();
      const cudaError_t state = cudaStreamQuery(rank->stream.get());
      if (state == cudaSuccess) break;
      if (state != cudaErrorNotReady) check_cuda(state, "cudaStreamQuery");
      // NCCL's own thread may have this processor alone to run on.
      std::this_thread::yield();
      if (Clock::now() < next_check) continue;
      // A peer that died shows here, while the stream would never become idle.
      for (const NcclRank* any : ranks_) {
        ncclResult_t error = ncclSuccess;
        check_nccl(ncclCommGetAsyncError(any->communicator.get(), &error), "ncclCommGetAsyncError");
        if (error != ncclSuccess) check_nccl(error, "ncclCommGetAsyncError");
      }
      if (abandoned_) throw std::runtime_error("another thread of this process failed");
      next_check = Clock::now() + kBetweenErrorChecks;
    }
  }
}

}  // namespace ringrun::worker
