#pragma once

namespace ringrun {

/// Where the plan sends NCCL's messages to standard error (NCCL_DEBUG_FILE=/dev/stderr): gives them this process's own
/// standard error under another number, which the program inherits. NCCL opens that file anew and would cut a log that
/// a script has put in standard error's place.
void keep_nccl_messages_apart();

}  // namespace ringrun
