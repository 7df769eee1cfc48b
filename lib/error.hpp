#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

namespace ringrun {

/// Something that the person who typed the command can mend. Printed without file and line.
class UserError : public std::runtime_error {
 public:
  /// `problem` is one line that names the file, line, host, rank or option; `remedy` says what to do, and may be empty
  /// where the problem says it.
  explicit UserError(const std::string& problem, std::string remedy = {})
      : std::runtime_error(problem), remedy_(std::move(remedy)) {}

  const std::string& remedy() const noexcept { return remedy_; }

 private:
  std::string remedy_;
};

/// A call of a foreign library or of the kernel that failed where it should not have.
class SystemError : public std::runtime_error {
 public:
  /// `call` is the call as written, `text` the callee's own words for the code, `code` what it returned.
  SystemError(const std::string& call, const std::string& text, int code,
              std::source_location where = std::source_location::current())
      : std::runtime_error(call + ": " + text + " (" + std::to_string(code) + "), " + where.file_name() + ":" +
                           std::to_string(where.line())),
        code_(code) {}

  int code() const noexcept { return code_; }

 private:
  int code_;
};

}  // namespace ringrun
