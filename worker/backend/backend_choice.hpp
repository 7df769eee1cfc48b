#pragma once

#include <string>
#include <vector>

#include "lib/host/memory_rooms.hpp"
#include "worker/backend/gpu_backend.hpp"
#include "worker/cli/options.hpp"
#include "worker/placement/rank_binding.hpp"

namespace ringrun::worker {

/// What one process tells the others before anything is decided.
struct ProcessFacts {
  std::string host;
  int pid = 0;
  int cpus = 0;  ///< that it may run on
  RankBinding binding;
  std::string placement;  ///< what it did about that by itself, "" for nothing
  int local_rank = 0;
  int local_size = 1;
  int group = 0;                     ///< of NCCL_TESTS_SPLIT
  int first_device = -1;             ///< of NCCL_TESTS_DEVICE; -1: the local rank chooses
  int leader = 0;                    ///< the process that speaks for its host
  std::vector<std::string> avoided;  ///< interfaces that MPI was kept off
  int nccl_version = 0;              ///< of the loaded library; 0: none
  bool host_has_gpu = false;         ///< the driver's device files are there, and not hidden
  std::string why_no_gpu;            ///< where it has no usable GPU
  std::vector<GpuDevice> devices;    ///< visible ones
  std::vector<MemoryRoom> memory;    ///< of a process without GPUs, before it takes its buffers
};

std::string to_text(const ProcessFacts& facts);
ProcessFacts process_facts_from(const std::string& text);

/// The decision that every process comes to alone, from the same facts.
struct BackendDecision {
  bool nccl = false;
  std::vector<std::vector<int>> devices;  ///< for each process, with NCCL: indices into its visible devices
  bool shared_gpu = false;                ///< several ranks on one GPU
  std::vector<std::string> remarks;       ///< lines for the head of the table
};

/// `facts` of every process, in their order. Throws Unsupported, naming ranks and hosts.
BackendDecision choose_backend(const Options& options, const std::vector<ProcessFacts>& facts);

}  // namespace ringrun::worker
