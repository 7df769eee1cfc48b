#include "worker/cli/options.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string_view>
#include <system_error>

#include "lib/error.hpp"
#include "worker/cli/long_options.hpp"
#include "worker/cli/option_checks.hpp"
#include "worker/cli/option_reader.hpp"
#include "worker/cli/option_table.hpp"
#include "worker/sweep/sizes.hpp"
#include "worker/tune/size_class.hpp"

namespace ringrun::worker {
namespace {

BackendChoice backend_from(const std::string& name) {
  if (name == "auto") return BackendChoice::kAuto;
  if (name == "nccl") return BackendChoice::kNccl;
  if (name == "mpi") return BackendChoice::kMpi;
  throw UserError("--backend: '" + name + "' is not known", "one of auto, nccl, mpi");
}

CollectiveKind read_collective(const OptionReader& read, const std::string& program) {
  const std::string name = read.text("collective");
  if (name.empty()) return collective_of_program(program).value_or(CollectiveKind::kAllReduce);
  if (const auto kind = collective_from(name)) return *kind;
  std::string known;
  for (CollectiveKind kind : all_collectives()) known += (known.empty() ? "" : ", ") + std::string(name_of(kind));
  throw UserError("--collective: '" + name + "' is not known", "one of " + known);
}

/// An operation that the collective does not have is read, so that it is right, and then means nothing.
void read_operation(const OptionReader& read, Options& options) {
  SweepPlan& plan = options.plan;
  const CollectiveDescription& collective = description_of(plan.kind);
  options.all_types = read.text("datatype") == "all";
  plan.types = read.elements<DataType>("datatype", data_type_from, all_data_types());
  options.all_ops = read.text("op") == "all" && collective.reduces;
  plan.ops = read.elements<ReduceOp>("op", reduce_op_from, all_reduce_ops());
  if (!collective.reduces) plan.ops = {ReduceOp::kSum};
  const bool all_roots = read.text("root") == "all" || read.text("root") == "-1";
  const int root = all_roots ? 0 : read.integer("root", 0);
  options.all_roots = all_roots && collective.has_root;
  plan.roots = {collective.has_root ? root : -1};
}

/// A tuning has few sizes, of all classes, and a soak all of them, where none are said. A scan has one.
void read_sizes(const OptionReader& read, const cxxopts::ParseResult& parsed, Options& options) {
  const bool tunes = parsed.count("tune") > 0;
  const bool soaks = !read.text("soak").empty();
  const bool scans = !read.text("scan").empty();
  const bool steps_given = parsed.count("stepbytes") > 0 || parsed.count("stepfactor") > 0;
  options.largest = read.size("maxbytes");
  options.smallest = parsed.count("minbytes") > 0 ? read.size("minbytes")
                     : scans                      ? options.largest
                     : tunes || soaks             ? std::min<std::int64_t>(8, options.largest)
                                                  : read.size("minbytes");
  options.step = read.size("stepbytes");
  options.factor = tunes && !steps_given ? 4 : read.integer("stepfactor", 1);
  if (options.smallest > options.largest) {
    throw UserError("--minbytes " + format_byte_size(options.smallest) + " is more than --maxbytes " +
                        format_byte_size(options.largest),
                    "give both: -b 8 -e 128M -f 2");
  }
  if (options.factor == 1 && options.step == 0 && options.smallest < options.largest) {
    throw UserError("--stepbytes 0 never reaches --maxbytes", "give a step (-i 1M) or a factor (-f 2)");
  }
  if (options.factor > 1 && options.smallest == 0 && options.largest > 0) {
    throw UserError("--minbytes 0 times --stepfactor stays 0", "begin at one element: -b 8");
  }
  const std::int64_t steps =
      options.factor > 1 ? 64 : (options.largest - options.smallest) / std::max<std::int64_t>(options.step, 1);
  if (steps > 1'000'000) {
    throw UserError("the sizes from --minbytes to --maxbytes are " + std::to_string(steps) + " steps",
                    "give a larger step (-i) or a factor (-f 2)");
  }
  // The steps between are a sweep's alone: their last one need not be the largest size.
  options.plan.sizes = scans   ? std::vector<std::int64_t>{options.largest}
                       : soaks ? std::vector<std::int64_t>{options.smallest, options.largest}
                               : sweep_sizes(options.smallest, options.largest, options.step, options.factor);
}

void read_nccl_settings(const OptionReader& read, Options& options) {
  options.parallel_init = read.yes("parallel_init");
  options.registration = read.integer("local_register", 0, 2);
  options.cta_policy = read.integer("ctaPolicy", 0, 2);
  options.null_stream = read.yes("stream_null");
  options.device_implementation = read.integer("device_implementation", 0);
  read.integer("device_cta_count", 1);
  options.misalignment = read.integer("unalign", 0, 1 << 20);
}

std::optional<ScanKind> read_scan(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (const auto kind = scan_from(name)) return kind;
  throw UserError("--scan: '" + name + "' is not known", "one of pairs, pairs:hosts, pairs:ranks, leave-one-out");
}

/// "60", or "init=30,op=60" with either of them alone.
void read_timeouts(const std::string& text, Options& options) {
  constexpr const char* kName = "--timeout";
  if (text.find('=') == std::string::npos) {
    options.init_timeout = options.plan.timeout = OptionReader::amount(kName, text, "seconds");
    return;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t sign = std::min(part.find('='), part.size());
    const std::string phase = part.substr(0, sign);
    if ((phase != "init" && phase != "op") || sign == part.size())
      throw UserError(std::string(kName) + ": '" + part + "' is no phase and its seconds", "--timeout init=30,op=60");
    const double seconds = OptionReader::amount(kName, part.substr(sign + 1), "seconds");
    (phase == "init" ? options.init_timeout : options.plan.timeout) = seconds;
    begin = end + 1;
  }
}

/// Also by another way to it, and where it does not exist yet.
bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code failed;
  const auto whole = [&failed](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, failed), failed);
  };
  return one == other || std::filesystem::equivalent(one, other, failed) || whole(one) == whole(other);
}

