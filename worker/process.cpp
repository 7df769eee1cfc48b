#include "worker/process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <ostream>
#include <thread>

#include "lib/error.hpp"
#include "lib/host/host_name.hpp"
#include "lib/mpi/launch_environment.hpp"
#include "worker/backend/backend_limits.hpp"
#include "worker/backend/host_memory.hpp"
#include "worker/backend/supported_choices.hpp"
#include "worker/ceiling/survey.hpp"
#include "worker/ceiling/survey_question.hpp"
#include "worker/launch_check.hpp"
#include "worker/network/mpi_interfaces.hpp"
#include "worker/network/network_choice_over_mpi.hpp"
#include "worker/placement/binding_report.hpp"
#include "worker/placement/plan_check.hpp"
#include "worker/placement/self_placement.hpp"
#include "worker/run_description.hpp"

namespace ringrun::worker {

Process::Process(const Options& options, std::ostream& out)
    : options_(options),
      out_(out),
      interruption_([this](const char* signal) { tell_interrupted(signal); }),
      timeouts_([this] { tell_partial("a deadline"); }),
      watch_(timeouts_.callbacks()),
      session_(start_mpi()) {}

void Process::tell_partial(const std::string& end) noexcept try {
  PartialReport* const reports = reporting_;
  if (reports != nullptr) reports->finish_partial("ended by " + end);
} catch (const std::exception& error) {
  // What ends the job is told all the same, and by its exit code.
  const std::string text = std::string("worker: ") + error.what() + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

/// Open MPI 4.1 kills a job as soon as one of its ranks has ended, and then reads no further, so the first process
/// gives its output time, and the others give it most of the second that is between mpirun's SIGTERM and its SIGKILL.
void Process::tell_interrupted(const char* signal) {
  constexpr std::chrono::milliseconds kForTheOutput{300};
  constexpr std::chrono::milliseconds kForTheFirst{800};
  tell_partial(signal);
  if (const auto rank = mpi::launch_environment().rank)
    std::this_thread::sleep_for(*rank > 0 ? kForTheFirst : kForTheOutput);
}

int Process::run() {
  check_world_size(team_);
  if (const auto refusal = refusal_of_different_options()) return refuse(*refusal, ExitCode::kUsage);
  place();
  const GpuLibrary library = load_library();
  exchange_facts(library);
  try {
    decision_ = choose_backend(options_, facts_);
  } catch (const Unsupported& refused) {
    return refuse(refused);
  }
  if (const auto refusal = refusal_by_plan(options_, facts_, decision_)) return refuse(*refusal);
  if (decision_.nccl && !choose_network()) return leave(ExitCode::kNetwork);
  if (!decision_.nccl) {
    if (const auto refusal = refusal_by_memory(options_, facts_)) return refuse(*refusal);
  }
  if (options_.scan) return scan(library);
  const std::vector<int> groups = split();
  if (const auto refusal = refusal_by_groups(options_, groups)) return refuse(*refusal);
  if (options_.tune_seconds > 0) return tune(library);
  collective_ = join(library);
  const std::vector<std::string> bindings = options_.reports_bindings ? bindings_of_all() : std::vector<std::string>();
  Options options = options_;
  const auto refusal_of = [this](const Operation& operation) { return agreed_refusal(operation); };
  if (const auto refusal = keep_supported(options, collective_->ranks(), refusal_of, decision_.remarks))
    return refuse(*refusal);
  if (const auto refusal = refusal_by_size(options.plan, collective_->ranks(), refusal_of)) return refuse(*refusal);

  if (options.plan.expects) survey(options.plan);
  TableHead head = describe(library, options, collective_->ranks());
  head.remarks.insert(head.remarks.end(), bindings.begin(), bindings.end());
  if (is_first()) {
    reports_.emplace(out_, options_, head);
    reporting_ = &*reports_;
  }
  const SweepSummary summary = options.soak_seconds > 0 ? soak(options) : sweep(options.plan);
  const MemoryReport memory = options_.reports_memory ? most_memory() : MemoryReport{};
  if (reports_) reports_->finish(memory);
  const ExitCode code = verdict(summary);
  finish();
  return static_cast<int>(code);
}

TableHead Process::describe(const GpuLibrary& library, const Options& options, int ranks) const {
  const int version = decision_.nccl ? library.backend->library_version() : 0;
  const std::string versions = decision_.nccl ? library.versions() : "mpi=" + mpi::library_version();
  return describe_run({options, facts_, decision_, versions, version, ranks, team_.groups()});
}

mpi::Session Process::start_mpi() {
  check_launcher();
  launched_ = mpi::launch_environment().rank.has_value();
  avoided_ = keep_mpi_off_dead_ends();
  const auto phase = watch_.enter("MPI_Init", options_.init_timeout);
  return {};
}

void Process::place() {
  const auto phase = watch_.enter("placement next to the GPU", options_.init_timeout);
  if (options_.backend == BackendChoice::kMpi) return;
  const int place = team_.local().rank;
  const ProcessView own = view_self(options_, launched_, mpi::launch_environment().local_rank.value_or(place));
  std::vector<ProcessView> host;
  for (const std::string& text : team_.gather_on_host(to_text(own))) host.push_back(process_view_from(text));
  placement_ = place_self(host, static_cast<std::size_t>(place));
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
  facts.binding = read_rank_binding(!library.devices.empty());
  facts.cpus = static_cast<int>(own_cpus().size());
  facts.placement = placement_;
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
  facts.memory = read_memory_rooms();
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
int Process::refuse(const UserError& refused, ExitCode code) {
  if (is_first()) fmt::print(stderr, "worker: {}\n  {}\n", refused.what(), refused.remedy());
  return leave(code);
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

/// After NCCL's start, which could have changed them.
std::vector<std::string> Process::bindings_of_all() {
  const auto phase = watch_.enter("exchange of the bindings", options_.init_timeout);
  const auto process = static_cast<std::size_t>(team_.process());
  const auto own = read_binding_rows(facts_[process], decision_.nccl ? decision_.devices[process] : std::vector<int>());
  std::vector<BindingRow> rows;
  for (const std::string& text : team_.gather(to_text(own))) {
    for (BindingRow& row : binding_rows_from(text)) rows.push_back(std::move(row));
  }
  return binding_lines(rows);
}

/// The refusal of the first process that has one: hosts may have different cards.
std::optional<std::string> Process::agreed_refusal(const Operation& operation) {
  const auto phase = watch_.enter("exchange of what the hosts can do", options_.init_timeout);
  for (const std::string& why : team_.gather_from_all(collective_->refusal(operation).value_or(""))) {
    if (!why.empty()) return why;
  }
  return std::nullopt;
}

/// Looks at the way of the data, for the rows to be held against it.
void Process::survey(const SweepPlan& plan) {
  const auto process = static_cast<std::size_t>(team_.process());
  path_ = survey_path(survey_question(options_, facts_, decision_, process), plan, *collective_, team_, watch_);
  decision_.remarks.insert(decision_.remarks.end(), path_.remarks.begin(), path_.remarks.end());
}

SweepSummary Process::sweep(const SweepPlan& plan) {
  SweepSummary total;
  std::uint32_t seed = 0;
  for (int cycle = 0; options_.cycles == 0 || cycle < options_.cycles; ++cycle) {
    const SweepSummary one = run_sweep(plan, *collective_, team_, watch_, seed, [&](const Row& row) {
      if (!reports_) return;
      Row judged = row;
      judge(judged, path_);
      reports_->add(judged);
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
  // There is none where the reports were ended by a signal meanwhile.
  const std::optional<Comparison> comparison = reports_ ? reports_->comparison() : std::nullopt;
  const bool failed = comparison && (comparison->is_slower() || comparison->compared == 0);
  const auto phase = watch_.enter("exchange of the comparison with the baseline", options_.plan.timeout);
  for (const std::string& text : team_.gather_from_all(failed ? "failed" : "")) {
    if (!text.empty()) return ExitCode::kWrongData;
  }
  return ExitCode::kSuccess;
}

}  // namespace ringrun::worker
