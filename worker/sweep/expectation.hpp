#pragma once

#include <optional>
#include <string>

namespace ringrun::worker {

/// How a library says that it does an operation. Empty, and 0, where it does not say.
struct LibraryChoice {
  std::string algorithm;  ///< NCCL's word: "RING", "TREE", "NVLS", …; "SEND_RECV" where it was sends and receives
  std::string protocol;   ///< "LL", "LL128", "SIMPLE"
  int channels = 0;
  double estimated_seconds = 0;  ///< of one operation, by NCCL's own model
};

/// What a measurement can be held against.
struct Expectation {
  LibraryChoice choice;
  std::optional<double> ceiling;  ///< GB/s of bus bandwidth that the path allows; nothing: unknown
  double reached = 0;             ///< of the ceiling, as a share
  bool impossible = false;        ///< what was measured is no transfer over this path
  std::string remark;             ///< why it is impossible, or looks so; else empty
};

}  // namespace ringrun::worker
