#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "worker/sweep/expectation.hpp"
#include "worker/sweep/operation.hpp"
#include "worker/sweep/run_plan.hpp"

namespace ringrun::worker {

struct MemoryUse {
  std::string what;
  double bytes = 0;
};

struct MemoryReport {
  std::string where;  ///< "GPU" or "Host"
  std::vector<MemoryUse> uses;
};

/// What does the operations of a sweep, on the buffers of this process: one rank, or several (one per GPU).
/// Every call is collective: all processes call it in the same order with the same arguments.
class Collective {
 public:
  virtual ~Collective() = default;

  /// Ranks of all processes together, each with two buffers of its own.
  virtual int ranks() const = 0;

  /// Why this combination cannot be done, or nothing where it can. Only the operation, the type, the reduction
  /// and the number of ranks count.
  virtual std::optional<std::string> refusal(const Operation& operation) const = 0;

  /// Runs the plan's operations and returns when all have ended here. Successive iterations use successive parts of the
  /// buffers, so that small messages do not stay in a cache.
  virtual RunTimes run(const Operation& operation, const RunPlan& plan) = 0;

  /// Fills inputs, runs once, compares every element. One entry for each rank of this process.
  virtual std::vector<WrongElements> verify(const Operation& operation, std::uint32_t seed) = 0;

  /// Runs the operation once, untimed, and tells how the library did it, as far as it says.
  virtual LibraryChoice observe(const Operation&) { return {}; }

  /// By what the library joined this process's ranks to the others so far, in its own words: "P2P/CUMEM",
  /// "NET/Socket". Not collective. None where it does not say.
  virtual std::vector<std::string> transports() { return {}; }

  /// What it has taken so far, on the most loaded device of this process, by what it was taken for.
  virtual MemoryReport memory() const = 0;

  /// Releases what needs the other ranks. After success only; a destructor without it must not wait for a peer.
  virtual void finish() = 0;
};

}  // namespace ringrun::worker
