#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringrun {

/// The lines of an --app file, each as the words of one program; blank lines and what follows `#` are left out, quotes
/// group words. Throws UserError with file and line for a quote without its end, and where there is no line at all.
std::vector<std::vector<std::string>> parse_app_file(std::string_view text, const std::string& file);

/// Throws UserError where it cannot be read.
std::vector<std::vector<std::string>> read_app_file(const std::string& path);

}  // namespace ringrun
