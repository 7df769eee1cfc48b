#pragma once

#include <cstddef>
#include <cstdint>

#include "worker/report/table.hpp"

namespace ringrun::worker {

inline Row row_of(std::size_t count, double out_of_place_us, double in_place_us, int ranks = 1) {
  Row row;
  row.operation.ranks = ranks;
  row.operation = operation_of(row.operation, static_cast<std::int64_t>(count * sizeof(float)));
  row.out_of_place.seconds = out_of_place_us * 1e-6;
  row.in_place.seconds = in_place_us * 1e-6;
  for (Measurement* measured : {&row.out_of_place, &row.in_place}) {
    measured->bandwidth = bandwidth_of(row.operation, measured->seconds);
    measured->wrong = 0;
  }
  return row;
}

inline TableHead head_of_one_gpu() {
  TableHead head;
  head.versions = "nccl-headers=22809 nccl-library=22809";
  head.smallest = 8;
  head.largest = 134217728;
  head.factor = 2;
  head.devices = {{0, 0, 1271, "vm", "device  0 [0000:00:06] NVIDIA H200"}};
  return head;
}

}  // namespace ringrun::worker
