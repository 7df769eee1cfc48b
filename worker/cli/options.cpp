// cxxopts would split values at commas.
#define CXXOPTS_VECTOR_DELIMITER '\0'
#include "worker/cli/options.hpp"

#include <array>
#include <charconv>
#include <cxxopts.hpp>
#include <ostream>

#include "lib/error.hpp"
#include "lib/text/byte_size.hpp"
#include "worker/sweep/sizes.hpp"

namespace ringrun::worker {
namespace {

// What scripts for nccl-tests may say with its default value; other values are refused.
constexpr std::array kOnlyZero{"blocking",   "cudagraph",      "report_cputime",        "report_timestamps",
                               "unalign",    "local_register", "device_implementation", "ctaPolicy",
                               "stream_null"};

const char* const kNotYet = "only 0, the default of nccl-tests";
const char* const kHelpRemedy = "'worker --help' lists the options";

cxxopts::Options option_table() {
  cxxopts::Options table(
      "worker",
      "Sweep of a collective operation over GPUs (NCCL) or host memory (MPI). One process per GPU, started by "
      "ringrun, mpirun or srun.\n");
  const auto text = [](const char* preset) { return cxxopts::value<std::string>()->default_value(preset); };
  table.add_options("Size")("b,minbytes", "smallest size; K, M, G are powers of 1024", text("32M"), "SIZE")(
      "e,maxbytes", "largest size", text("32M"), "SIZE")("i,stepbytes", "step between sizes", text("1M"), "SIZE")(
      "f,stepfactor", "factor between sizes, instead of a step", text("1"), "N");
  table.add_options("Operation")(
      "collective",
      "all_reduce, all_gather, reduce_scatter, broadcast, reduce, alltoall, alltoallv, gather, scatter, sendrecv or "
      "hypercube; where it is not given, the name that the program is called by (all_gather_perf), else all_reduce",
      text(""), "NAME")("o,op", "sum, prod, min, max, avg, mulsum, or all", text("sum"), "OP")(
      "d,datatype", "int8, uint8, int32, uint32, int64, uint64, half, float, double, bfloat16, f8e4m3, f8e5m2, or all",
      text("float"),
      "TYPE")("r,root", "root of a broadcast, reduce, gather or scatter; all (or -1): each in turn", text("0"), "RANK");
  table.add_options("Measurement")("n,iters", "timed operations of each size", text("20"), "N")(
      "w,warmup_iters", "operations before the first size", text("1"), "N")(
      "m,agg_iters", "operations in one group", text("1"), "N")("c,check", "checks of each size; 0: none", text("1"),
                                                                "N")(
      "a,average", "time over the processes: 0 rank 0, 1 average, 2 min, 3 max", text("1"), "0..3")(
      "N,run_cycles", "runs of the whole sweep; 0: until stopped", text("1"), "N");
  table.add_options("Placement")("backend",
                                 "auto, nccl or mpi; auto: NCCL where every process has a GPU, MPI where none has",
                                 text("auto"), "NAME")("g,ngpus", "GPUs of each process", text("1"), "N")(
      "t,nthreads", "accepted for nccl-tests' scripts; only 1", text("1"), "N")(
      "share-gpu", "allow several ranks on one GPU: each becomes a host of its own to NCCL (socket path)");
  table.add_options("Output")(
      "T,timeout",
      "seconds for any one wait, beyond what the data itself takes; then the job ends with exit code 4. 0: for ever",
      text("60"), "SECONDS")("J,output_file", "results as JSON", text(""), "FILE")("V,version", "print the version")(
      "h,help", "print this help");
  table.add_options("Compatibility")("z,blocking", kNotYet, text("0"), "0")("G,cudagraph", kNotYet, text("0"), "0")(
      "C,report_cputime", kNotYet, text("0"), "0")("S,report_timestamps", kNotYet, text("0"), "0")(
      "u,unalign", kNotYet, text("0"), "0")("R,local_register", kNotYet, text("0"), "0")(
      "D,device_implementation", kNotYet, text("0"), "0")("x,ctaPolicy", kNotYet, text("0"), "0")(
      "y,stream_null", kNotYet, text("0"), "0")(
      "p,parallel_init", "either value: every process starts its GPUs at once", text("0"), "0|1");
  table.custom_help("[options]");
  return table;
}

class Reader {
 public:
  explicit Reader(const cxxopts::ParseResult& parsed) : parsed_(parsed) {}

  std::string text(const char* option) const { return parsed_[option].as<std::string>(); }

  std::int64_t size(const char* option) const {
    try {
      return parse_byte_size(text(option));
    } catch (const UserError& error) {
      throw UserError(std::string("--") + option + ": " + error.what(), error.remedy());
    }
  }

