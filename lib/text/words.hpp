#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringrun {

/// The pieces between separators, empty ones too; at least one.
std::vector<std::string> split_text(std::string_view text, char separator);

/// The pieces with `separator` between them.
std::string join_text(const std::vector<std::string>& pieces, std::string_view separator);

std::string lower_case(std::string text);

}  // namespace ringrun
