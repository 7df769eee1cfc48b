#pragma once

#include <string>

namespace ringrun {

/// The build id that the linker gave the running program, in hexadecimal; "" where it gave none.
std::string own_build_id();

}  // namespace ringrun
