#include "worker/backend/mpi_alarm.hpp"

#include "lib/mpi/check.hpp"

namespace ringrun::worker {
namespace {

using mpi::check;

constexpr int kTag = 2;

}  // namespace

MpiAlarm::MpiAlarm() {
  check(MPI_Comm_rank(MPI_COMM_WORLD, &process_), "MPI_Comm_rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &processes_), "MPI_Comm_size");
}

void MpiAlarm::raise(int what) {
  if (process_ != 0) return send(what, 0);
  if (passed_on_ >= what) return;
  passed_on_ = what;
  for (int process = 1; process < processes_; ++process) send(what, process);
}

void MpiAlarm::send(int what, int process) {
  sent_.push_back(what);
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(&sent_.back(), 1, MPI_INT, process, kTag, MPI_COMM_WORLD, &request), "MPI_Isend");
  check(MPI_Request_free(&request), "MPI_Request_free");
}

bool MpiAlarm::is_raised(int what) {
  bool raised = passed_on_ >= what;
  for (;;) {
    int there = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &status), "MPI_Iprobe");
    if (there == 0) break;
    int of = 0;
    check(MPI_Recv(&of, 1, MPI_INT, status.MPI_SOURCE, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
    if (of < what) continue;
    raised = true;
    if (process_ == 0) raise(of);
  }
  return raised;
}

}  // namespace ringrun::worker
