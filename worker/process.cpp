#include "worker/process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <ostream>

#include "lib/error.hpp"
#include "lib/host/host_name.hpp"
#include "lib/mpi/launch_environment.hpp"
#include "worker/backend/mpi_collective.hpp"
#include "worker/network/mpi_interfaces.hpp"
#include "worker/network/network_choice_over_mpi.hpp"

namespace ringrun::worker {
namespace {

int usable_cpus() {
  cpu_set_t mask;
  return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
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

std::string short_name(const std::string& host) { return host.substr(0, host.find('.')); }

/// "MPI keeps off docker0 on a, b": a line for each set of interfaces.
std::vector<std::string> avoided_interfaces(const std::vector<ProcessFacts>& facts) {
  std::map<std::vector<std::string>, std::string> hosts;
  for (std::size_t process = 0; process < facts.size(); ++process) {
    if (facts[process].avoided.empty() || facts[process].leader != static_cast<int>(process)) continue;
    std::string& names = hosts[facts[process].avoided];
    names += (names.empty() ? "" : ", ") + short_name(facts[process].host);
  }
  std::vector<std::string> lines;
  for (const auto& [interfaces, names] : hosts) {
    lines.push_back(fmt::format("MPI keeps off {} on {}: no way to another host", fmt::join(interfaces, ", "), names));
  }
  return lines;
}

}  // namespace

Process::Process(const Options& options, std::ostream& out)
    : options_(options), out_(out), watch_(timeouts_.callbacks()), session_(start_mpi()) {}

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
  collective_ = join(library);
  Options options = options_;
  if (const auto refusal = keep_supported(options)) return refuse(*refusal);

