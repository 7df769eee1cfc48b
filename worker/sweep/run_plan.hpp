#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ringrun::worker {

/// Where a process waits within a measurement: the numbers of the option -z.
enum class Blocking : int {
  kNot = 0,             ///< at the end only
  kWaitAndBarrier = 1,  ///< after each operation, and then for all processes
  kWait = 2,            ///< after each operation
  kWaitForGroup = 3     ///< after each iteration, with all its aggregated operations
};

/// How operations follow each other in a measurement.
struct RunPlan {
  int iterations = 1;
  int aggregate = 1;       ///< operations of an iteration, in one group
  int graph_launches = 0;  ///< above 0: all iterations are captured as a CUDA graph, which is launched so many times
  Blocking blocking = Blocking::kNot;
  bool each_iteration = false;  ///< take the time of every iteration too
  bool spans = false;           ///< take when each rank begins and ends every iteration
  /// Fill every part of the buffers before the first operation, and compare it after the last one.
  std::optional<std::uint32_t> checked_with;  ///< the seed of the data
  std::function<void()> barrier;  ///< of all processes, for Blocking::kWaitAndBarrier and before graphs are launched

  int launches() const { return graph_launches > 0 ? graph_launches : 1; }
  double operations() const { return static_cast<double>(iterations) * aggregate * launches(); }
};

/// When a rank began and ended each iteration, in seconds of this host's steady clock.
struct RankSpans {
  int rank = 0;  ///< of the communicator
  std::vector<double> begin;
  std::vector<double> end;
};

/// Elements of one rank that are not what they must be.
struct WrongElements {
  int rank = 0;  ///< of the communicator
  std::uint64_t count = 0;
  std::uint64_t first_index = 0;  ///< in the rank's result
  std::string expected;           ///< at first_index, as text, since its type varies
  std::string got;
  int iteration = -1;  ///< of a timed run, the last one that wrote that result; -1: of a check
};

/// What a run took on this process, in seconds, from one entry for each of its threads.
struct RunTimes {
  std::vector<double> total;     ///< from the first operation enqueued to the last one ended
  std::vector<double> enqueued;  ///< until all were enqueued
  /// Of each iteration, the longest among the ranks of this process. Empty where the plan does not ask for it.
  std::vector<double> iterations;
  std::vector<RankSpans> spans;  ///< of each rank of this process, where the plan asks for them
  /// Of each rank of this process; nothing where the results were not checked: not asked for, or an operation in place
  /// that was repeated on its own result.
  std::optional<std::vector<WrongElements>> wrong;
};

}  // namespace ringrun::worker
