#include "worker/backend/nccl/nccl_collective.hpp"

#include <barrier>
#include <exception>
#include <mutex>
#include <thread>

#include "lib/nccl/check.hpp"
#include "worker/backend/backend_limits.hpp"
#include "worker/backend/nccl/nccl_observer.hpp"
#include "worker/sweep/buffer_slice.hpp"
#include "worker/sweep/expected.hpp"
#include "worker/sweep/timed_check.hpp"

namespace ringrun::worker {

NcclCollective::NcclCollective(const ncclUniqueId& id, const GpuBackend::Placement& placement,
                               const GpuBackend::Settings& settings, NcclLog& log)
    : settings_(settings), log_(log), ranks_(placement.ranks) {
  check_cuda(cudaSetDevice(placement.devices.front()), "cudaSetDevice");
  taken_before_ = taken();
  here_.reserve(placement.devices.size());
  for (int device : placement.devices)
    here_.emplace_back(placement.first_rank + static_cast<int>(here_.size()), device, settings);
  taken_for_buffers_ = taken();
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(settings.threads); ++lane)
    lanes_.emplace_back(ranks_of_lane(lane), abandoned_);

  std::vector<NcclRank*> all;
  for (NcclRank& rank : here_) all.push_back(&rank);
  if (settings.parallel_init) {
    on_each_lane(
        [&](std::size_t lane, const Meet&) { join_ranks(ranks_of_lane(lane), id, ranks_, settings.cta_policy); });
  } else {
    join_ranks(all, id, ranks_, settings.cta_policy);
  }
  const std::size_t bytes = settings.max_bytes + static_cast<std::size_t>(settings.misalignment) * 8;
  registrations_ = NcclRegistrations(all, settings.registration, bytes);
  taken_with_communicators_ = taken();
  here_.front().select();
}

std::vector<NcclRank*> NcclCollective::ranks_of_lane(std::size_t lane) {
  const std::size_t each = here_.size() / static_cast<std::size_t>(settings_.threads);
  std::vector<NcclRank*> ranks;
  for (std::size_t i = lane * each; i < (lane + 1) * each; ++i) ranks.push_back(&here_[i]);
  return ranks;
}

void NcclCollective::on_each_lane(const std::function<void(std::size_t, const Meet&)>& work) {
  if (settings_.threads == 1) return work(0, [] {});
  std::barrier<> together(settings_.threads);
  std::mutex mutex;
  std::exception_ptr first_failure;
  const auto on_thread = [&](std::size_t lane) {
    try {
      work(lane, [&] { together.arrive_and_wait(); });
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first_failure) first_failure = std::current_exception();
      abandoned_ = true;
    }
    // The others do not wait for one that has ended.
    together.arrive_and_drop();
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t lane = 1; lane < static_cast<std::size_t>(settings_.threads); ++lane)
      threads.emplace_back(on_thread, lane);
    on_thread(0);
  }
  if (first_failure) std::rethrow_exception(first_failure);
}

std::optional<std::string> NcclCollective::refusal(const Operation& operation) const {
  const std::string type(name_of(operation.type));
  if (nccl_type(operation.type) == ncclNumTypes || !knows_on_gpu(operation.type))
    return "the worker was built with an NCCL or CUDA that has no element type " + type;
  if (operation.type != DataType::kFloat8e4m3 && operation.type != DataType::kFloat8e5m2) return std::nullopt;
  int library = 0;
  check_nccl(ncclGetVersion(&library), "ncclGetVersion");
  if (library < NCCL_VERSION(2, 24, 0)) return "NCCL " + std::to_string(library) + " has no element type " + type;
  if (!operation.description().reduces) return std::nullopt;
  for (const NcclRank& rank : here_) {
    int major = 0;
    check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, rank.device),
               "cudaDeviceGetAttribute");
    if (major < 9) return "NCCL reduces " + type + " from compute capability 9.0 on";
  }
  return refusal_on_one_rank(operation);
}

