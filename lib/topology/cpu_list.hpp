#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringrun {

/// "0-3,8,10-11" of CPU numbers in any order; "" of none.
std::string format_cpu_list(std::vector<int> cpus);

/// The reverse. Throws UserError where the text is no such list.
std::vector<int> parse_cpu_list(std::string_view text);

}  // namespace ringrun
