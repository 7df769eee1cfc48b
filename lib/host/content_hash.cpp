#include "lib/host/content_hash.hpp"

#include <fstream>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/unique_handle.hpp"

namespace ringrun {
namespace {

struct HashStateTraits {
  using Handle = XXH3_state_t*;
  static Handle null() noexcept { return nullptr; }
  static void release(Handle state) noexcept { XXH3_freeState(state); }
};

}  // namespace

struct ContentHash::State {
  UniqueHandle<HashStateTraits> handle{XXH3_createState()};
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) { XXH3_128bits_reset(state_->handle.get()); }
ContentHash::~ContentHash() = default;

void ContentHash::add(const void* data, std::size_t size) { XXH3_128bits_update(state_->handle.get(), data, size); }

std::string ContentHash::text() const {
  XXH128_canonical_t bytes{};
  XXH128_canonicalFromHash(&bytes, XXH3_128bits_digest(state_->handle.get()));
  constexpr const char* kDigits = "0123456789abcdef";
  std::string result;
  for (const unsigned char byte : bytes.digest) {
    result += kDigits[byte >> 4];
    result += kDigits[byte & 15];
  }
  return result;
}

std::string hash_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return {};
  ContentHash hash;
  std::vector<char> part(std::size_t{1} << 18);
  while (in.read(part.data(), static_cast<std::streamsize>(part.size())) || in.gcount() > 0)
    hash.add(part.data(), static_cast<std::size_t>(in.gcount()));
  return in.bad() ? "" : hash.text();
}

}  // namespace ringrun
