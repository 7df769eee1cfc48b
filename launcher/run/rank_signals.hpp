#pragma once

#include <signal.h>

#include <vector>

namespace ringrun {

/// The wrapper's signals. It survives all that can be caught and forwards none: the engine signals the whole process
/// group, so that the program has each of them already. It ends, with its process group, when the engine does.
class RankSignals {
 public:
  RankSignals();

  /// In the program's process: as the engine gave them.
  void restore() const;

  /// The engine has told the rank to end.
  static bool told_to_end();

  /// What the kernel sends when the parent ends.
  static int death_signal();

 private:
  struct Change {
    int signal;
    void (*handler)(int);
    struct sigaction original {};
  };

  std::vector<Change> changes_;
  sigset_t mask_{};
};

}  // namespace ringrun
