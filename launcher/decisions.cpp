#include "launcher/decisions.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ostream>

#include "lib/error.hpp"
#include "lib/text/words.hpp"

namespace ringrun {

void report_decisions(std::ostream& err, const LaunchContext& context, const Job& job, const NetworkSettings& settings,
                      const std::string& engine_line) {
  std::vector<std::string> warnings = context.exports.warnings;
  for (const Host& host : context.hosts) warnings.insert(warnings.end(), host.warnings.begin(), host.warnings.end());
  warnings.insert(warnings.end(), job.warnings.begin(), job.warnings.end());
  for (const std::string& warning : warnings) {
    if (!context.request.quiet) err << "ringrun: warning: " << warning << "\n";
  }
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

void say_copied(std::ostream& err, const LaunchRequest& request, const std::map<std::string, CopiedFile>& copied) {
  constexpr std::size_t kMostNames = 4;
  for (const auto& [name, file] : copied) {
    if (request.quiet) continue;
    const std::size_t shown = std::min(file.hosts.size(), kMostNames);
    err << "ringrun: copied " << name << " (" << (file.bytes + 1023) / 1024 << "K) to "
        << join_text({file.hosts.begin(), file.hosts.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ");
    if (file.hosts.size() > shown) err << " and " << file.hosts.size() - shown << " more";
    err << "\n";
  }
}

void report_pid(const Streams& streams, const std::string& where) {
  const pid_t pid = getpid();
  if (where == "-") {
    streams.out << pid << "\n";
  } else if (where == "+") {
    streams.err << pid << std::endl;
  } else if (!(std::ofstream(where) << pid << "\n").flush()) {
    throw UserError("--report-pid " + where + " cannot be written: " + std::strerror(errno), "name another file");
  }
}

}  // namespace ringrun
