#pragma once

#include <string>
#include <string_view>

#include "launcher/run/rank_ledger.hpp"

namespace ringrun {

/// "rank 1 on b (GPU 0)".
std::string rank_words(const EndRecord& record);

/// "exited with code 3", "killed by signal 11 (SIGSEGV), core dumped", "cannot start ./x: Permission denied".
std::string end_words(const EndRecord& record);

/// Which rank failed first and how, its last lines where they do not stand among the `recent` ones on standard error,
/// which others failed too, and which were stopped because of it (where the job `was_ended`). Lines with their ends;
/// the first is without "ringrun: ". The ledger knows of a failure.
std::string failure_report(const RankLedger& ranks, std::string_view recent, bool was_ended);

}  // namespace ringrun