RunTimes NcclCollective::run(const Operation& operation, const RunPlan& plan) {
  const BufferSlices slices(settings_.max_bytes, operation.bytes());
  const int parts = slices.used_by(plan.iterations);
  const bool checked = checks_results(operation, plan, parts);
  const Pattern pattern = pattern_for(operation, plan.checked_with.value_or(0));
  if (checked) {
    for (const NcclRank& rank : here_) {
      for (int i = 0; i < parts; ++i) fill(rank, operation, pattern, slices.offset(i));
      check_cuda(cudaStreamSynchronize(rank.stream.get()), "cudaStreamSynchronize");
    }
    here_.front().select();
    // Filling does not last as long everywhere.
    plan.barrier();
  }
  std::vector<NcclLane::Times> of_lanes(lanes_.size());
  on_each_lane([&](std::size_t lane, const Meet& meet_threads) {
    if (here_.size() > 1) ranks_of_lane(lane).front()->select();
    const auto meet = [&] {
      meet_threads();
      // MPI is the main thread's.
      if (lane == 0) plan.barrier();
      meet_threads();
    };
    meet_threads();
    of_lanes[lane] = lanes_[lane].run(operation, plan, settings_.max_bytes, meet);
  });
  RunTimes times;
  for (const NcclLane::Times& lane : of_lanes) {
    times.total.push_back(lane.total);
    times.enqueued.push_back(lane.enqueued);
    times.iterations.resize(lane.iterations.size());
    for (std::size_t i = 0; i < lane.iterations.size(); ++i)
      times.iterations[i] = std::max(times.iterations[i], lane.iterations[i]);
    times.spans.insert(times.spans.end(), lane.spans.begin(), lane.spans.end());
  }
  if (!checked) return times;
  times.wrong.emplace();
  for (const NcclRank& rank : here_) {
    WrongElements all;
    all.rank = rank.rank;
    for (int i = 0; i < parts; ++i)
      add_part(all, compare(rank, operation, pattern, slices.offset(i)), last_iteration_of(i, parts, plan.iterations));
    times.wrong->push_back(all);
  }
  here_.front().select();
  return times;
}

/// Input and results that were never written, `offset` bytes from the begin of the buffers.
void NcclCollective::fill(const NcclRank& here, const Operation& operation, const Pattern& pattern,
                          std::size_t offset) const {
  here.select();
  for (const Segment& segment : result_of(operation, here.rank)) {
    check_cuda(fill_wrong_on_gpu(here.output(operation) + offset, operation.type, pattern, segment, here.stream.get()),
               "fill_wrong_on_gpu");
  }
  check_cuda(fill_contribution_on_gpu(here.input(operation) + offset, operation.type, pattern, here.rank,
                                      operation.layout.send, here.stream.get()),
             "fill_contribution_on_gpu");
}

std::vector<WrongElements> NcclCollective::verify(const Operation& operation, std::uint32_t seed) {
  const Pattern pattern = pattern_for(operation, seed);
  std::vector<NcclRank*> all;
  for (NcclRank& rank : here_) {
    all.push_back(&rank);
    fill(rank, operation, pattern, 0);
  }
  NcclLane(all, abandoned_).run_once(operation, settings_.checks_graphs);
  std::vector<WrongElements> wrong;
  for (const NcclRank& rank : here_) wrong.push_back(compare(rank, operation, pattern, 0));
  here_.front().select();
  return wrong;
}

LibraryChoice NcclCollective::observe(const Operation& operation) {
  // NCCL copies then, and says nothing of it.
  if (ranks_ == 1) return {};
  std::vector<NcclRank*> all;
  for (NcclRank& rank : here_) all.push_back(&rank);
  const NcclLane lane(all, abandoned_);
  begin_observation();
  lane.run_once(operation, false);
  LibraryChoice choice = end_observation();
  choice.estimated_seconds = lane.estimate(operation);
  here_.front().select();
  log_.read_transports();  // and pass NCCL's warnings on
  return choice;
}

WrongElements NcclCollective::compare(const NcclRank& here, const Operation& operation, const Pattern& pattern,
                                      std::size_t offset) const {
  here.select();
  const cudaStream_t stream = here.stream.get();
  const std::vector<Segment> result = result_of(operation, here.rank);
  const void* data = here.output(operation) + offset;
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

/// Bytes in use on the first device, by whomever.
double NcclCollective::taken() const {
  std::size_t free_bytes = 0;
  std::size_t total = 0;
  check_cuda(cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo");
  return static_cast<double>(total - free_bytes);
}

MemoryReport NcclCollective::memory() const {
  here_.front().select();
  const auto at_least_0 = [](double bytes) { return std::max(bytes, 0.0); };
  return {"GPU",
          {{"User-Allocated", at_least_0(taken_for_buffers_ - taken_before_)},
           {"Initialization", at_least_0(taken_with_communicators_ - taken_for_buffers_)},
           {"Collectives", at_least_0(taken() - taken_with_communicators_)}}};
}

void NcclCollective::finish() {
  registrations_.release();
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (const NcclRank& rank : here_) check_nccl(ncclCommFinalize(rank.communicator.get()), "ncclCommFinalize");
  check_nccl(ncclGroupEnd(), "ncclCommFinalize");
  for (NcclRank& rank : here_) check_nccl(ncclCommDestroy(rank.communicator.release()), "ncclCommDestroy");
}

}  // namespace ringrun::worker