  const TableHead head = describe(library, options);
  std::optional<JsonReport> json;
  if (is_first() && !options_.json_file.empty()) json.emplace(options_.json_file, head);
  if (is_first()) print_head(out_, head);
  const SweepSummary summary = sweep(options.plan, json);
  if (is_first()) print_foot(out_, options_.plan.kind, summary, options_.least_bandwidth);
  if (json) json->write(summary, options_.least_bandwidth);
  finish();
  if (!out_) throw SystemError("write to standard output", std::strerror(errno), errno);
  return static_cast<int>(verdict(summary));
}

mpi::Session Process::start_mpi() {
  avoided_ = keep_mpi_off_dead_ends();
  const auto phase = watch_.enter("MPI_Init", options_.plan.timeout);
  return {};
}

GpuLibrary Process::load_library() {
  if (options_.backend == BackendChoice::kMpi) return {};
  const auto phase = watch_.enter("start of CUDA", options_.plan.timeout);
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
  facts.avoided = avoided_;
  facts.nccl_version = library.backend == nullptr ? 0 : library.backend->library_version();
  facts.host_has_gpu = library.host_has_gpu;
  facts.why_no_gpu = library.why_not;
  facts.devices = library.devices;
  return facts;
}

void Process::exchange_facts(const GpuLibrary& library) {
  const auto phase = watch_.enter("exchange of the hosts' facts", options_.plan.timeout);
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
  question.timeout = options_.plan.timeout;
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

std::unique_ptr<Collective> Process::join(const GpuLibrary& library) {
  const auto max_bytes = static_cast<std::size_t>(options_.largest);
  const auto process = static_cast<std::size_t>(team_.process());
  if (!decision_.nccl) return make_mpi_collective(max_bytes, facts_[process].local_size);
  if (decision_.shared_gpu) {
    // NCCL refuses two ranks on one card of one host, and takes each for a host of its own where this says so.
    setenv("NCCL_HOSTID", fmt::format("{}-{}", host_name(), team_.process()).c_str(), 0);
  }
  std::string id;
  {
    const auto phase = watch_.enter("broadcast of NCCL's id", options_.plan.timeout);
    id = team_.broadcast(is_first() ? library.backend->make_unique_id() : "");
    // A broadcast may return before the others have it; NCCL would then wait where no deadline names anybody.
    team_.barrier();
  }
  const auto phase = watch_.enter("start of NCCL", options_.plan.timeout);
  const GpuBackend::Placement placement{team_.processes() * options_.gpus, team_.process() * options_.gpus,
                                        decision_.devices[process]};
  return library.backend->join(id, placement, max_bytes);
}

/// Drops from "all" what the backend lacks; what was asked for by name is refused instead.
std::optional<Unsupported> Process::keep_supported(Options& options) {
  SweepPlan& plan = options.plan;
  const CollectiveDescription& collective = description_of(plan.kind);
  const int ranks = collective_->ranks();
  if (plan.kind == CollectiveKind::kHypercube && (ranks & (ranks - 1)) != 0) {
    return Unsupported(fmt::format("a hypercube has 2, 4, 8 … ranks, not {}", ranks), "start another number of ranks");
  }
  if (options.all_roots) {
    plan.roots.resize(static_cast<std::size_t>(ranks));
    std::iota(plan.roots.begin(), plan.roots.end(), 0);
  }
  if (plan.roots.back() >= ranks) {
    return Unsupported(fmt::format("-r {}: the last of {} ranks is {}", plan.roots.back(), ranks, ranks - 1),
                       "give one of them, or all");
  }
  const auto keep = [&](auto& choices, bool all, const char* option,
                        auto operation_with) -> std::optional<Unsupported> {
    auto kept = choices;
    kept.clear();
    for (const auto choice : choices) {
      const auto why = agreed_refusal(operation_with(choice));
      if (why && !all) return Unsupported(*why, fmt::format("choose another with {}, or another --backend", option));
      if (why) decision_.remarks.push_back("Left out: " + *why);
      if (!why) kept.push_back(choice);
    }
    choices = kept;
    return std::nullopt;
  };
  Operation any;
  any.kind = plan.kind;
  const auto refused = keep(plan.types, options.all_types, "-d", [any](DataType type) mutable {
    any.type = type;
    return any;
  });
  if (refused || !collective.reduces) return refused;
  return keep(plan.ops, options.all_ops, "-o", [any](ReduceOp op) mutable {
    any.op = op;
    return any;
  });
}

/// The refusal of the first process that has one: hosts may have different cards.
std::optional<std::string> Process::agreed_refusal(const Operation& operation) {
  const auto phase = watch_.enter("exchange of what the hosts can do", options_.plan.timeout);
  for (const std::string& why : team_.gather(collective_->refusal(operation).value_or(""))) {
    if (!why.empty()) return why;
  }
  return std::nullopt;
}

TableHead Process::describe(const GpuLibrary& library, const Options& options) const {
  TableHead head;
  head.gpus = options.gpus;
  head.smallest = options.smallest;
  head.largest = options.largest;
  head.step = options.step;
  head.factor = options.factor;
  head.plan = options.plan;
  head.remarks = decision_.remarks;
  for (const std::string& remark : avoided_interfaces(facts_)) head.remarks.push_back(remark);
  head.versions = decision_.nccl ? fmt::format("nccl-headers={} nccl-library={}", library.backend->header_version(),
                                               library.backend->library_version())
                                 : "mpi=" + mpi::library_version();
  for (std::size_t process = 0; process < facts_.size(); ++process) {
    const ProcessFacts& facts = facts_[process];
    const std::string host = short_name(facts.host);
    if (!decision_.nccl) {
      head.devices.push_back({static_cast<int>(process), facts.pid, host,
                              fmt::format("host memory, {} CPU{}", facts.cpus, facts.cpus == 1 ? "" : "s")});
      continue;
    }
    for (int device : decision_.devices[process]) {
      const GpuDevice& gpu = facts.devices.at(static_cast<std::size_t>(device));
      head.devices.push_back({static_cast<int>(head.devices.size()), facts.pid, host,
                              fmt::format("device {:2} [{}] {}", gpu.index, gpu.bus_id, gpu.name)});
    }
  }
  if (collective_->ranks() == 1) {
    head.remarks.push_back(
        "One rank: out-of-place is a local copy, in-place does nothing, and bus bandwidth is not defined");
  }
  return head;
}

SweepSummary Process::sweep(const SweepPlan& plan, std::optional<JsonReport>& json) {
  SweepSummary total;
  std::uint32_t seed = 0;
  for (int cycle = 0; options_.cycles == 0 || cycle < options_.cycles; ++cycle) {
    const SweepSummary one = run_sweep(plan, *collective_, team_, watch_, seed, [&](const Row& row) {
      if (is_first()) print_row(out_, row);
      if (json) json->add(row);
    });
    total += one;
  }
  return total;
}

void Process::finish() {
  const auto phase = watch_.enter("end of the job", options_.plan.timeout);
  collective_->finish();
  session_.finish();
}

ExitCode Process::verdict(const SweepSummary& summary) const {
  if (summary.wrong > 0) return ExitCode::kWrongData;
  return summary.is_fast_enough(options_.least_bandwidth.value_or(0)) ? ExitCode::kSuccess : ExitCode::kWrongData;
}

}  // namespace ringrun::worker
