#pragma once

#include <string>

namespace ringrun::worker {

/// Throws UserError for a file of `option` that could not be written because of `error`, an errno.
[[noreturn]] void throw_unwritten(const std::string& option, const std::string& path, int error);

/// A file that gets its whole text at the end. Until all of that is on the disk, an older one of that name stays: the
/// new one is written beside it and renamed. What is no plain file (a device, a pipe) or is what this process prints
/// to, or lies where nothing can be put beside it, is written as it is.
class ReportFile {
 public:
  /// Throws UserError, naming `option`, where `path` could not be written.
  ReportFile(std::string option, std::string path);
  /// Once. Throws UserError where that fails; for a reader of a pipe it waits a few seconds.
  void write(const std::string& text) const;

 private:
  std::string option_;
  std::string path_;
  std::string target_;  ///< what a link of that name leads to
};

}  // namespace ringrun::worker
