#include "lib/explain/situation.hpp"

namespace ringrun {

std::optional<std::string> rank_variable(const HostView& host, const std::string& name) {
  if (const auto said = host.environment.find(name); said != host.environment.end()) return said->second;
  const auto& shell = host.facts.configuration.environment;
  if (const auto found = shell.find(name); found != shell.end()) return found->second;
  return std::nullopt;
}

}  // namespace ringrun
