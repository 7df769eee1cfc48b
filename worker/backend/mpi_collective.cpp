#include "worker/backend/mpi_collective.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <stdexcept>

#include "lib/mpi/check.hpp"
#include "lib/text/byte_size.hpp"
#include "worker/backend/host_elements.hpp"
#include "worker/exit_code.hpp"
#include "worker/sweep/buffer_slice.hpp"

namespace ringrun::worker {
namespace {

MPI_Datatype mpi_type(DataType type) {
  switch (type) {
    case DataType::kInt8:
      return MPI_INT8_T;
    case DataType::kUint8:
      return MPI_UINT8_T;
    case DataType::kInt32:
      return MPI_INT32_T;
    case DataType::kUint32:
      return MPI_UINT32_T;
    case DataType::kInt64:
      return MPI_INT64_T;
    case DataType::kUint64:
      return MPI_UINT64_T;
    case DataType::kFloat:
      return MPI_FLOAT;
    case DataType::kDouble:
      return MPI_DOUBLE;
    default:
      return MPI_DATATYPE_NULL;
  }
}

MPI_Op mpi_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
      return MPI_SUM;
    case ReduceOp::kProd:
      return MPI_PROD;
    case ReduceOp::kMax:
      return MPI_MAX;
    case ReduceOp::kMin:
      return MPI_MIN;
    default:
      return MPI_OP_NULL;
  }
}

/// Bytes that this host can still give, or the largest number where it does not say.
std::int64_t available_memory() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key; meminfo >> key;) {
    std::int64_t kibibytes = 0;
    if (key == "MemAvailable:" && meminfo >> kibibytes) return kibibytes * 1024;
    meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::numeric_limits<std::int64_t>::max();
}

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<std::byte[], Free>;

Buffer allocate(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t whole_pages = std::max(kPage, (bytes + kPage - 1) / kPage * kPage);
  Buffer buffer(static_cast<std::byte*>(std::aligned_alloc(kPage, whole_pages)));
  if (!buffer) throw std::bad_alloc();
  // Touched now, by the rank that uses it, so that no page fault falls into a measurement.
  std::memset(buffer.get(), 0, whole_pages);
  return buffer;
}

class MpiCollective : public Collective {
 public:
  explicit MpiCollective(std::size_t max_bytes)
      : max_bytes_(max_bytes), send_(allocate(max_bytes)), receive_(allocate(max_bytes)) {
    mpi::check(MPI_Comm_size(MPI_COMM_WORLD, &ranks_), "MPI_Comm_size");
    mpi::check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
  }

  int ranks() const override { return ranks_; }

  std::optional<std::string> refusal(DataType type, ReduceOp op) const override {
    if (mpi_type(type) == MPI_DATATYPE_NULL) return "MPI has no element type " + std::string(name_of(type));
    if (mpi_op(op) == MPI_OP_NULL) return "MPI has no reduction " + std::string(name_of(op));
    return std::nullopt;
  }

  void run(const Operation& operation, int iterations, int aggregate) override {
    for (int i = 0; i < iterations; ++i) {
      const std::size_t offset = slice_offset(max_bytes_, operation.bytes(), i);
      for (int j = 0; j < aggregate; ++j) all_reduce(operation, offset);
    }
  }

  std::vector<WrongElements> verify(const Operation& operation, std::uint32_t seed) override {
    const Pattern pattern = make_pattern(operation.type, operation.op, ranks_, seed);
    std::byte* input = operation.in_place ? receive_.get() : send_.get();
    fill_contribution(input, operation.type, pattern, rank_, operation.count);
    if (!operation.in_place) fill_wrong(receive_.get(), operation.type, pattern, operation.count);
    all_reduce(operation, 0);
    return {compare_with_result(receive_.get(), operation.type, pattern, rank_, operation.count)};
  }

  void finish() override {}

 private:
  void all_reduce(const Operation& operation, std::size_t offset) {
    // MPI counts elements in an int; beyond that the buffer is reduced in parts.
    constexpr std::size_t kMostElements = std::size_t{1} << 30;
    std::size_t done = 0;
    do {
      const std::size_t part = std::min(operation.count - done, kMostElements);
      std::byte* result = receive_.get() + offset + done * size_of(operation.type);
      const void* input = operation.in_place ? MPI_IN_PLACE : send_.get() + offset + done * size_of(operation.type);
      mpi::check(MPI_Allreduce(input, result, static_cast<int>(part), mpi_type(operation.type), mpi_op(operation.op),
                               MPI_COMM_WORLD),
                 "MPI_Allreduce");
      done += part;
    } while (done < operation.count);
  }

  std::size_t max_bytes_;
  Buffer send_;
  Buffer receive_;
  int ranks_ = 1;
  int rank_ = 0;
};

}  // namespace

std::unique_ptr<Collective> make_mpi_collective(std::size_t max_bytes, int local_size) {
  const double wanted = 2.0 * static_cast<double>(max_bytes) * local_size;
  const std::int64_t available = available_memory();
  if (wanted > 0.9 * static_cast<double>(available)) {
    throw Unsupported("two buffers of " + format_byte_size(static_cast<std::int64_t>(max_bytes)) + " for each of " +
                          std::to_string(local_size) + " ranks do not fit into this host's free memory (" +
                          std::to_string(available >> 20) + "M)",
                      "give a smaller largest size: -e");
  }
  return std::make_unique<MpiCollective>(max_bytes);
}

}  // namespace ringrun::worker
