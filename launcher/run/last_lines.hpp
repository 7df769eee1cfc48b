#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringrun {

/// The last lines of a stream.
class LastLines {
 public:
  void feed(std::string_view text);

  /// At most 8, none of them blank or a record for the launcher, each cut at 300 bytes.
  std::vector<std::string> lines() const;

 private:
  std::string tail_;
  bool cut_ = false;  ///< it begins in the middle of a line
};

}  // namespace ringrun
