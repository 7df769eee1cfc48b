#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ringrun {

/// The remote shell to a host, by its place in the plan: it runs the daemon's command now (`code` empty), or has ended
/// with this code (128 + signal).
struct ShellRecord {
  int host = 0;
  std::optional<int> code;
  bool operator==(const ShellRecord&) const = default;
};

/// A rank's wrapper runs.
struct StartRecord {
  int rank = 0;
  int host = 0;
  /// Of the host's own clock, us.
  std::int64_t time = 0;
  bool operator==(const StartRecord&) const = default;
};

/// How a rank ended: by `signal`, or where that is 0 with `code`; or it never began (`error`, an errno of starting
/// `program`).
struct EndRecord {
  int rank = 0;
  /// The name that the host has for itself.
  std::string host;
  int gpu = -1;
  int pid = 0;
  int code = 0;
  int signal = 0;
  bool core = false;
  int error = 0;
  std::string program;
  /// The engine had told it to end: a consequence, not a cause.
  bool told = false;
  /// When the program ended, of the host's own clock, us.
  std::int64_t time = 0;
  /// Its last lines on standard error.
  std::vector<std::string> lines;
  bool operator==(const EndRecord&) const = default;
};

/// How far the job is, in a program's own words; "" where that is not to be shown any more.
struct ProgressRecord {
  std::string text;
  bool operator==(const ProgressRecord&) const = default;
};

/// What ranks and remote shells tell the launcher in the job's standard error, where nothing else passes.
using Record = std::variant<ShellRecord, StartRecord, EndRecord, ProgressRecord>;

/// A record is written at once, and a pipe keeps no more together.
inline constexpr std::size_t kMostRecord = 4000;

/// srun cuts its tasks' output into pieces of 1,024 bytes (22.05).
inline constexpr std::size_t kMostSlurmRecord = 1000;

/// The record of job `run_id` as it stands in the stream: at most `most` bytes, for which lines are left out.
std::string frame_record(const std::string& run_id, const Record& record, std::size_t most = kMostRecord);

/// From what stands between the run's id and the end; nullopt where it is none.
std::optional<Record> parse_record(std::string_view json);

/// The code of a rank's end as a shell counts: 126 or 127 where it never began.
int exit_code_of(const EndRecord& record);

}  // namespace ringrun
