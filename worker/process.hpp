#pragma once

#include <atomic>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/mpi/session.hpp"
#include "worker/backend/backend_choice.hpp"
#include "worker/backend/gpu_library.hpp"
#include "worker/backend/mpi_team.hpp"
#include "worker/ceiling/path.hpp"
#include "worker/cli/options.hpp"
#include "worker/exit_code.hpp"
#include "worker/report/reports.hpp"
#include "worker/report/scan_report.hpp"
#include "worker/sweep/collective.hpp"
#include "worker/timeout.hpp"
#include "worker/tune/tune_report.hpp"
#include "worker/watch/interruption.hpp"
#include "worker/watch/watch.hpp"

namespace ringrun::worker {

/// The sweep of one process, from MPI_Init to MPI_Finalize. To be destroyed only when the job has ended or been
/// aborted: nothing of it waits for a peer.
class Process {
 public:
  /// Starts MPI. `options` and `out` outlive the process.
  Process(const Options& options, std::ostream& out);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Returns the exit code.
  int run();
  /// Tells what was measured until now, where nobody has yet; `end` is what ends the job: "an error". Only the first
  /// process has something to tell. From any thread.
  void tell_partial(const std::string& end) noexcept;

 private:
  mpi::Session start_mpi();
  void tell_interrupted(const char* signal);
  bool is_first() const { return team_.process() == 0; }
  void place();
  GpuLibrary load_library();
  ProcessFacts read_own_facts(const GpuLibrary& library) const;
  void exchange_facts(const GpuLibrary& library);
  /// What the job's network lacks for NCCL was said where this returns false.
  bool choose_network();
  int refuse(const UserError& refused, ExitCode code = ExitCode::kUnsupported);
  std::optional<UserError> refusal_of_different_options();
  int leave(ExitCode code);
  std::vector<int> split();
  GpuBackend::Placement gpu_placement() const;
  GpuBackend::Settings gpu_settings() const;
  void name_host_for_nccl() const;
  /// Null where this process is in no group.
  std::unique_ptr<Collective> join(const GpuLibrary& library);
  std::vector<std::string> bindings_of_all();
  std::optional<std::string> agreed_refusal(const Operation& operation);
  void survey(const SweepPlan& plan);
  SweepSummary sweep(const SweepPlan& plan);
  SweepSummary soak(const Options& options);
  int tune(const GpuLibrary& library);
  MemoryReport most_memory();
  TableHead describe(const GpuLibrary& library, const Options& options, int ranks) const;
  int scan(const GpuLibrary& library);
  std::map<int, double> measure_round(const GpuLibrary& library, const Groups& groups);
  void check_support(const Operation& operation);
  double look_at_one(const Operation& operation);
  RunTimes run_in_round(const Operation& operation, int iterations, double one_took);
  void finish();
  ExitCode verdict(const SweepSummary& summary);

  const Options& options_;
  std::ostream& out_;
  // Before the interruption and the watch, whose threads use them until they have ended.
  std::optional<Reports> reports_;                  ///< of the first process
  std::unique_ptr<ScanReport> scan_report_;         ///< of the first process, of a scan
  std::unique_ptr<TuneReport> tune_report_;         ///< of the first process, of a tuning
  std::atomic<PartialReport*> reporting_{nullptr};  ///< of the first process, once the sweep has begun
  Interruption interruption_;                       ///< made before any other thread
  TimeoutReport timeouts_;
  Watch watch_;
  bool launched_ = false;             ///< by a launcher that said so
  std::vector<std::string> avoided_;  ///< interfaces that MPI was kept off
  std::string placement_;             ///< what was done about it
  mpi::Session session_;
  MpiTeam team_;
  std::vector<ProcessFacts> facts_;
  BackendDecision decision_;
  std::unique_ptr<Collective> collective_;
  Path path_;                           ///< of --expected
  std::map<Groups, double> scan_took_;  ///< seconds of an operation in the groups of a round
};

}  // namespace ringrun::worker
