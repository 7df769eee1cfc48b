#include "worker/process.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <ostream>
#include <thread>

#include "lib/error.hpp"
#include "lib/host/host_name.hpp"
#include "lib/mpi/launch_environment.hpp"
#include "worker/backend/backend_limits.hpp"
#include "worker/backend/mpi_collective.hpp"
#include "worker/backend/supported_choices.hpp"
#include "worker/network/mpi_interfaces.hpp"
#include "worker/network/network_choice_over_mpi.hpp"
#include "worker/run_description.hpp"

namespace ringrun::worker {
namespace {

int usable_cpus() {
  cpu_set_t mask;
  return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
}

/// Started by a loop of ssh, as PyTorch's ranks can be, every process would be "rank 0 of 1". To be asked before
/// MPI_Init, which then says that of itself in the environment.
void check_launcher() {
  const char* rank = std::getenv("RANK");
  const char* world_size = std::getenv("WORLD_SIZE");
  if (mpi::launch_environment().rank || rank == nullptr || world_size == nullptr || std::atoi(world_size) < 2) return;
  throw Unsupported(fmt::format("RANK={} and WORLD_SIZE={} are set, but no launcher of MPI started this process: it "
                                "would sweep alone",
                                rank, world_size),
                    "start it by ringrun, mpirun or srun --mpi=pmix; to sweep alone, unset RANK and WORLD_SIZE");
}

/// Where each process was started as a job of its own, every one would be "rank 0 of 1".
void check_world_size(const MpiTeam& team) {
  const auto launched = mpi::launch_environment().size.value_or(team.processes());
  if (launched == team.processes()) return;
  throw Unsupported(fmt::format("the launcher started {} processes, but MPI says this is {} of {}", launched,
                                team.process(), team.processes()),
                    "the launcher is of another MPI than the one this worker is linked with: use that one's mpirun, "
                    "or build the worker again");
}

}  // namespace

Process::Process(const Options& options, std::ostream& out)
    : options_(options),
      out_(out),
      interruption_([this](const char* signal) { tell_partial(signal); }),
      watch_(timeouts_.callbacks()),
      session_(start_mpi()) {}

/// Its thread uses the reports, which are gone before it otherwise.
Process::~Process() { interruption_.reset(); }

/// Only the first process has something to tell. Open MPI 4.1 kills a job as soon as one of its ranks has ended, and
/// then reads no further, so that one gives its output time, and the others give it most of the second that is between
/// mpirun's SIGTERM and its SIGKILL.
void Process::tell_partial(const char* signal) {
  constexpr std::chrono::milliseconds kForTheOutput{300};
  constexpr std::chrono::milliseconds kForTheFirst{800};
  Reports* const reports = reporting_;
  if (reports != nullptr) reports->finish_partial(std::string("ended by ") + signal);
  if (const auto rank = mpi::launch_environment().rank)
    std::this_thread::sleep_for(*rank > 0 ? kForTheFirst : kForTheOutput);
}

int Process::run() {
  check_world_size(team_);
  const GpuLibrary library = load_library();
  exchange_facts(library);
  try {
    decision_ = choose_backend(options_, facts_);
  } catch (const Unsupported& refused) {
    return refuse(refused);
  }
  if (decision_.nccl && !choose_network()) return leave(ExitCode::kNetwork);
  const std::vector<int> groups = split();
  if (const auto refusal = refusal_by_groups(options_, groups)) return refuse(*refusal);
  collective_ = join(library);
  Options options = options_;
  const auto refusal_of = [this](const Operation& operation) { return agreed_refusal(operation); };
  if (const auto refusal = keep_supported(options, collective_->ranks(), refusal_of, decision_.remarks))
    return refuse(*refusal);

  const std::string versions = decision_.nccl
                                   ? fmt::format("nccl-headers={} nccl-library={}", library.backend->header_version(),
                                                 library.backend->library_version())
                                   : "mpi=" + mpi::library_version();
  const TableHead head =
      describe_run({options, facts_, decision_, versions, decision_.nccl ? library.backend->library_version() : 0,
                    collective_->ranks(), team_.groups()});
  if (is_first()) {
    reports_.emplace(out_, options_, head);
    reporting_ = &*reports_;
  }
  const SweepSummary summary = options.soak_seconds > 0 ? soak(options) : sweep(options.plan);
  const MemoryReport memory = options_.reports_memory ? most_memory() : MemoryReport{};
  if (reports_) reports_->finish(memory);
  const ExitCode code = verdict(summary);
  finish();
  if (!out_) throw SystemError("write to standard output", std::strerror(errno), errno);
  return static_cast<int>(code);
}

mpi::Session Process::start_mpi() {
  check_launcher();
  avoided_ = keep_mpi_off_dead_ends();
  const auto phase = watch_.enter("MPI_Init", options_.init_timeout);
  return {};
}

GpuLibrary Process::load_library() {
  if (options_.backend == BackendChoice::kMpi) return {};
  const auto phase = watch_.enter("start of CUDA", options_.init_timeout);
  return load_gpu_library();
}

ProcessFacts Process::read_own_facts(const GpuLibrary& library) const {
  const MpiTeam::Local local = team_.local();
  ProcessFacts facts;
  facts.host = host_name();
  facts.pid = getpid();
  facts.cpus = usable_cpus();
  facts.local_rank = mpi::launch_environment().local_rank.value_or(local.rank);
  facts.local_size = local.size;
  facts.leader = local.leader;
  facts.group = options_.split.group_of(team_.process());
  facts.first_device = options_.first_device.value_or(-1);
  facts.avoided = avoided_;
  facts.nccl_version = library.backend == nullptr ? 0 : library.backend->library_version();
  facts.host_has_gpu = library.host_has_gpu;
  facts.why_no_gpu = library.why_not;
  facts.devices = library.devices;
  return facts;
}

void Process::exchange_facts(const GpuLibrary& library) {
  const auto phase = watch_.enter("exchange of the hosts' facts", options_.init_timeout);
  for (const std::string& text : team_.gather(to_text(read_own_facts(library)))) {
    facts_.push_back(process_facts_from(text));
  }
  std::vector<std::string> hosts;
  for (const auto& process : facts_) hosts.push_back(process.host);
  timeouts_.set_hosts(hosts);
}

bool Process::choose_network() {
  // ringrun has chosen already, with more hosts' words.
  if (mpi::launch_environment().by_ringrun) return true;
  NetworkQuestion question;
  for (const ProcessFacts& process : facts_) question.leaders.push_back(process.leader);
  question.read_quick = read_own_host;
  question.read_all = [] { return read_host_facts({}); };
  question.timeout = options_.init_timeout;
  const NetworkOutcome outcome = choose_over_mpi(team_, watch_, question);
  if (is_first()) fmt::print(stderr, "{}", text_of(outcome.findings));
  decision_.remarks.insert(decision_.remarks.end(), outcome.remarks.begin(), outcome.remarks.end());
  // NCCL reads it with the first call that needs the network, which is still to come.
  if (!outcome.socket_ifname.empty()) setenv("NCCL_SOCKET_IFNAME", outcome.socket_ifname.c_str(), 0);
  return !has_errors(outcome.findings);
}

/// Every process came to the same refusal, so one says it and all leave in order.
int Process::refuse(const Unsupported& refused) {
  if (is_first()) fmt::print(stderr, "worker: {}\n  {}\n", refused.what(), refused.remedy());
  return leave(ExitCode::kUnsupported);
}

int Process::leave(ExitCode code) {
  const auto phase = watch_.enter("end of the job", options_.plan.timeout);
  session_.finish();
  return static_cast<int>(code);
}

/// The ranks of each group.
std::vector<int> Process::split() {
  std::vector<int> colors;
  std::map<int, int> sizes;
  for (const ProcessFacts& facts : facts_) {
    colors.push_back(facts.group);
    sizes[facts.group] += options_.ranks_of_process();
  }
  const auto phase = watch_.enter("split into groups", options_.init_timeout);
  team_.split(colors);
  std::vector<int> ranks;
  for (const auto& [group, size] : sizes) ranks.push_back(size);
  return ranks;
}

/// Of the processes of the first group, what the one that took most has taken of each kind.
MemoryReport Process::most_memory() {
  const auto phase = watch_.enter("exchange of the memory's use", options_.plan.timeout);
  MemoryReport report = collective_->memory();
  std::vector<double> bytes;
  for (const MemoryUse& use : report.uses) bytes.push_back(use.bytes);
  bytes = team_.largest(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) report.uses[i].bytes = bytes[i];
  return report;
}

std::unique_ptr<Collective> Process::join(const GpuLibrary& library) {
  const auto process = static_cast<std::size_t>(team_.process());
  if (!decision_.nccl) {
    return make_mpi_collective({static_cast<std::size_t>(options_.largest), options_.misalignment,
                                facts_[process].local_size, team_.group_communicator()});
  }
  if (decision_.shared_gpu) {
    // NCCL refuses two ranks on one card of one host, and takes each for a host of its own where this says so.
    setenv("NCCL_HOSTID", fmt::format("{}-{}", host_name(), team_.process()).c_str(), 0);
  }
  std::string id;
  {
    const auto phase = watch_.enter("broadcast of NCCL's id", options_.init_timeout);
    id = team_.broadcast(team_.leads_group() ? library.backend->make_unique_id() : "");
    // A broadcast may return before the others have it; NCCL would then wait where no deadline names anybody.
    team_.barrier();
  }
  const auto phase = watch_.enter("start of NCCL", options_.init_timeout);
  const int ranks_here = options_.ranks_of_process();
  const GpuBackend::Placement placement{team_.group_processes() * ranks_here, team_.group_process() * ranks_here,
                                        decision_.devices[process]};
  GpuBackend::Settings settings;
  settings.max_bytes = static_cast<std::size_t>(options_.largest);
  settings.misalignment = options_.misalignment;
  settings.threads = options_.threads;
  settings.parallel_init = options_.parallel_init;
  settings.registration = options_.registration;
  settings.cta_policy = options_.cta_policy;
  settings.null_stream = options_.null_stream;
  settings.checks_graphs = options_.plan.graph_launches > 0;
  return library.backend->join(id, placement, settings);
}

/// The refusal of the first process that has one: hosts may have different cards.
std::optional<std::string> Process::agreed_refusal(const Operation& operation) {
  const auto phase = watch_.enter("exchange of what the hosts can do", options_.init_timeout);
  for (const std::string& why : team_.gather_from_all(collective_->refusal(operation).value_or(""))) {
    if (!why.empty()) return why;
  }
  return std::nullopt;
}

SweepSummary Process::sweep(const SweepPlan& plan) {
  SweepSummary total;
  std::uint32_t seed = 0;
  for (int cycle = 0; options_.cycles == 0 || cycle < options_.cycles; ++cycle) {
    const SweepSummary one = run_sweep(plan, *collective_, team_, watch_, seed, [&](const Row& row) {
      if (reports_) reports_->add(row);
    });
    total += one;
  }
  return total;
}

SweepSummary Process::soak(const Options& options) {
  SweepSummary summary;
  summary.wrong =
      run_soak(options.plan, options.soak_seconds, *collective_, team_, watch_, [this](const SoakResult& result) {
        if (reports_) reports_->set_soak(result);
      }).wrong;
  return summary;
}

void Process::finish() {
  const auto phase = watch_.enter("end of the job", options_.plan.timeout);
  collective_->finish();
  session_.finish();
}

/// The same on every process; only the first one has compared.
ExitCode Process::verdict(const SweepSummary& summary) {
  if (summary.wrong > 0 || !summary.is_fast_enough(options_.least_bandwidth.value_or(0))) return ExitCode::kWrongData;
  if (options_.baseline_file.empty()) return ExitCode::kSuccess;
  const bool failed = reports_ && (reports_->comparison()->is_slower() || reports_->comparison()->compared == 0);
  const auto phase = watch_.enter("exchange of the comparison with the baseline", options_.plan.timeout);
  for (const std::string& text : team_.gather_from_all(failed ? "failed" : "")) {
    if (!text.empty()) return ExitCode::kWrongData;
  }
  return ExitCode::kSuccess;
}

}  // namespace ringrun::worker
