#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/unit/explain_situation.hpp"

namespace ringrun::test {

/// One deviation from two healthy hosts, and the only new finding that it makes.
struct Case {
  std::string id;
  Transport transport = Transport::nccl;
  Severity severity = Severity::error;
  std::string evidence;  ///< a part of it
  std::string fix;       ///< a part of it
  std::function<void(Situation&)> deviate;
};

std::vector<Case> wsl2_and_container_cases();
std::vector<Case> interface_and_network_cases();
std::vector<Case> version_and_gpu_cases();
std::vector<Case> launcher_and_slow_cases();

}  // namespace ringrun::test
