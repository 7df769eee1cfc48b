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
  int group() const override { return color_; }
  int groups() const override { return groups_; }
  int group_process() const override { return group_process_; }
  int group_processes() const override { return group_processes_; }
  bool leads_group() const override { return in_group() && group_process_ == 0; }
  void barrier() override;
  double combine(double seconds, TimeAcross how) override;
  std::uint64_t sum(std::uint64_t value) override;
  std::vector<double> largest(const std::vector<double>& values) override;
  std::vector<std::vector<double>> gather_at_first(const std::vector<double>& values) override;
  ClockOffset clock_offset() override;
  std::vector<std::string> gather(const std::string& text) override { return gather(text, group_); }
  std::vector<std::string> gather_from_all(const std::string& text) override { return gather(text, world_); }
  std::string broadcast(const std::string& bytes) override;

  /// Divides the processes; `colors` has the group of each, from 0 on; -1: in no group, so that only what is of all
  /// processes may be called. Collective over all.
  void split(const std::vector<int>& colors);
  /// Undoes it. Collective over the group.
  void leave_group();
  bool in_group() const { return group_ != MPI_COMM_NULL; }
  MPI_Comm group_communicator() const { return group_; }

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
  /// The texts of the processes on this host in their order, on each of them. Collective over all.
  std::vector<std::string> gather_on_host(const std::string& text) const;

 private:
  MPI_Comm host_communicator() const;
  static std::vector<std::string> gather(const std::string& text, MPI_Comm communicator);

  MPI_Comm world_ = MPI_COMM_WORLD;
  MPI_Comm group_ = MPI_COMM_WORLD;
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  int process_ = 0;
  int processes_ = 1;
  int color_ = 0;
  int groups_ = 1;
  int group_process_ = 0;
  int group_processes_ = 1;
};

}  // namespace ringrun::worker
