#pragma once

#include <string>

namespace ringrun::mpi {

/// MPI between MPI_Init and MPI_Finalize. Only the thread that made it calls MPI. Errors of the world communicator come
/// back as codes, so that they become exceptions.
class Session {
 public:
  Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// Does nothing: on the way out of an error MPI_Finalize would wait for the others. Then `abort` ends the job.
  ~Session() = default;

  /// MPI_Finalize. Waits for all ranks.
  void finish();

  /// Ends the job on every host with this exit code, where MPI is running; else does nothing. Callable without a
  /// Session.
  static void abort(int exit_code) noexcept;
};

/// "Open MPI 4.1.4": the library's name and number, the head of what it says of itself.
std::string library_version();

}  // namespace ringrun::mpi
