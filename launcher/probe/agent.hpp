#pragma once

#include <iosfwd>

namespace ringrun {

/// What begins the one line that the agent answers; a login's own chatter may stand in lines before it.
inline constexpr const char* kAnswerMark = "RINGRUN-FACTS ";

/// `ringrun __agent`: reads one question line, answers with one line of facts. Returns the exit code.
int run_agent(std::istream& in, std::ostream& out);

}  // namespace ringrun
