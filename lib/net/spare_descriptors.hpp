#pragma once

namespace ringrun {

/// How many descriptors one half of a ProbeEndpoint may take of what the process has left.
int spare_descriptors();

/// Whether a socket was refused for want of something that another one may give back.
bool is_exhaustion(int error);

}  // namespace ringrun
