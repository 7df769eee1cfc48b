#pragma once

#include <unistd.h>

#include <array>
#include <string>

namespace ringrun {

/// This host's own name, as the kernel has it ("b", "node01.cluster"); never fails.
inline std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Without its domain: "node01".
inline std::string short_host_name(const std::string& name) { return name.substr(0, name.find('.')); }

}  // namespace ringrun
