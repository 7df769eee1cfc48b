#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/run/engine_process.hpp"
#include "launcher/run/rank_ledger.hpp"

namespace ringrun {

/// Who ended a job.
enum class EndCause {
  engine,   ///< itself, well or badly
  user,     ///< a signal to ringrun
  hang,     ///< ringrun, of a job that hung
  reader,   ///< ringrun, since nobody reads what the job prints
  timeout,  ///< ringrun, past --timeout
  start     ///< ringrun, of a job that did not start
};

/// How a job ended.
struct JobEnd {
  EndCause cause = EndCause::engine;
  /// The user's.
  int signal = 0;
  EngineEnd engine;
  /// The engine had been told to end.
  bool told_to_end = false;
  /// The host whose daemon the engine lost, "" for none; before any rank failed, so that it is the reason.
  std::string lost_node;
  bool lost_first = false;
  /// "rank 3 on b", which ended well but for MPI_Finalize, as the engine says; "" for none.
  std::string unfinished_rank;
  /// The code of the MPI_Abort that Slurm kills a whole step for, before the rank can end with it; 0 for none.
  int abort_code = 0;
  /// Why no rank could start where a remote shell or daemon failed, "" where none did.
  std::string failed_start;
};

struct JobVerdict {
  int exit_code = 0;
  /// The engine's own words about ranks say what nothing else does.
  bool shows_banners = false;
  /// To be said, the first line of each without "ringrun: ".
  std::vector<std::string> lines;
  /// The rank that failed by itself, in words: another attempt may go better. Empty where none did, or could not start.
  std::string restart_reason;
};

/// The code of an MPI_Abort under srun, 0 where there was none: `said` by the rank, or where its words were lost srun's
/// own (22.05), unless ranks ended so for another reason.
int abort_code(int said, const EngineEnd& srun, const RankLedger& ranks);

/// The exit code, the same on every engine, and what is said about it. `recent` is what standard error has shown last.
JobVerdict judge(const JobEnd& end, const RankLedger& ranks, std::string_view recent);

}  // namespace ringrun
