#include "launcher/decisions.hpp"

#include <ostream>

namespace ringrun {

void report_decisions(std::ostream& err, const LaunchContext& context, const Job& job, const NetworkSettings& settings,
                      const std::string& engine_line) {
  for (const Host& host : context.hosts) {
    for (const std::string& warning : host.warnings) err << "ringrun: warning: " << warning << "\n";
  }
  for (const std::string& warning : context.exports.warnings) err << "ringrun: warning: " << warning << "\n";
  for (const std::string& warning : job.warnings) err << "ringrun: warning: " << warning << "\n";
  if (!context.request.verbose || context.request.dry_run) return;
  const Engine& engine = context.engine;
  err << "ringrun: " << (engine.kind == EngineKind::slurm ? "Slurm " : "Open MPI ") << engine.version << ", "
      << engine.path << "\n";
  for (const std::string& chosen : settings.lines) err << "ringrun: " << chosen << "\n";
  for (const auto& [name, value] : context.exports.forwarded)
    err << "ringrun: forwards " << name << "=" << value << "\n";
  err << "ringrun: MASTER_ADDR=" << job.plan.rendezvous.address << " MASTER_PORT=" << job.plan.rendezvous.port << "\n";
  err << "ringrun: " << engine_line << "\n";
}

}  // namespace ringrun
