#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "worker/sweep/sweep.hpp"

namespace ringrun::worker {

/// One line of "# Using devices".
struct DeviceLine {
  int rank = 0;
  int group = 0;
  int pid = 0;
  std::string host;
  std::string device;  ///< "device  0 [0000:00:06] NVIDIA H200", or "host memory, 8 CPUs"
  int index = -1;      ///< of the GPU among those that the process sees; -1: none
  std::string bus_id;  ///< "0000:00:06"
  std::string name;    ///< "NVIDIA H200", or "host memory"
};

/// What the rows have beside or instead of the usual columns.
struct TableColumns {
  bool cpu_time = false;        ///< the time of enqueuing, instead of that of the operation
  bool each_iteration = false;  ///< the spread of the iterations
  bool timestamps = false;      ///< when each row was printed
  bool groups = false;          ///< the row's group
};

/// What the table's head says of the run.
struct TableHead {
  std::string versions;                  ///< "nccl-headers=22809 nccl-library=22809" or "mpi=4.1.4"
  int nccl_version = 0;                  ///< of the loaded library; 0: none
  std::vector<std::string> command;      ///< the program and its arguments
  std::vector<std::string> environment;  ///< "NCCL_DEBUG=INFO": what may have changed the results
  int threads = 1;                       ///< of each process
  int gpus = 1;                          ///< of each thread
  bool parallel_init = false;
  int misalignment = 0;
  TableColumns columns;
  std::int64_t smallest = 0;
  std::int64_t largest = 0;
  std::int64_t step = 0;
  int factor = 1;
  SweepPlan plan;
  std::vector<DeviceLine> devices;
  std::vector<std::string> remarks;  ///< each becomes a "# " line
};

/// The columns, widths and words of nccl-tests 2.19.6, so that people's scripts and eyes need no change; what it does
/// not have stands in further "#" lines.
void print_run(std::ostream& out, const TableHead& head);  ///< what stands before the columns
void print_head(std::ostream& out, const TableHead& head);
/// Of that head the devices and the remarks.
void print_devices(std::ostream& out, const TableHead& head);
void print_row(std::ostream& out, const TableColumns& columns, const Row& row);
/// `least_bandwidth` in GB/s is what was asked for; nothing: nothing was.
void print_foot(std::ostream& out, CollectiveKind kind, const SweepSummary& summary,
                std::optional<double> least_bandwidth, const MemoryReport& memory = {});

}  // namespace ringrun::worker
