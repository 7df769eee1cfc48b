#include "lib/explain/word_search.hpp"

#include <deque>
#include <stdexcept>

namespace ringrun {
namespace {

unsigned char upper(char letter) {
  return static_cast<unsigned char>(letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter);
}

}  // namespace

WordSearch::WordSearch(const std::vector<std::string_view>& words) {
  std::size_t most_states = 1;
  for (const std::string_view word : words) {
    most_states += word.size();
    if (word.empty()) throw std::invalid_argument("an empty word is in every text");
    for (const char letter : word) {
      std::uint8_t& known = letter_[static_cast<unsigned char>(letter)];
      if (known == 0) known = static_cast<std::uint8_t>(letters_++);
      letter_[upper(letter)] = known;
    }
  }
  if (words.size() > kMostWords || most_states >= kHit) throw std::invalid_argument("too many words");

  // The tree of the words; 0 is its root and, so far, "no such way".
  next_.assign(letters_, 0);
  ends_.resize(1);
  for (std::size_t word = 0; word < words.size(); ++word) {
    std::size_t state = 0;
    for (const char letter : words[word]) {
      const std::size_t way = state * letters_ + letter_[static_cast<unsigned char>(letter)];
      if (next_[way] == 0) {
        next_[way] = static_cast<std::uint16_t>(ends_.size());
        ends_.emplace_back();
        next_.resize(ends_.size() * letters_, 0);
      }
      state = next_[way];
    }
    ends_[state].set(word);
  }

  // Breadth first: where a state has no way, it goes where its longest proper suffix in the tree goes.
  std::vector<std::size_t> suffix(ends_.size(), 0);
  std::deque<std::size_t> todo;
  for (std::size_t letter = 0; letter < letters_; ++letter) {
    if (next_[letter] != 0) todo.push_back(next_[letter]);
  }
  while (!todo.empty()) {
    const std::size_t state = todo.front();
    todo.pop_front();
    ends_[state] |= ends_[suffix[state]];
    for (std::size_t letter = 0; letter < letters_; ++letter) {
      std::uint16_t& way = next_[state * letters_ + letter];
      const std::uint16_t fallback = next_[suffix[state] * letters_ + letter];
      if (way == 0) {
        way = fallback;
        continue;
      }
      suffix[way] = fallback;
      todo.push_back(way);
    }
  }
  for (std::uint16_t& way : next_) {
    if (ends_[way].any()) way = static_cast<std::uint16_t>(way | kHit);
  }
}

WordSearch::Found WordSearch::find(std::string_view text) const {
  Found found;
  std::size_t state = 0;
  for (const char letter : text) {
    const std::uint16_t way = next_[state * letters_ + letter_[static_cast<unsigned char>(letter)]];
    state = way & static_cast<std::uint16_t>(~kHit);
    if ((way & kHit) != 0) found |= ends_[state];
  }
  return found;
}

}  // namespace ringrun
