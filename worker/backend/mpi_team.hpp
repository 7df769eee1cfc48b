#pragma once

#include <mpi.h>

#include "worker/sweep/team.hpp"

namespace ringrun::worker {

/// The processes of MPI_COMM_WORLD. Needs an mpi::Session that outlives it.
class MpiTeam : public Team {
 public:
  MpiTeam();

  int process() const override { return process_; }
  int processes() const override { return processes_; }
  void barrier() override;
  double combine(double seconds, TimeAcross how) override;
  std::uint64_t sum(std::uint64_t value) override;
  std::vector<std::string> gather(const std::string& text) override;
  std::string broadcast(const std::string& bytes) override;

  /// Enters a barrier that this process can work beside: it must ask `barrier_passed` until that is true.
  void start_barrier();
  bool barrier_passed();

  /// This process's index and the number of processes on this host, by shared memory.
  struct Local {
    int rank = 0;
    int size = 1;
    int leader = 0;  ///< the process of this host whose index in the job is the lowest
  };
  Local local() const;

 private:
  MPI_Comm world_ = MPI_COMM_WORLD;
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  int process_ = 0;
  int processes_ = 1;
};

}  // namespace ringrun::worker
