#include "launcher/launch_context.hpp"

#include <filesystem>

namespace ringrun {

bool LaunchContext::is_worker() const {
  return !program.empty() && std::filesystem::path(program[0]).filename() == "worker";
}

}  // namespace ringrun
