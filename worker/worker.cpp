#include "worker/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <ostream>
#include <thread>

#include "lib/error.hpp"
#include "lib/host/host_name.hpp"
#include "lib/mpi/error.hpp"
#include "lib/mpi/launch_environment.hpp"
#include "lib/mpi/session.hpp"
#include "lib/nccl/error.hpp"
#include "lib/version.hpp"
#include "worker/cli/options.hpp"
#include "worker/exit_code.hpp"
#include "worker/process.hpp"
#include "worker/tune/trial_child.hpp"
#include "worker/tune/trial_process.hpp"

namespace ringrun::worker {
namespace {

/// How long the launcher may take to see that a peer ended, and to end the others itself. Were this process to end the
/// job at once, its code could hide that of the peer which failed first.
constexpr std::chrono::seconds kForThePeersEnd{3};

/// Prints where and what, and ends the job: the others may be waiting for this process.
int fail(std::ostream& err, ExitCode code, const std::string& problem, const std::string& remedy = {}) {
  err << fmt::format("[{}:{}] worker: {}\n", host_name(), mpi::launch_environment().rank.value_or(0), problem);
  if (!remedy.empty()) err << "  " << remedy << '\n';
  err.flush();
  mpi::Session::abort(static_cast<int>(code));
  return static_cast<int>(code);
}

/// Where every process reads the same line, the first one complains, and the launcher ends the job with the first that
/// exits: so the others stay a while, for it may start late. Who is still there then has had another line (mpirun's
/// `:`): the first of those complains, in whose stead, where the launcher does not say who that is, the others do, one
/// after the other.
void complain(const UserError& error, std::ostream& err) {
  // From an exit to the end of the others mpirun takes a second.
  constexpr std::chrono::milliseconds kInTurn{1500};
  constexpr int kMostTurns = 3;
  const mpi::LaunchEnvironment launched = mpi::launch_environment();
  const int rank = launched.rank.value_or(0);
  const int place = launched.rank_of_program.value_or(std::max(0, rank - 1));
  std::string from;
  if (rank > 0) {
    std::this_thread::sleep_for(kForThePeersEnd + std::min(place, kMostTurns) * kInTurn);
    if (launched.rank_of_program.value_or(0) > 0) return;
    from = fmt::format("[{}:{}] ", host_name(), rank);
  }
  err << from << "worker: " << error.what() << "\n  " << error.remedy() << '\n';
}

/// `code`, unless that would be success and something that was printed did not arrive.
int code_after_output(int code, OutputStream& out, std::ostream& err) {
  if (out.flush()) return code;
  err << fmt::format("worker: cannot write to standard output: {}\n", std::strerror(out.error()));
  return code == static_cast<int>(ExitCode::kSuccess) ? static_cast<int>(ExitCode::kInternal) : code;
}

}  // namespace

int run_worker(const std::string& program, const std::vector<std::string>& arguments, OutputStream& out,
               std::ostream& err) {
  if (arguments == std::vector<std::string>{kTrialArgument}) return run_trial_child();
  try {
    const Options options = [&] {
      try {
        return parse_options(arguments, {program, std::getenv("NCCL_TESTS_MIN_BW"), std::getenv("NCCL_TESTS_DEVICE"),
                                         std::getenv("NCCL_TESTS_SPLIT"), std::getenv("NCCL_TESTS_SPLIT_MASK")});
      } catch (const UserError& error) {
        complain(error, err);
        throw;
      }
    }();
    if (options.help) print_help(out);
    if (options.version) out << "ringrun worker version " << kVersion << '\n';
    if (options.help || options.version) return code_after_output(static_cast<int>(ExitCode::kSuccess), out, err);
    // Outlives the handlers: after an error the job is ended first, and nothing is taken down that could wait for a
    // peer.
    std::optional<Process> process;
    try {
      process.emplace(options, out);
      try {
        return code_after_output(process->run(), out, err);
      } catch (const std::exception&) {
        process->tell_partial("an error");
        throw;
      }
    } catch (const CudaError& error) {
      return fail(err, ExitCode::kCuda, error.what());
    } catch (const MpiError& error) {
      std::this_thread::sleep_for(kForThePeersEnd);
      return fail(err, ExitCode::kInternal, error.what());
    } catch (const NcclError& error) {
      if (error.is_remote()) std::this_thread::sleep_for(kForThePeersEnd);
      return fail(err, ExitCode::kNccl, error.what());
    } catch (const Unsupported& error) {
      return fail(err, ExitCode::kUnsupported, error.what(), error.remedy());
    } catch (const UserError& error) {
      return fail(err, ExitCode::kUsage, error.what(), error.remedy());
    } catch (const std::exception& error) {
      return fail(err, ExitCode::kInternal, error.what());
    }
  } catch (const UserError&) {
    return static_cast<int>(ExitCode::kUsage);
  }
}

}  // namespace ringrun::worker
