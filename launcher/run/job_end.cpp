#include "launcher/run/job_end.hpp"

#include <algorithm>
#include <csignal>

#include "launcher/run/failure_report.hpp"

namespace ringrun {
namespace {

constexpr int kHostOrNetwork = 3;
constexpr int kTimeout = 124;
// How Open MPI 4.1 ends when the connection to a daemon breaks (measured).
constexpr int kLostDaemon = 205;

JobVerdict judge_engine(const JobEnd& end, const RankLedger& ranks, std::string_view recent) {
  JobVerdict verdict;
  if (end.engine.code == 0 && end.engine.signal == 0) {
    if (!ranks.none_ended()) return verdict;
    // Open MPI 5.0.7 ends so where a remote shell, or the daemon in it, is told to end.
    verdict.exit_code = kHostOrNetwork;
    verdict.lines.push_back((end.lost_node.empty() ? std::string("mpirun's daemon on some host") : end.lost_node) +
                            " ended before the ranks, and they with it\n");
    return verdict;
  }
  const bool none_failed_first = !ranks.any_failed() || ranks.failures().front().signal == SIGKILL;
  if (end.abort_code != 0 && none_failed_first) {
    verdict.exit_code = end.abort_code;
    verdict.lines.push_back("a rank called MPI_Abort(" + std::to_string(end.abort_code) +
                            "), and Slurm killed every rank\n");
    return verdict;
  }
  // mpirun's own code says nothing where it was killed, or lost a daemon; srun's is the highest of all ranks.
  if (ranks.any_failed() && !end.lost_first) {
    const EndRecord failure = ranks.failures().front();
    verdict.exit_code = exit_code_of(failure);
    verdict.lines.push_back(failure_report(ranks, recent, true));
    if (failure.error == 0 && (end.engine.signal == 0 || end.told_to_end)) {
      verdict.restart_reason = rank_words(failure) + " " + end_words(failure);
    }
  } else if (end.engine.signal != 0 && end.lost_node.empty()) {
    verdict.exit_code = 128 + end.engine.signal;
    verdict.shows_banners = true;
  } else if (!end.lost_node.empty() || end.engine.code == kLostDaemon) {
    verdict.exit_code = kHostOrNetwork;
    verdict.lines.push_back((end.lost_node.empty() ? "a host" : end.lost_node) +
                            " was lost: the engine's daemon there ended, or the network to it\n");
  } else if (!end.unfinished_rank.empty()) {
    verdict.exit_code = end.engine.code;
    verdict.lines.push_back(end.unfinished_rank + " ended without MPI_Finalize, and the others were stopped\n");
  } else if (!end.failed_start.empty()) {
    verdict.exit_code = kHostOrNetwork;
    verdict.lines.push_back(end.failed_start);
  } else {
    verdict.exit_code = end.engine.code;
    verdict.shows_banners = true;
  }
  if (end.engine.signal != 0 && !end.told_to_end) {
    verdict.lines.push_back("mpirun was killed by signal " + std::to_string(end.engine.signal) +
                            ", and the job with it\n");
  }
  return verdict;
}

}  // namespace

int abort_code(int said, const EngineEnd& srun, const RankLedger& ranks) {
  // How a rank ends that has lost another (MPI_ERRORS_ARE_FATAL, MPI_ERR_OTHER), which is an abort too.
  constexpr int kLostAnother = 14;
  if (said != 0) return said;
  if (srun.signal != 0 || srun.code >= 126 || srun.code == kLostAnother) return 0;
  const std::vector<EndRecord> failures = ranks.failures();
  const auto agrees = [&](const EndRecord& record) {
    return record.signal == SIGKILL || exit_code_of(record) == srun.code;
  };
  return !failures.empty() && std::all_of(failures.begin(), failures.end(), agrees) ? srun.code : 0;
}

JobVerdict judge(const JobEnd& end, const RankLedger& ranks, std::string_view recent) {
  if (end.cause == EndCause::engine) return judge_engine(end, ranks, recent);
  JobVerdict verdict;
  switch (end.cause) {
    case EndCause::user:
      verdict.exit_code = 128 + end.signal;
      break;
    case EndCause::reader:
      verdict.exit_code = 128 + SIGPIPE;
      break;
    case EndCause::timeout:
      verdict.exit_code = kTimeout;
      break;
    default:
      verdict.exit_code = kHostOrNetwork;
  }
  return verdict;
}

}  // namespace ringrun
