#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>

#include "launcher/run/rank_signals.hpp"
#include "lib/descriptor.hpp"

namespace ringrun {

/// How a program ended: waitpid's status, or where it never began `error`, an errno.
struct ProgramEnd {
  pid_t pid = 0;
  int status = 0;
  int error = 0;
};

/// A process between the wrapper and the program, in a process group of its own, so that it outlives whatever ends the
/// wrapper: then it kills every process below it. It adopts those whose parents have ended, so none is missed, one that
/// has made a session of its own included.
class Reaper {
 public:
  /// Forks it. `become_program` is called in the program's process, which is in the wrapper's process group and has
  /// the signals of `signals`, and returns only with an errno; `put_aside` is called in the reaper, and closes what it
  /// must not keep open. The wrapper adopts what a killed reaper leaves. Throws SystemError.
  Reaper(const RankSignals& signals, const std::function<int()>& become_program,
         const std::function<void()>& put_aside);

  /// Readable when the program has ended, and again when the reaper has.
  int channel() const { return channel_.get(); }

  /// Waits for the program's end; nullopt where the reaper was killed.
  std::optional<ProgramEnd> read_end();

  /// Says whose time has come behind the program's end: everyone's, or only theirs who are still in the job's session.
  /// TERM first, then KILL. Waits for nothing: the reaper's own end says when it is done.
  void end_others(bool everyone);

  /// Kills what is below this process; behind the reaper's end.
  void finish();

 private:
  pid_t pid_ = -1;
  Descriptor channel_;
};

}  // namespace ringrun
