#include "lib/explain/program_needs.hpp"

#include "lib/explain/host_queries.hpp"

namespace ringrun {
namespace {

std::string too_old(const std::string& what, const std::string& needs, const std::string& has, int parts) {
  if (needs.empty() || has.empty() || compare_versions(has, needs, parts) >= 0) return {};
  return "needs " + what + " " + needs + ", the host has " + has;
}

}  // namespace

std::string unmet_need(const ProgramFacts& program, const HostFacts& host) {
  const std::string& machine = host.system.architecture;
  if (!program.machine.empty() && !machine.empty() && program.machine != machine)
    return "is built for " + program.machine + ", the host is " + machine;
  const std::string libc = too_old("GLIBC", program.needs_glibc, host.software.glibc, 2);
  return libc.empty() ? too_old("GLIBCXX", program.needs_glibcxx, host.software.glibcxx, 3) : libc;
}

}  // namespace ringrun
