#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "worker/scan/scan.hpp"
#include "worker/sweep/split.hpp"
#include "worker/sweep/sweep.hpp"

namespace ringrun::worker {

enum class BackendChoice { kAuto, kNccl, kMpi };

/// The worker's command line, in nccl-tests' language and with its defaults.
struct Options {
  std::int64_t smallest = 32 << 20;  ///< bytes
  std::int64_t largest = 32 << 20;
  std::int64_t step = 1 << 20;
  int factor = 1;   ///< above 1: sizes are multiplied, `step` is not used
  int threads = 1;  ///< of each process
  int gpus = 1;     ///< of each thread
  int cycles = 1;   ///< runs of the whole sweep; 0: until stopped
  std::string json_file;
  std::string csv_file;
  std::string baseline_file;              ///< JSON of an earlier run; empty: nothing is compared
  double allowed_growth = 0.05;           ///< of a time since then, as a share
  double init_timeout = 60;               ///< seconds of any one wait before the first operation; 0: for ever
  std::optional<double> least_bandwidth;  ///< GB/s, of NCCL_TESTS_MIN_BW: an average below nine tenths of it fails
  double soak_seconds = 0;                ///< above 0: instead of the sweep, random operations are checked for so long
  std::optional<ScanKind> scan;           ///< instead of the sweep, the largest size between parts of the job
  double tune_seconds = 0;                ///< above 0: instead of the sweep, settings of NCCL are tried for so long
  BackendChoice backend = BackendChoice::kAuto;
  bool share_gpu = false;
  bool reports_bindings = false;
  std::optional<int> first_device;  ///< of NCCL_TESTS_DEVICE: this process's first GPU, whatever its local rank
  Split split;
  bool parallel_init = false;     ///< every thread joins NCCL by itself
  int registration = 0;           ///< of the buffers: 1 with the communicator, 2 as symmetric windows
  int cta_policy = 0;             ///< NCCL's numbers
  int device_implementation = 0;  ///< above 0: kernels of nccl-tests' own, which the worker has not
  bool null_stream = false;
  int misalignment = 0;  ///< elements left free at the begin of each buffer
  bool reports_cpu_time = false;
  bool reports_timestamps = false;
  bool reports_memory = false;
  bool all_types = false;  ///< "-d all": those that the backend has
  bool all_ops = false;
  bool all_roots = false;            ///< "-r all"
  std::vector<std::string> command;  ///< the program and its arguments
  SweepPlan plan;                    ///< all but the types, operations and roots of "all" is final

  int ranks_of_process() const { return threads * gpus; }

  bool help = false;
  bool version = false;
};

/// What else is read of how the worker was called.
struct Call {
  std::string program = "worker";  ///< as it was called: "all_gather_perf" chooses the collective
  /// The values of NCCL_TESTS_MIN_BW, _DEVICE, _SPLIT and _SPLIT_MASK; null where unset.
  const char* least_bandwidth = nullptr;
  const char* device = nullptr;
  const char* split = nullptr;
  const char* split_mask = nullptr;
};

/// Throws UserError, naming the option and what is wrong with it. `arguments` without the program's name.
Options parse_options(const std::vector<std::string>& arguments, const Call& call = {});

void print_help(std::ostream& out);

}  // namespace ringrun::worker
