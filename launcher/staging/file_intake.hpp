#pragma once

#include <cstdint>
#include <filesystem>

#include "launcher/staging/copy_intake.hpp"

namespace ringrun {

/// What follows a request, of which so many bytes belong to it.
class SentBytes {
 public:
  SentBytes(const ReadBytes& read, std::uint64_t bytes) : read_(read), left_(bytes) {}

  /// Throws UserError where fewer come.
  void read(char* to, std::size_t size);
  /// Reads what nobody took, so that the next request is found behind it.
  void skip_rest();

 private:
  const ReadBytes& read_;
  std::uint64_t left_;
};

/// Writes the next of the sent files to `path`, a new file. Throws SystemError, UserError where its content is not the
/// one that was announced.
void take_file(const CopyFile& file, const std::filesystem::path& path, unsigned mode, SentBytes& sent);

}  // namespace ringrun
