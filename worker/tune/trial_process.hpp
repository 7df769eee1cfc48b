#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lib/descriptor.hpp"

namespace ringrun::worker {

/// The argument that makes the worker the process of a trial, which talks through this descriptor.
inline constexpr const char* kTrialArgument = "__trial";
inline constexpr int kTrialDescriptor = 3;

/// Variables and their new values; nothing: it is taken out.
using EnvironmentChanges = std::vector<std::pair<std::string, std::optional<std::string>>>;

/// A process with an environment of its own, for what a process reads of its environment only once. It gets lines and
/// answers with lines, and ends with this one. What it prints is kept apart.
class TrialProcess {
 public:
  /// Starts `command`, whose first word is a path. Throws SystemError.
  TrialProcess(const std::vector<std::string>& command, const EnvironmentChanges& changes);
  /// Ends it, whatever it does, and returns when it is gone.
  ~TrialProcess();
  TrialProcess(const TrialProcess&) = delete;
  TrialProcess& operator=(const TrialProcess&) = delete;

  /// Without an effect where it has ended.
  void send(const std::string& line) const;

  struct Ended {
    std::string how;  ///< "ended by signal 11 (Segmentation fault)"
  };
  struct TimedOut {};
  struct Stopped {};
  /// Its next line, or why there is none until `deadline`. `stop` is asked again and again meanwhile.
  std::variant<std::string, Ended, TimedOut, Stopped> next_line(std::chrono::steady_clock::time_point deadline,
                                                                const std::function<bool()>& stop);

  /// Asks it to end, which closing the line does, and waits for that a moment.
  void end();

  /// What it has printed: the begin and the end, where it is long.
  std::string said();

  pid_t pid() const { return pid_; }

 private:
  void read_said();
  std::string how_it_ended();
  bool reap(std::chrono::milliseconds within);

  pid_t pid_ = 0;
  bool reaped_ = false;
  int status_ = 0;
  Descriptor line_;
  Descriptor output_;
  std::string received_;
  std::string said_;
};

/// This process's environment with the changes, as "NAME=VALUE".
std::vector<std::string> changed_environment(const EnvironmentChanges& changes);

}  // namespace ringrun::worker
