#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringrun {

/// "node[01-03,20]" as node01, node02, node03, node20; several brackets multiply; a name without brackets is itself.
/// Widths of numbers are kept. Throws UserError, whose problem quotes the text, and for more than 100,000 names.
std::vector<std::string> expand_name(std::string_view pattern);

/// The reverse, for names that no bracket is in: those that follow each other and count upwards are one word. What
/// expand_name makes of the words, one after another, are the names in their order.
std::vector<std::string> fold_names(const std::vector<std::string>& names);

/// Splits at commas that stand outside brackets.
std::vector<std::string> split_list(std::string_view text);

}  // namespace ringrun
