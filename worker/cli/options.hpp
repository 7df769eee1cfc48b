#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "worker/sweep/sweep.hpp"

namespace ringrun::worker {

enum class BackendChoice { kAuto, kNccl, kMpi };

/// The worker's command line, in nccl-tests' language and with its defaults.
struct Options {
  std::int64_t smallest = 32 << 20;  ///< bytes
  std::int64_t largest = 32 << 20;
  std::int64_t step = 1 << 20;
  int factor = 1;  ///< above 1: sizes are multiplied, `step` is not used
  int gpus = 1;    ///< of each process
  int cycles = 1;  ///< runs of the whole sweep; 0: until stopped
  std::string json_file;
  std::optional<double> least_bandwidth;  ///< GB/s, of NCCL_TESTS_MIN_BW: an average below nine tenths of it fails
  BackendChoice backend = BackendChoice::kAuto;
  bool share_gpu = false;
  bool all_types = false;  ///< "-d all": those that the backend has
  bool all_ops = false;
  bool all_roots = false;  ///< "-r all"
  SweepPlan plan;          ///< all but the types, operations and roots of "all" is final

  bool help = false;
  bool version = false;
};

/// What else is read of how the worker was called.
struct Call {
  std::string program = "worker";         ///< as it was called: "all_gather_perf" chooses the collective
  const char* least_bandwidth = nullptr;  ///< the value of NCCL_TESTS_MIN_BW; null where it is unset
};

/// Throws UserError, naming the option and what is wrong with it. `arguments` without the program's name.
Options parse_options(const std::vector<std::string>& arguments, const Call& call = {});

void print_help(std::ostream& out);

}  // namespace ringrun::worker
