#include "worker/backend/mpi_collective.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "lib/mpi/check.hpp"
#include "worker/backend/host_buffer.hpp"
#include "worker/backend/host_elements.hpp"
#include "worker/backend/mpi_element.hpp"
#include "worker/exit_code.hpp"
#include "worker/sweep/buffer_slice.hpp"
#include "worker/sweep/expected.hpp"
#include "worker/sweep/timed_check.hpp"
#include "worker/sweep/timed_loop.hpp"

namespace ringrun::worker {
namespace {

class MpiCollective : public Collective {
 public:
  MpiCollective(std::size_t max_bytes, int misalignment, MPI_Comm communicator)
      : max_bytes_(max_bytes),
        misalignment_(static_cast<std::size_t>(misalignment)),
        send_(allocate_host_buffer(host_buffer_bytes(max_bytes, misalignment))),
        receive_(allocate_host_buffer(host_buffer_bytes(max_bytes, misalignment))),
        communicator_(communicator) {
    mpi::check(MPI_Comm_size(communicator_, &ranks_), "MPI_Comm_size");
    mpi::check(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
  }

  int ranks() const override { return ranks_; }

  std::optional<std::string> refusal(const Operation& operation) const override {
    if (mpi_type(operation.type) == MPI_DATATYPE_NULL)
      return "MPI has no element type " + std::string(name_of(operation.type));
    if (operation.description().reduces && mpi_op(operation.op) == MPI_OP_NULL)
      return "MPI has no reduction " + std::string(name_of(operation.op));
    try {
      with_call(operation, [](auto) {});
    } catch (const Unsupported& too_many) {
      return too_many.what();
    }
    return std::nullopt;
  }

  RunTimes run(const Operation& operation, const RunPlan& plan) override {
    const BufferSlices slices(max_bytes_, operation.bytes());
    const int parts = slices.used_by(plan.iterations);
    const bool checked = checks_results(operation, plan, parts);
    const Pattern pattern = pattern_for(operation, plan.checked_with.value_or(0));
    if (checked) {
      for (int i = 0; i < parts; ++i) fill(operation, pattern, slices.offset(i));
      // Filling does not last as long everywhere.
      plan.barrier();
    }
    RunTimes times;
    with_call(operation, [&](auto call) {
      std::byte* const in = input(operation);
      std::byte* const out = output_buffer(operation);
      const auto once = [&](int iteration) {
        const std::size_t offset = slices.offset(iteration);
        call(in + offset, out + offset);
      };
      if (plan.spans) return void(times = run_with_spans(plan, rank_, once));
      times = plan.each_iteration || plan.blocking == Blocking::kWaitAndBarrier ? run_step_by_step(plan, once)
                                                                                : run_in_one(plan, once);
    });
    if (!checked) return times;
    WrongElements all;
    all.rank = rank_;
    for (int i = 0; i < parts; ++i) {
      add_part(all, compare(operation, pattern, slices.offset(i)), last_iteration_of(i, parts, plan.iterations));
    }
    times.wrong = {all};
    return times;
  }

  std::vector<WrongElements> verify(const Operation& operation, std::uint32_t seed) override {
    const Pattern pattern = pattern_for(operation, seed);
    fill(operation, pattern, 0);
    with_call(operation, [&](auto call) { call(input(operation), output_buffer(operation)); });
    return {compare(operation, pattern, 0)};
  }

  MemoryReport memory() const override { return {"Host", {{"User-Allocated", 2.0 * static_cast<double>(max_bytes_)}}}; }

  void finish() override {}

 private:
  std::byte* input(const Operation& operation) const {
    const std::size_t size = size_of(operation.type);
    if (!operation.in_place) return send_.get() + (misalignment_ + operation.begin) * size;
    return output_buffer(operation) + static_cast<std::size_t>(rank_) * operation.layout.input_in_place * size;
  }

  std::byte* output_buffer(const Operation& operation) const {
    return receive_.get() + (misalignment_ + operation.begin) * size_of(operation.type);
  }

  /// In bytes from the begin of the output buffer.
  std::size_t place_of_result(const Operation& operation) const {
    // MPI_Reduce_scatter_block leaves it in front, NCCL where the rank's part of the input was.
    if (!operation.in_place || operation.kind == CollectiveKind::kReduceScatter) return 0;
    return static_cast<std::size_t>(rank_) * operation.layout.output_in_place * size_of(operation.type);
  }

  /// Input and results that were never written, `offset` bytes from the begin of the buffers.
  void fill(const Operation& operation, const Pattern& pattern, std::size_t offset) const {
    std::byte* const output = output_buffer(operation) + offset + place_of_result(operation);
    fill_wrong(output, operation.type, pattern, checked_result(operation));
    fill_contribution(input(operation) + offset, operation.type, pattern, rank_, operation.layout.send);
  }

  WrongElements compare(const Operation& operation, const Pattern& pattern, std::size_t offset) const {
    const std::byte* const output = output_buffer(operation) + offset + place_of_result(operation);
    return compare_with_result(output, operation.type, pattern, checked_result(operation), rank_);
  }

  std::vector<Segment> checked_result(const Operation& operation) const {
    // MPI_Bcast has one buffer: the root's own stays the one that it sends.
    if (operation.kind == CollectiveKind::kBroadcast && rank_ == operation.root) return {};
    return result_of(operation, rank_);
  }

  /// Calls `work` with the function that does the operation once, from one place and to another. What it needs beside
  /// them is found before, so that a loop around it costs no more than one around MPI's own.
  template <typename Work>
  void with_call(const Operation& operation, Work work) const;
  void pass_around_cube(std::byte* data, std::size_t part, int count, MPI_Datatype type) const;

  std::size_t max_bytes_;
  std::size_t misalignment_;  ///< in elements
  HostBuffer send_;
  HostBuffer receive_;
  MPI_Comm communicator_;
  int ranks_ = 1;
  int rank_ = 0;
};

/// MPI counts elements in an int; beyond that an operation on whole buffers is done in parts.
template <typename Call>
void in_parts(std::size_t count, Call call) {
  constexpr std::size_t kMostElements = std::size_t{1} << 30;
  std::size_t done = 0;
  do {
    const std::size_t part = std::min(count - done, kMostElements);
    call(done, static_cast<int>(part));
    done += part;
  } while (done < count);
}

int as_count(std::size_t elements) {
  if (elements > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Unsupported(std::to_string(elements) + " elements in one part are more than MPI counts",
                      "give a smaller largest size: -e");
  }
  return static_cast<int>(elements);
}

std::vector<int> as_counts(const std::vector<std::size_t>& elements) {
  std::vector<int> counts;
  for (std::size_t each : elements) counts.push_back(as_count(each));
  return counts;
}

template <typename Work>
void MpiCollective::with_call(const Operation& operation, Work work) const {
  const MPI_Datatype type = mpi_type(operation.type);
  const MPI_Op op = mpi_op(operation.op);
  const MPI_Comm comm = communicator_;
  const std::size_t size = size_of(operation.type);
  const std::size_t elements = operation.layout.count;
  const int root = operation.root;
  const bool in_place = operation.in_place;
  const bool is_root = rank_ == root;
  const auto own = [in_place](std::byte* in) -> const void* { return in_place ? MPI_IN_PLACE : in; };
  using Place = std::byte*;
  switch (operation.kind) {
    case CollectiveKind::kAllReduce:
      return work([=](Place in, Place out) {
        in_parts(elements, [&](std::size_t done, int part) {
          const void* input = in_place ? MPI_IN_PLACE : in + done * size;
          mpi::check(MPI_Allreduce(input, out + done * size, part, type, op, comm), "MPI_Allreduce");
        });
      });
    case CollectiveKind::kReduce:
      return work([=](Place in, Place out) {
        in_parts(elements, [&](std::size_t done, int part) {
          const void* input = in_place && is_root ? MPI_IN_PLACE : in + done * size;
          mpi::check(MPI_Reduce(input, out + done * size, part, type, op, root, comm), "MPI_Reduce");
        });
      });
    case CollectiveKind::kBroadcast:
      return work([=](Place in, Place out) {
        in_parts(elements, [&](std::size_t done, int part) {
          mpi::check(MPI_Bcast((is_root ? in : out) + done * size, part, type, root, comm), "MPI_Bcast");
        });
      });
    case CollectiveKind::kSendReceive: {
      const int to = (rank_ + 1) % ranks_;
      const int from = (rank_ + ranks_ - 1) % ranks_;
      return work([=](Place in, Place out) {
        in_parts(elements, [&](std::size_t done, int part) {
          const int code =
              in_place ? MPI_Sendrecv_replace(out + done * size, part, type, to, 0, from, 0, comm, MPI_STATUS_IGNORE)
                       : MPI_Sendrecv(in + done * size, part, type, to, 0, out + done * size, part, type, from, 0, comm,
                                      MPI_STATUS_IGNORE);
          mpi::check(code, "MPI_Sendrecv");
        });
      });
    }
    case CollectiveKind::kAllGather: {
      const int count = as_count(elements);
      return work([=](Place in, Place out) {
        mpi::check(MPI_Allgather(own(in), count, type, out, count, type, comm), "MPI_Allgather");
      });
    }
    case CollectiveKind::kReduceScatter: {
      const int count = as_count(elements);
      return work([=](Place in, Place out) {
        mpi::check(MPI_Reduce_scatter_block(own(in), out, count, type, op, comm), "MPI_Reduce_scatter_block");
      });
    }
    case CollectiveKind::kAllToAll: {
      const int count = as_count(elements);
      return work([=](Place in, Place out) {
        mpi::check(MPI_Alltoall(own(in), count, type, out, count, type, comm), "MPI_Alltoall");
      });
    }
    case CollectiveKind::kAllToAllV: {
      const Parts parts = uneven_parts(operation, rank_);
      const std::vector<int> counts = as_counts(parts.counts);
      const std::vector<int> offsets = as_counts(parts.offsets);
      return work([=, &counts, &offsets](Place in, Place out) {
        mpi::check(
            MPI_Alltoallv(own(in), counts.data(), offsets.data(), type, out, counts.data(), offsets.data(), type, comm),
            "MPI_Alltoallv");
      });
    }
    case CollectiveKind::kGather: {
      const int count = as_count(elements);
      return work([=](Place in, Place out) {
        const void* input = in_place && is_root ? MPI_IN_PLACE : in;
        mpi::check(MPI_Gather(input, count, type, out, count, type, root, comm), "MPI_Gather");
      });
    }
    case CollectiveKind::kScatter: {
      const int count = as_count(elements);
      const std::size_t place = place_of_result(operation);
      return work([=](Place in, Place out) {
        void* output = in_place && is_root ? MPI_IN_PLACE : static_cast<void*>(out + place);
        mpi::check(MPI_Scatter(in, count, type, output, count, type, root, comm), "MPI_Scatter");
      });
    }
    case CollectiveKind::kHypercube: {
      const int count = as_count(elements * static_cast<std::size_t>(ranks_));
      const std::size_t part = elements * size;
      return work([=, this](Place in, Place out) {
        if (!in_place) std::memcpy(out + static_cast<std::size_t>(rank_) * part, in, part);
        pass_around_cube(out, part, count / ranks_, type);
      });
    }
  }
}

/// In each step a rank and the one across one more edge of the cube give each other all that they have.
void MpiCollective::pass_around_cube(std::byte* data, std::size_t part, int count, MPI_Datatype type) const {
  for (int edge = 1; edge < ranks_; edge *= 2) {
    const int mine = rank_ & ~(edge - 1);
    const int peer = rank_ ^ edge;
    mpi::check(MPI_Sendrecv(data + static_cast<std::size_t>(mine) * part, count * edge, type, peer, 0,
                            data + static_cast<std::size_t>(mine ^ edge) * part, count * edge, type, peer, 0,
                            communicator_, MPI_STATUS_IGNORE),
               "MPI_Sendrecv");
  }
}

}  // namespace

std::unique_ptr<Collective> make_mpi_collective(const MpiCollectiveSettings& settings) {
  return std::make_unique<MpiCollective>(settings.max_bytes, settings.misalignment, settings.communicator);
}

}  // namespace ringrun::worker
