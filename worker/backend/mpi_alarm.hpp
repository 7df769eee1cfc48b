#pragma once

#include <mpi.h>

#include <deque>

namespace ringrun::worker {

/// Word from one process to all others that something has failed, while they do something else than MPI. The first
/// process passes it on. Needs an mpi::Session that outlives it; only its thread may use it.
class MpiAlarm {
 public:
  MpiAlarm();

  /// Waits for nobody. `what` is a number that grows from one occasion to the next.
  void raise(int what);
  /// To be asked again and again. Word of earlier occasions is dropped.
  bool is_raised(int what);

 private:
  void send(int what, int process);

  int process_ = 0;
  int processes_ = 1;
  int passed_on_ = 0;
  std::deque<int> sent_;  ///< must stay where they are until they have arrived
};

}  // namespace ringrun::worker
