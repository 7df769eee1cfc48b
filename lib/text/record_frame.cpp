#include "lib/text/record_frame.hpp"

namespace ringrun {

std::string frame_text(const std::string& run_id, const std::string& json) {
  return std::string(kRecordBegin) + run_id + ":" + json + kRecordEnd + "\n";
}

}  // namespace ringrun
