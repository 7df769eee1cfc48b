#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/cli/launch_request.hpp"

namespace ringrun {

/// The groups of the help, in its order.
enum class Topic { ranks, mapping, environment, output, running, ringrun, engine };

/// Where an option's words go: it speaks of the whole job, or of the program that it stands before.
struct OptionTarget {
  LaunchRequest& job;
  ProgramRequest& program;
};

using Values = std::vector<std::string>;

/// One option: everything that parsing, help, completion and error messages know of it.
struct OptionRow {
  /// As typed; the first is the name in messages.
  std::vector<std::string> spellings;
  /// Words that follow: 0, 1 or 2.
  int arity = 0;
  /// What the words stand for in the help, "N", "NAME VALUE".
  std::string values;
  std::string help;
  /// The words of a right use.
  Values example;
  std::function<void(OptionTarget, const Values&)> apply;
  Topic topic = Topic::engine;
};

using OptionRows = std::vector<OptionRow>;

}  // namespace ringrun
