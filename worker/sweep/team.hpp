#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringrun::worker {

/// How one time is made of the times of all processes: the numbers of the option -a.
enum class TimeAcross : int { kRankZero = 0, kAverage = 1, kMin = 2, kMax = 3 };

/// The processes of a sweep, seen from one of them. Every call is collective.
class Team {
 public:
  virtual ~Team() = default;
  virtual int process() const = 0;  ///< 0 … processes()-1
  virtual int processes() const = 0;
  virtual void barrier() = 0;
  virtual double combine(double seconds, TimeAcross how) = 0;
  virtual std::uint64_t sum(std::uint64_t value) = 0;
  /// The texts of all processes in their order, on every process.
  virtual std::vector<std::string> gather(const std::string& text) = 0;
  /// Process 0's bytes, on every process.
  virtual std::string broadcast(const std::string& bytes) = 0;
};

}  // namespace ringrun::worker
