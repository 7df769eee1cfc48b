#pragma once

#include <pmix.h>

#include <chrono>
#include <mutex>

namespace ringrun::mpi {

/// PMIx for the length of one call, of one thread at a time. MPI opens it for itself, and PMIx counts: were ours open
/// at MPI_Finalize, that would not close it, and the launcher would take the end of the process for a crash.
class PmixConnection {
 public:
  PmixConnection();
  ~PmixConnection();
  PmixConnection(const PmixConnection&) = delete;
  PmixConnection& operator=(const PmixConnection&) = delete;

  /// False where no launcher started this process.
  explicit operator bool() const { return open_; }
  const pmix_proc_t& self() const { return self_; }

  /// Waits until none is open, for so long at most, and lets none be opened again.
  static void close_for_good(std::chrono::milliseconds longest);

 private:
  std::lock_guard<std::timed_mutex> lock_;
  pmix_proc_t self_{};
  bool open_ = false;
};

}  // namespace ringrun::mpi
