#include "worker/backend/host_elements.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "worker/sweep/expected.hpp"

namespace ringrun::worker {
namespace {

/// Calls `work` with a null pointer of the C++ type.
template <typename Work>
auto with_type(DataType type, Work work) {
  switch (type) {
    case DataType::kInt8:
      return work(static_cast<std::int8_t*>(nullptr));
    case DataType::kUint8:
      return work(static_cast<std::uint8_t*>(nullptr));
    case DataType::kInt32:
      return work(static_cast<std::int32_t*>(nullptr));
    case DataType::kUint32:
      return work(static_cast<std::uint32_t*>(nullptr));
    case DataType::kInt64:
      return work(static_cast<std::int64_t*>(nullptr));
    case DataType::kUint64:
      return work(static_cast<std::uint64_t*>(nullptr));
    case DataType::kFloat:
      return work(static_cast<float*>(nullptr));
    case DataType::kDouble:
      return work(static_cast<double*>(nullptr));
    default:
      throw std::invalid_argument("host memory has no elements of type " + std::string(name_of(type)));
  }
}

}  // namespace

void fill_contribution(void* data, DataType type, const Pattern& pattern, int rank, std::size_t count) {
  with_type(type, [&]<typename T>(T*) {
    T* elements = static_cast<T*>(data);
    for (std::size_t i = 0; i < count; ++i) elements[i] = static_cast<T>(contribution(pattern, rank, i));
  });
}

void fill_wrong(void* data, DataType type, const Pattern& pattern, const std::vector<Segment>& result) {
  with_type(type, [&]<typename T>(T*) {
    for (const Segment& segment : result) {
      T* elements = static_cast<T*>(data) + segment.begin;
      for (std::size_t i = 0; i < segment.count; ++i) {
        if constexpr (std::is_floating_point_v<T>) {
          elements[i] = std::numeric_limits<T>::quiet_NaN();
        } else {
          elements[i] = static_cast<T>(expected_value(pattern, segment.source, segment.source_begin + i) + 1);
        }
      }
    }
  });
}

WrongElements compare_with_result(const void* data, DataType type, const Pattern& pattern,
                                  const std::vector<Segment>& result, int rank) {
  WrongElements wrong;
  wrong.rank = rank;
  with_type(type, [&]<typename T>(T*) {
    for (const Segment& segment : result) {
      const T* elements = static_cast<const T*>(data) + segment.begin;
      for (std::size_t i = 0; i < segment.count; ++i) {
        if (elements[i] == static_cast<T>(expected_value(pattern, segment.source, segment.source_begin + i))) continue;
        if (wrong.count++ > 0) continue;
        wrong.first_index = segment.begin + i;
        wrong.expected = expected_text(pattern, result, wrong.first_index);
        if constexpr (std::is_floating_point_v<T>) {
          wrong.got = element_text(static_cast<double>(elements[i]));
        } else {
          wrong.got = std::to_string(elements[i]);
        }
      }
    }
  });
  return wrong;
}

}  // namespace ringrun::worker
