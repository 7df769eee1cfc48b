#pragma once

namespace ringrun {

/// `ringrun __agent`: answers the requests on standard input, one line each, on standard output, until its end. It
/// listens only between a request to do so and its own end. Returns the exit code.
int run_agent();

}  // namespace ringrun
