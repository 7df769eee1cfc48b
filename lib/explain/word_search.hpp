#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ringrun {

/// Finds which of many words a text contains, in any case, in one pass over it (after Aho and Corasick): the time does
/// not depend on how many words there are.
class WordSearch {
 public:
  static constexpr std::size_t kMostWords = 128;
  /// Bit i: word i is there.
  using Found = std::bitset<kMostWords>;

  /// The words are in lower case, not empty, and at most kMostWords. Throws std::invalid_argument.
  explicit WordSearch(const std::vector<std::string_view>& words);

  Found find(std::string_view text) const;

 private:
  static constexpr std::uint16_t kHit = 0x8000;  // of a transition: its target ends a word

  std::array<std::uint8_t, 256> letter_{};  // 0: in no word
  std::size_t letters_ = 1;
  std::vector<std::uint16_t> next_;  // state * letters_ + letter
  std::vector<Found> ends_;          // by state
};

}  // namespace ringrun
