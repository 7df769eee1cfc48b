#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace ringrun {

/// A command whose output is wanted. `input` must outlive the call; it is written to its standard input, which stays
/// open until the command ends, unless `ends_input`.
struct CaptureCommand {
  std::vector<std::string> argv;
  std::string_view input;
  std::chrono::milliseconds deadline{std::chrono::seconds(10)};
  bool ends_input = false;
};

struct Captured {
  enum class End { exited, signalled, timed_out, not_started };
  End end = End::not_started;
  /// Exit code, signal, or errno of a command that did not start.
  int code = 0;
  /// At most the first 16 MiB.
  std::string out;
  std::string err;
};

/// Runs the commands, at most `at_once` at a time, each as the leader of a process group of its own; past its deadline
/// that group is killed. The results are in the order of the commands.
std::vector<Captured> capture_all(const std::vector<CaptureCommand>& commands, int at_once);

}  // namespace ringrun
