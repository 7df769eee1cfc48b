#pragma once

#include <string>

namespace ringrun::worker {

/// A report that can be ended early, from any thread, at any time.
class PartialReport {
 public:
  virtual ~PartialReport() = default;
  /// Tells what was measured so far, marked as partial, and why. What comes later is dropped.
  virtual void finish_partial(const std::string& why) = 0;
};

}  // namespace ringrun::worker
