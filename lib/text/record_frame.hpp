#pragma once

#include <string>
#include <string_view>

namespace ringrun {

/// Between these stands in a job's standard error what its processes tell the launcher, which takes it out.
inline constexpr std::string_view kRecordBegin = "\x02ringrun:";
inline constexpr char kRecordEnd = '\x03';

/// Set for a rank whose launcher shows its progress: the run's id.
inline constexpr const char* kProgressVariable = "RINGRUN_PROGRESS";

/// The record as it stands in the stream. `json` has no control character.
std::string frame_text(const std::string& run_id, const std::string& json);

}  // namespace ringrun
