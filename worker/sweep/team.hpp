#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringrun::worker {

/// How one time is made of the times of all processes: the numbers of the option -a.
enum class TimeAcross : int { kRankZero = 0, kAverage = 1, kMin = 2, kMax = 3 };

/// What this process's steady clock lacks to that of the group's first process, in seconds.
struct ClockOffset {
  double seconds = 0;
  double error = 0;  ///< that the offset may be wrong by
};

/// The processes of a sweep, seen from one of them. They may be divided into groups, which measure side by side. Every
/// call is collective: over the group, where nothing else is said.
class Team {
 public:
  virtual ~Team() = default;
  virtual int process() const = 0;  ///< of all: 0 … processes()-1
  virtual int processes() const = 0;
  virtual int group() const = 0;  ///< any number that tells it from the others
  virtual int groups() const = 0;
  virtual int group_process() const = 0;  ///< of its group: 0 … group_processes()-1
  virtual int group_processes() const = 0;
  /// The first process of its group speaks for it.
  virtual bool leads_group() const = 0;

  /// Of all processes.
  virtual void barrier() = 0;
  virtual double combine(double seconds, TimeAcross how) = 0;
  virtual std::uint64_t sum(std::uint64_t value) = 0;
  /// The largest of each place; every process gives as many values.
  virtual std::vector<double> largest(const std::vector<double>& values) = 0;
  /// The values of all processes in their order, on the group's first one alone; every process gives as many.
  virtual std::vector<std::vector<double>> gather_at_first(const std::vector<double>& values) = 0;
  virtual ClockOffset clock_offset() = 0;
  /// The texts of all processes in their order, on every process.
  virtual std::vector<std::string> gather(const std::string& text) = 0;
  /// The same, of the processes of all groups.
  virtual std::vector<std::string> gather_from_all(const std::string& text) = 0;
  /// The bytes of the first process, on every process.
  virtual std::string broadcast(const std::string& bytes) = 0;
};

/// How the whole job numbers a rank of this process that is `rank` of the `ranks` of its group.
inline int rank_in_job(const Team& team, int rank, int ranks) {
  const int of_process = ranks / team.group_processes();
  return rank + (team.process() - team.group_process()) * of_process;
}

}  // namespace ringrun::worker
