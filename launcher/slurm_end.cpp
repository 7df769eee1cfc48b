#include "launcher/slurm_end.hpp"

#include "launcher/engine/slurm_steps.hpp"
#include "launcher/probe/remote_shell.hpp"
#include "launcher/run/capture.hpp"
#include "launcher/run/leftover_daemons.hpp"
#include "lib/text/shell_word.hpp"

namespace ringrun {

void end_slurm_ranks(const LaunchContext& context, const Job& job) {
  constexpr std::chrono::seconds kPatience{5};
  constexpr int kAtOnce = 64;
  const std::string& run_id = job.plan.rendezvous.run_id;
  // Slurm may have forgotten the step and, with proctrack/linuxproc, a process whose parent ended while it looked. That
  // costs nothing to find on this host; on others, once the step is over, Slurm may let nobody in any more.
  const bool lasts = has_slurm_step(context.allocation->job, run_id, context.environment);
  std::vector<CaptureCommand> commands;
  for (const JobHost& host : job.hosts) {
    if (!lasts && !host.answer.local) continue;
    const std::string& program = host.answer.staged.empty() ? context.ringrun : host.answer.staged;
    const std::vector<std::string> words =
        host.answer.local ? std::vector<std::string>{program, "__end", run_id, kRanksAlone}
                          : remote_command(context.shell, host.host,
                                           {"exec", quote_for_shell(program), "__end", run_id, kRanksAlone});
    commands.push_back({words, "", kPatience, !host.answer.local});
  }
  capture_all(commands, kAtOnce);
}

}  // namespace ringrun
