#pragma once

#include <cerrno>
#include <cstring>
#include <ostream>
#include <string>

#include "lib/error.hpp"

namespace ringrun {

/// Hosts or the network are at fault, not the command line: exit code 3.
class HostError : public UserError {
 public:
  using UserError::UserError;
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

/// What goes to a full disk is not printed: throws SystemError, else returns exit code 0.
inline int printed(std::ostream& out) {
  if (out.flush()) return 0;
  throw SystemError("write to standard output", std::strerror(errno), errno);
}

}  // namespace ringrun
