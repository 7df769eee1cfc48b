#pragma once

#include <string>

namespace ringrun {

/// The word as a POSIX shell must read it: in single quotes where it has anything that a shell takes for its own.
std::string quote_for_shell(const std::string& word);

}  // namespace ringrun