/// Names of files. An empty one is a variable of a script that was not set.
void read_files(const OptionReader& read, const cxxopts::ParseResult& parsed, Options& options) {
  for (const auto& [name, file] : {std::pair{"output_file", &options.json_file},
                                   {"csv", &options.csv_file},
                                   {"baseline", &options.baseline_file}}) {
    *file = read.text(name);
    if (parsed.count(name) > 0 && file->empty())
      throw UserError("--" + std::string(name) + " names no file", "give a file, or leave the option out");
  }
  options.allowed_growth = read.percent("max-regression");
  if (parsed.count("max-regression") > 0 && options.baseline_file.empty())
    throw UserError("--max-regression, but nothing to compare with", "name an earlier run's file: --baseline FILE");
  if (!options.csv_file.empty() && !options.json_file.empty() && is_same_file(options.csv_file, options.json_file))
    throw UserError("-J and --csv name the same file: " + options.csv_file, "give each its own");
}

void read_tuning(const OptionReader& read, bool sizes_given, Options& options) {
  options.tune_seconds = read.duration("tune");
  if (options.tune_seconds <= 0) throw UserError("--tune=0 leaves no time to try anything", "give seconds: --tune=60s");
  SweepPlan& plan = options.plan;
  plan.sizes = sizes_given ? thinned_sizes(plan.sizes) : default_tuned_sizes();
  options.smallest = plan.sizes.front();
  options.largest = plan.sizes.back();
}

/// Scripts that pass a variable on make an empty one of an unset one.
bool is_set(const char* variable) { return variable != nullptr && *variable != '\0'; }

}  // namespace