  int integer(const char* option, int lowest, int highest = 1 << 30) const {
    const std::string value = text(option);
    int number = 0;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (code != std::errc{} || end != value.data() + value.size() || number < lowest || number > highest) {
      if (lowest == highest) {
        throw UserError(
            std::string("--") + option + ": '" + value + "' is not supported, only " + std::to_string(lowest),
            kHelpRemedy);
      }
      throw UserError(std::string("--") + option + ": '" + value + "' is not a whole number from " +
                          std::to_string(lowest) +
                          (highest < (1 << 30) ? " to " + std::to_string(highest) : " upwards"),
                      kHelpRemedy);
    }
    return number;
  }

  double seconds(const char* option) const { return amount("--" + std::string(option), text(option), "seconds"); }

  static double amount(const std::string& name, const std::string& value, const char* unit) {
    double number = 0;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (code != std::errc{} || end != value.data() + value.size() || !(number >= 0 && number < 1e9)) {
      throw UserError(name + ": '" + value + "' is not a number of " + unit, kHelpRemedy);
    }
    return number;
  }

  /// The one element that the option names, or nothing for "all".
  template <typename Element>
  std::vector<Element> elements(const char* option, std::optional<Element> (*from)(std::string_view),
                                const std::vector<Element>& all) const {
    const std::string name = text(option);
    if (name == "all") return all;
    if (const auto element = from(name)) return {*element};
    std::string known;
    for (Element element : all) known += std::string(name_of(element)) + ", ";
    throw UserError(std::string("--") + option + ": '" + name + "' is not known", "one of " + known + "all");
  }

 private:
  const cxxopts::ParseResult& parsed_;
};

BackendChoice backend_from(const std::string& name) {
  if (name == "auto") return BackendChoice::kAuto;
  if (name == "nccl") return BackendChoice::kNccl;
  if (name == "mpi") return BackendChoice::kMpi;
  throw UserError("--backend: '" + name + "' is not known", "one of auto, nccl, mpi");
}

CollectiveKind read_collective(const Reader& read, const std::string& program) {
  const std::string name = read.text("collective");
  if (name.empty()) return collective_of_program(program).value_or(CollectiveKind::kAllReduce);
  if (const auto kind = collective_from(name)) return *kind;
  std::string known;
  for (CollectiveKind kind : all_collectives()) known += (known.empty() ? "" : ", ") + std::string(name_of(kind));
  throw UserError("--collective: '" + name + "' is not known", "one of " + known);
}

/// An operation that the collective does not have is read, so that it is right, and then means nothing.
void read_operation(const Reader& read, Options& options) {
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

void read_sizes(const Reader& read, Options& options) {
  options.smallest = read.size("minbytes");
  options.largest = read.size("maxbytes");
  options.step = read.size("stepbytes");
  options.factor = read.integer("stepfactor", 1);
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
  options.plan.sizes = sweep_sizes(options.smallest, options.largest, options.step, options.factor);
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments, const Call& call) {
  std::vector<const char*> argv{"worker"};
  for (const auto& argument : arguments) argv.push_back(argument.c_str());
  cxxopts::Options table = option_table();
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
  options.help = parsed.count("help") > 0;
  options.version = parsed.count("version") > 0;
  const Reader read(parsed);
  read_sizes(read, options);
  options.gpus = read.integer("ngpus", 1);
  options.cycles = read.integer("run_cycles", 0);
  options.json_file = read.text("output_file");
  options.backend = backend_from(read.text("backend"));
  options.share_gpu = parsed.count("share-gpu") > 0;
  read.integer("nthreads", 1, 1);
  read.integer("parallel_init", 0, 1);
  for (const char* option : kOnlyZero) read.integer(option, 0, 0);
  if (call.least_bandwidth != nullptr) {
    options.least_bandwidth = Reader::amount("NCCL_TESTS_MIN_BW", call.least_bandwidth, "GB/s");
  }

  SweepPlan& plan = options.plan;
  plan.kind = read_collective(read, call.program);
  read_operation(read, options);
  plan.iterations = read.integer("iters", 1);
  plan.warmups = read.integer("warmup_iters", 0);
  plan.aggregate = read.integer("agg_iters", 1);
  plan.checks = read.integer("check", 0);
  plan.across = static_cast<TimeAcross>(read.integer("average", 0, 3));
  plan.timeout = read.seconds("timeout");
  return options;
}

void print_help(std::ostream& out) {
  out << option_table().help({"Size", "Operation", "Measurement", "Placement", "Output", "Compatibility"});
}

}  // namespace ringrun::worker
