#pragma once

#include <string>

namespace ringrun {

/// The build id that the linker gave the running program, in hexadecimal; "" where it gave none.
std::string own_build_id();

/// That of a program file of this machine's kind; "" for any other file, and where the linker gave it none.
std::string build_id_of(const std::string& path);

}  // namespace ringrun
