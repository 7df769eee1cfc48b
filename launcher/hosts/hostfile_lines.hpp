#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringrun {

/// One line of a hostfile with its comments taken off. `attributes` is what stands behind "#:", which the engine takes
/// for a comment; `number` counts from 1.
struct HostfileLine {
  int number = 0;
  std::string text;
  std::string attributes;
  bool has_attributes = false;
};

/// Takes off a byte order mark, carriage returns, and comments of the forms `#`, `//` and `/* */` (over lines too).
/// Throws UserError, with `file` and line, where a comment has no end: the hosts behind it would be lost.
std::vector<HostfileLine> split_hostfile(std::string_view content, const std::string& file);

/// `name=value` pairs, blanks around the sign allowed, and words that stand alone (`value` unset). Values may be quoted
/// where `quotes` is true. Throws UserError whose problem begins with `where`.
struct HostfileWord {
  std::string name;
  std::string value;
  bool has_value = false;
};
std::vector<HostfileWord> split_words(std::string_view text, const std::string& where, bool quotes);

}  // namespace ringrun
