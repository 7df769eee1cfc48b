#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/backend/gpu_backend.hpp"
#include "worker/sweep/operation.hpp"
#include "worker/tune/setting.hpp"

namespace ringrun::worker {

/// What every process does next, as the first one says it.
struct TrialOrder {
  bool end = false;                  ///< nothing: the tuning has ended
  int number = 0;                    ///< from 1
  TunedSetting setting;              ///< of the environment
  std::vector<int> iterations;       ///< of each size
  double deadline = 0;               ///< seconds for the whole trial
  bool asks_for_transports = false;  ///< let NCCL tell what joins the ranks

  bool operator==(const TrialOrder&) const = default;
};

std::string to_text(const TrialOrder& order);
TrialOrder trial_order_from(const std::string& text);

/// How a trial went in one process, or in all of them.
struct TrialReport {
  std::vector<double> seconds;  ///< of one operation, of each size; empty: it failed
  std::string error;            ///< why
  bool timed_out = false;
  bool stopped = false;                 ///< without a reason of its own: another process's trial had failed
  std::vector<std::string> transports;  ///< where they were asked for: "NET/Socket", "P2P", "SHM"

  bool failed() const { return seconds.empty(); }
  bool operator==(const TrialReport&) const = default;
};

std::string to_text(const TrialReport& report);
TrialReport trial_report_from(const std::string& text);

/// All processes' reports as one: times are averages, a failure is that of the process which knows most, "rank 1 on b:
/// …". `hosts` has each process's.
TrialReport combined(const std::vector<TrialReport>& reports, const std::vector<std::string>& hosts);

/// What NCCL's log says of the ways between ranks, each once: "NET/Socket", "NET/IB", "P2P", "SHM".
/// Matches the lines "Channel 00/0 : 1[0] -> 0[0] [send] via NET/Socket/0" of NCCL 2.7 to 2.30.
std::vector<std::string> transports_in(const std::string& log);

/// What the process of a trial gets as its first line.
struct TrialTask {
  int parent = 0;         ///< pid: it ends where that is another
  bool makes_id = false;  ///< it answers with NCCL's id first
  Operation operation;    ///< all but its layout
  std::vector<std::int64_t> sizes;
  std::vector<int> iterations;
  GpuBackend::Placement placement;
  GpuBackend::Settings settings;
};

std::string to_text(const TrialTask& task);
TrialTask trial_task_from(const std::string& text);

/// What it answers, a line each.
struct TrialAnswer {
  std::string id;               ///< NCCL's, as its bytes
  std::vector<double> seconds;  ///< of one operation, of each size
  std::string error;
};

std::string to_text(const TrialAnswer& answer);
/// Throws std::exception where the line is no answer.
TrialAnswer trial_answer_from(const std::string& text);

}  // namespace ringrun::worker