Options parse_options(const std::vector<std::string>& arguments, const Call& call) {
  // As getopt's programs do: who asks for help has not got it right yet.
  const auto asks_for_help = [](const std::string& word) { return word == "-h" || word == "--help"; };
  if (std::any_of(arguments.begin(), arguments.end(), asks_for_help)) {
    Options help;
    help.help = true;
    return help;
  }
  cxxopts::Options table = option_table();
  const std::vector<std::string> words = with_whole_names(table, arguments);
  std::vector<const char*> argv{"worker"};
  for (const auto& word : words) argv.push_back(word.c_str());
  const auto parsed = [&] {
    try {
      return table.parse(static_cast<int>(argv.size()), argv.data());
    } catch (const std::exception& error) {  // cxxopts renamed its exceptions between 3.0 and 3.1
      throw UserError(error.what(), kHelpRemedy);
    }
  }();
  if (!parsed.unmatched().empty()) {
    throw UserError("'" + parsed.unmatched().front() + "' is not an option of the worker", kHelpRemedy);
  }

  Options options;
  options.command = arguments;
  options.command.insert(options.command.begin(), call.program);
  options.version = parsed.count("version") > 0;
  const OptionReader read(parsed);
  read_sizes(read, parsed, options);
  options.gpus = read.integer("ngpus", 1);
  options.cycles = read.integer("run_cycles", 0);
  read_files(read, parsed, options);
  options.soak_seconds = read.duration("soak");
  if (parsed.count("soak") > 0 && options.soak_seconds <= 0)
    throw UserError("--soak: there is no time to check anything", "give it a time: --soak 10m");
  options.backend = backend_from(read.text("backend"));
  options.share_gpu = parsed.count("share-gpu") > 0;
  options.reports_bindings = parsed.count("report-bindings") > 0;
  options.threads = read.integer("nthreads", 1);
  options.split = parse_split(call.split_mask, call.split);
  if (is_set(call.device) && call.device != std::string_view("-1"))
    options.first_device = OptionReader::integer("NCCL_TESTS_DEVICE", call.device, 0);
  read_nccl_settings(read, options);
  options.reports_cpu_time = read.yes("report_cputime");
  options.reports_timestamps = read.yes("report_timestamps");
  options.reports_memory = read.yes("memory");
  if (is_set(call.least_bandwidth) && call.least_bandwidth != std::string_view("-1"))
    options.least_bandwidth = OptionReader::amount("NCCL_TESTS_MIN_BW", call.least_bandwidth, "GB/s");

  SweepPlan& plan = options.plan;
  plan.kind = read_collective(read, call.program);
  read_operation(read, options);
  plan.iterations = read.integer("iters", 1);
  plan.warmups = read.integer("warmup_iters", 0);
  plan.aggregate = read.integer("agg_iters", 1);
  plan.checks_timed = read.text("check") == "timed";
  plan.checks = plan.checks_timed ? 1 : read.integer("check", 0);
  plan.across = static_cast<TimeAcross>(read.integer("average", 0, 3));
  read_timeouts(read.text("timeout"), options);
  plan.graph_launches = read.integer("cudagraph", 0);
  plan.blocking = static_cast<Blocking>(read.integer("blocking", 0, 3));
  plan.each_iteration = read.yes("per_iter_timing");
  plan.skipped_iterations = read.integer("per_iter_skip", 0);
  plan.expects = parsed.count("expected") > 0;
  plan.samples = parsed.count("stats") > 0;
  options.scan = read_scan(read.text("scan"));
  if (parsed.count("tune") > 0)
    read_tuning(read, parsed.count("minbytes") > 0 || parsed.count("maxbytes") > 0, options);
  check_options(options);
  // A soak takes no times, and the environment may ask it of all sweeps.
  if (options.soak_seconds > 0) options.least_bandwidth.reset();
  return options;
}

void print_help(std::ostream& out) {
  out << option_table().help({"Size", "Operation", "Measurement", "Placement", "NCCL", "Output"});
}

}  // namespace ringrun::worker
