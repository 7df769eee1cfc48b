#include "worker/backend/mpi_team.hpp"

#include <chrono>
#include <numeric>
#include <set>

#include "lib/mpi/check.hpp"

namespace ringrun::worker {

using mpi::check;

MpiTeam::MpiTeam() {
  check(MPI_Comm_rank(world_, &process_), "MPI_Comm_rank");
  check(MPI_Comm_size(world_, &processes_), "MPI_Comm_size");
  group_process_ = process_;
  group_processes_ = processes_;
}

void MpiTeam::split(const std::vector<int>& colors) {
  color_ = colors.at(static_cast<std::size_t>(process_));
  groups_ = static_cast<int>(std::set<int>(colors.begin(), colors.end()).size());
  if (groups_ == 1) return;
  check(MPI_Comm_split(world_, color_ < 0 ? MPI_UNDEFINED : color_, process_, &group_), "MPI_Comm_split");
  if (!in_group()) return;
  check(MPI_Comm_rank(group_, &group_process_), "MPI_Comm_rank");
  check(MPI_Comm_size(group_, &group_processes_), "MPI_Comm_size");
}

void MpiTeam::leave_group() {
  if (in_group() && group_ != world_) check(MPI_Comm_free(&group_), "MPI_Comm_free");
  group_ = world_;
  groups_ = 1;
  color_ = 0;
  group_process_ = process_;
  group_processes_ = processes_;
}

void MpiTeam::barrier() { check(MPI_Barrier(world_), "MPI_Barrier"); }

double MpiTeam::combine(double seconds, TimeAcross how) {
  double combined = seconds;
  if (how == TimeAcross::kRankZero) {
    check(MPI_Bcast(&combined, 1, MPI_DOUBLE, 0, group_), "MPI_Bcast");
    return combined;
  }
  const MPI_Op op = how == TimeAcross::kMin ? MPI_MIN : how == TimeAcross::kMax ? MPI_MAX : MPI_SUM;
  check(MPI_Allreduce(&seconds, &combined, 1, MPI_DOUBLE, op, group_), "MPI_Allreduce");
  return how == TimeAcross::kAverage ? combined / group_processes_ : combined;
}

std::uint64_t MpiTeam::sum(std::uint64_t value) {
  std::uint64_t total = 0;
  check(MPI_Allreduce(&value, &total, 1, MPI_UINT64_T, MPI_SUM, group_), "MPI_Allreduce");
  return total;
}

std::vector<double> MpiTeam::largest(const std::vector<double>& values) {
  std::vector<double> most(values.size());
  check(MPI_Allreduce(values.data(), most.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX, group_),
        "MPI_Allreduce");
  return most;
}

std::vector<std::vector<double>> MpiTeam::gather_at_first(const std::vector<double>& values) {
  const std::size_t processes = group_process_ == 0 ? static_cast<std::size_t>(group_processes_) : 0;
  std::vector<double> all(processes * values.size());
  const int count = static_cast<int>(values.size());
  check(MPI_Gather(values.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, group_), "MPI_Gather");
  std::vector<std::vector<double>> of_processes;
  for (std::size_t process = 0; process < processes; ++process) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(process * values.size());
    of_processes.emplace_back(begin, begin + count);
  }
  return of_processes;
}

ClockOffset MpiTeam::clock_offset() {
  constexpr int kRounds = 10;  // the quickest tells most: nobody was scheduled away in it
  constexpr int kTag = 1;
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  ClockOffset offset;
  double time = 0;
  if (group_process_ == 0) {
    for (int peer = 1; peer < group_processes_; ++peer) {
      for (int round = 0; round < kRounds; ++round) {
        check(MPI_Recv(&time, 1, MPI_DOUBLE, peer, kTag, group_, MPI_STATUS_IGNORE), "MPI_Recv");
        time = now();
        check(MPI_Send(&time, 1, MPI_DOUBLE, peer, kTag, group_), "MPI_Send");
      }
    }
    return offset;
  }
  for (int round = 0; round < kRounds; ++round) {
    const double asked = now();
    check(MPI_Send(&asked, 1, MPI_DOUBLE, 0, kTag, group_), "MPI_Send");
    check(MPI_Recv(&time, 1, MPI_DOUBLE, 0, kTag, group_, MPI_STATUS_IGNORE), "MPI_Recv");
    const double answered = now();
    const double error = (answered - asked) / 2;
    if (round == 0 || error < offset.error) offset = {time - (asked + answered) / 2, error};
  }
  return offset;
}

std::vector<std::string> MpiTeam::gather(const std::string& text, MPI_Comm communicator) {
  int processes = 0;
  check(MPI_Comm_size(communicator, &processes), "MPI_Comm_size");
  const auto count = static_cast<std::size_t>(processes);
  std::vector<int> lengths(count);
  const int length = static_cast<int>(text.size());
  check(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, communicator), "MPI_Allgather");
  std::vector<int> offsets(count);
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  check(
      MPI_Allgatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR, communicator),
      "MPI_Allgatherv");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    texts.push_back(all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(lengths[i])));
  }
  return texts;
}

std::string MpiTeam::broadcast(const std::string& bytes) {
  int length = static_cast<int>(bytes.size());
  check(MPI_Bcast(&length, 1, MPI_INT, 0, group_), "MPI_Bcast");
  std::string received = group_process_ == 0 ? bytes : std::string(static_cast<std::size_t>(length), '\0');
  check(MPI_Bcast(received.data(), length, MPI_CHAR, 0, group_), "MPI_Bcast");
  return received;
}

void MpiTeam::start_barrier() { check(MPI_Ibarrier(world_, &barrier_), "MPI_Ibarrier"); }

bool MpiTeam::barrier_passed() {
  int passed = 0;
  check(MPI_Test(&barrier_, &passed, MPI_STATUS_IGNORE), "MPI_Test");
  return passed != 0;
}

MPI_Comm MpiTeam::host_communicator() const {
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, process_, MPI_INFO_NULL, &host), "MPI_Comm_split_type");
  return host;
}

std::vector<std::string> MpiTeam::gather_on_host(const std::string& text) const {
  MPI_Comm host = host_communicator();
  std::vector<std::string> texts = gather(text, host);
  check(MPI_Comm_free(&host), "MPI_Comm_free");
  return texts;
}

MpiTeam::Local MpiTeam::local() const {
  MPI_Comm host = host_communicator();
  Local here;
  check(MPI_Comm_rank(host, &here.rank), "MPI_Comm_rank");
  check(MPI_Comm_size(host, &here.size), "MPI_Comm_size");
  here.leader = process_;
  check(MPI_Bcast(&here.leader, 1, MPI_INT, 0, host), "MPI_Bcast");
  check(MPI_Comm_free(&host), "MPI_Comm_free");
  return here;
}

}  // namespace ringrun::worker
