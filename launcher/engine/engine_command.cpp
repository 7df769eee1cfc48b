#include "launcher/engine/engine_command.hpp"

#include <stdexcept>

#include "launcher/engine/host_directory.hpp"
#include "launcher/engine/openmpi.hpp"
#include "launcher/engine/srun.hpp"
#include "lib/error.hpp"

namespace ringrun {

namespace {

/// What the kernel lets one argument or variable have, with its end (MAX_ARG_STRLEN).
constexpr std::size_t kMostBytes = std::size_t{128} << 10;
/// All together may have 2 MiB where the stack is of the usual 8 (ulimit -s).
constexpr std::size_t kMostPlan = std::size_t{3} << 19;

[[noreturn]] void reject(const std::string& what, std::size_t bytes, std::size_t hosts,
                         const std::string& limit = std::to_string(kMostBytes - 1) + " in one argument or variable") {
  throw UserError(what + " of " + std::to_string(hosts) + " hosts would be " + std::to_string(bytes) +
                      " bytes long; a program can be started with " + limit,
                  "start fewer hosts in one job; names that count upwards (n0001, n0002, …) and hosts that are alike "
                  "and stand together take little");
}

/// The kernel would say no more than that the list is too long.
void check_lengths(const EngineCommand& command, const EngineRequest& request) {
  for (const std::string& word : command.argv) {
    const bool hosts = word.size() >= kMostBytes && request.hosts.size() > 1;
    if (hosts) reject("the engine's list", word.size(), request.hosts.size());
  }
  for (const auto& [name, value] : command.set) {
    const std::size_t bytes = name.size() + 1 + value.size();
    if (bytes < kMostBytes) continue;
    reject(name == kHostsVariable ? "the list for the remote shell (RINGRUN_HOSTS)" : name, bytes,
           request.hosts.size());
  }
  if (request.plan.size() > kMostPlan)
    reject("the plan for the ranks", request.plan.size(), request.hosts.size(), std::to_string(kMostPlan) + " of it");
}

EngineCommand unchecked_command(const EngineRequest& request, const Environment& environment) {
  switch (request.engine.kind) {
    case EngineKind::openmpi4:
    case EngineKind::openmpi5:
      return openmpi_command(request, environment);
    case EngineKind::slurm:
      return srun_command(request, environment);
  }
  throw std::logic_error("an engine without a command");
}

}  // namespace

EngineCommand engine_command(const EngineRequest& request, const Environment& environment) {
  EngineCommand command = unchecked_command(request, environment);
  check_lengths(command, request);
  return command;
}

}  // namespace ringrun
