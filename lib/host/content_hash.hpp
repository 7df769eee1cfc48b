#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace ringrun {

/// Of bytes that come in pieces: 128 bits, in 32 hexadecimal digits. It tells contents apart, and is no defence against
/// somebody who makes two that are alike.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;

  void add(const void* data, std::size_t size);
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Of a whole file; "" where it cannot be read to its end.
std::string hash_of_file(const std::filesystem::path& file);

}  // namespace ringrun
