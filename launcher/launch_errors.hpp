#pragma once

#include <string>
#include <vector>

#include "lib/error.hpp"

namespace ringrun {

/// Hosts or the network are at fault, not the command line: exit code 3.
class HostError : public UserError {
 public:
  using UserError::UserError;

  /// `faults` has one entry a host, "name: cause" and a remedy in lines of its own.
  HostError(const std::vector<std::string>& faults, std::size_t asked)
      : UserError(std::to_string(faults.size()) + " of " + std::to_string(asked) + (asked == 1 ? " host" : " hosts") +
                      " cannot be used",
                  list(faults)) {}

 private:
  static std::string list(const std::vector<std::string>& faults) {
    std::string text;
    for (const std::string& fault : faults) text += (text.empty() ? "" : "\n  ") + fault;
    return text;
  }
};

/// A program that cannot be started: exit code 126 where it is not executable, 127 where it is not there.
class ProgramError : public UserError {
 public:
  ProgramError(int exit_code, const std::string& problem, std::string remedy)
      : UserError(problem, std::move(remedy)), exit_code_(exit_code) {}
  int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

}  // namespace ringrun
