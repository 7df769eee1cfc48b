#include "worker/report/baseline.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <thread>

#include "lib/descriptor.hpp"
#include "lib/error.hpp"

namespace ringrun::worker {
namespace {

using nlohmann::json;

std::string key_of(std::string_view collective, std::int64_t bytes, std::string_view type, std::string_view op,
                   std::int64_t root, int group, const char* placement) {
  std::string key = fmt::format("{} {} B {}", collective, bytes, type);
  if (op != "none") key += fmt::format(" {}", op);
  if (root >= 0) key += fmt::format(" root {}", root);
  if (group != 0) key += fmt::format(" group {}", group);
  return key + ", " + placement;
}

/// nccl-tests writes some numbers as texts. No number for what has more in it.
double number_from(const json& value) {
  if (!value.is_string()) return value.get<double>();
  const auto text = value.get<std::string>();
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0' ? number : std::nan("");
}

/// Nothing where it is no time: null, "N/A", 0.
std::optional<double> time_from(const json& value) {
  if (!value.is_string() && !value.is_number()) return std::nullopt;
  const double time = number_from(value);
  return std::isfinite(time) && time > 0 ? std::optional(time) : std::nullopt;
}

/// What a parser quotes of a file need not be text.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char each) { return each < ' ' || each > '~'; }, '?');
  return text;
}

/// Nothing with errno set, ETIMEDOUT where nobody writes to a pipe.
std::optional<std::string> read_whole(const std::string& file) {
  using std::chrono::steady_clock;
  constexpr std::chrono::seconds kForTheWriter{5};
  const Descriptor in(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat kind {};
  if (!in || ::fstat(in.get(), &kind) != 0) return std::nullopt;
  auto end = steady_clock::now() + kForTheWriter;
  std::string text;
  std::array<char, 65536> part{};
  while (true) {
    const ssize_t count = ::read(in.get(), part.data(), part.size());
    if (count > 0) {
      text.append(part.data(), static_cast<std::size_t>(count));
      end = steady_clock::now() + kForTheWriter;
      continue;
    }
    // A pipe that nobody has opened yet looks like one that has ended.
    const bool not_yet = count < 0 ? errno == EAGAIN || errno == EINTR : S_ISFIFO(kind.st_mode) && text.empty();
    if (!not_yet) return count < 0 ? std::nullopt : std::optional(text);
    if (steady_clock::now() > end) {
      errno = ETIMEDOUT;
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

constexpr int kNewestSchema = 3;

void require_comparable(const json& whole, const std::string& file, const ComparedJob& now) {
  const auto refuse = [&](const std::string& why) {
    throw UserError("--baseline: " + file + " " + why, "compare with a file that -J wrote for the same job");
  };
  const double schema = whole.contains("version") ? number_from(whole["version"]) : kNewestSchema;
  if (!(schema >= 1 && schema <= kNewestSchema))
    refuse(fmt::format("has schema {:g}, which the worker does not know", schema));
  const std::size_t ranks = whole.value("config", json::object()).value("devices", json::array()).size();
  if (ranks > 0 && ranks != now.ranks)
    refuse(fmt::format("is of {} rank{}, and this job has {}", ranks, ranks == 1 ? "" : "s", now.ranks));
  if (!whole.contains("nccl_version")) return;
  const bool over_mpi = number_from(whole["nccl_version"]) == 0;
  if (over_mpi != now.over_mpi)
    refuse(over_mpi ? "is of MPI, and this job uses NCCL" : "is of NCCL, and this job uses MPI");
}

/// Of a mean over so many iterations, or of their median: two standard errors of the mean.
double error_of(const Statistics& spread, std::size_t iterations) {
  if (spread.average <= 0 || iterations < 2) return 0;
  return 2 * spread.deviation / spread.average / std::sqrt(static_cast<double>(iterations));
}

double error_in(const json& result, const std::string& placement) {
  const json stats = result.value("ringrun", json::object()).value(placement + "_stats", json());
  const json spread = stats.is_object() ? stats : result.value(placement + "_per_iter", json());
  if (!spread.is_object() || !spread.contains("stdev_us")) return 0;
  // Of all those times, also of the first ones, which the statistics may leave out.
  const double iterations = spread.contains("iterations")
                                ? number_from(spread["iterations"])
                                : static_cast<double>(spread.value("times_us", json::array()).size()) -
                                      number_from(spread.value("skipped_iterations", json(0)));
  Statistics statistics;
  statistics.average = number_from(spread.value("avg_us", json(0)));
  statistics.deviation = number_from(spread["stdev_us"]);
  return error_of(statistics, static_cast<std::size_t>(std::max(0.0, iterations)));
}

/// Of the median of the cycles: what each cycle knows of itself, or how far they lie apart.
double error_of(const Timing& timing) {
  return std::max(timing.error, error_of(statistics_of(timing.microseconds), timing.microseconds.size()));
}

}  // namespace

bool Comparison::is_slower() const {
  return std::any_of(differences.begin(), differences.end(), [](const Difference& each) { return each.slower(); });
}

Timings baseline_from(const std::string& text, const std::string& file, const ComparedJob& now) {
  Timings timings;
  try {
    const json whole = json::parse(text);
    if (whole.is_object()) require_comparable(whole, file, now);
    for (const json& result : whole.at("results")) {
      std::string collective = result.value("experiment_name", "all_reduce_perf");
      collective = collective.substr(0, collective.rfind("_perf"));
      for (const std::string placement : {"out_of_place", "in_place"}) {
        const json& measured = result.at(placement);
        const auto time = measured.contains("time") ? time_from(measured["time"]) : std::nullopt;
        if (!time) continue;
        Timing& timing = timings[key_of(collective, static_cast<std::int64_t>(number_from(result.at("size"))),
                                        result.at("type").get<std::string>(), result.at("redop").get<std::string>(),
                                        static_cast<std::int64_t>(number_from(result.at("root"))),
                                        result.value("ringrun", json::object()).value("group", 0),
                                        placement == "in_place" ? "in-place" : "out-of-place")];
        timing.microseconds.push_back(*time);
        timing.error = std::max(timing.error, error_in(result, placement));
      }
    }
  } catch (const json::exception& error) {
    throw UserError(
        "--baseline: " + file + " is not the worker's JSON, nor that of nccl-tests: " + printable(error.what()),
        "give a file that was written by -J");
  }
  if (timings.empty())
    throw UserError("--baseline: " + file + " has no measurement with a time", "give a file that was written by -J");
  return timings;
}

Timings read_baseline(const std::string& file, const ComparedJob& now) {
  const auto text = read_whole(file);
  if (!text) {
    const std::string why = errno == ETIMEDOUT ? "nobody writes to that pipe" : std::strerror(errno);
    throw UserError("--baseline: cannot read " + file + ": " + why, "give a file that was written by -J");
  }
  if (text->empty()) throw UserError("--baseline: " + file + " is empty", "give a file that was written by -J");
  return baseline_from(*text, file, now);
}

void add_row(Timings& timings, const Row& row) {
  const Operation& operation = row.operation;
  for (const Measurement* measured : {&row.out_of_place, &row.in_place}) {
    Timing& timing =
        timings[key_of(name_of(operation.kind), static_cast<std::int64_t>(operation.bytes()), name_of(operation.type),
                       operation.description().reduces ? name_of(operation.op) : "none", operation.root, row.group,
                       measured == &row.in_place ? "in-place" : "out-of-place")];
    timing.microseconds.push_back(measured->seconds * 1e6);
    const double error =
        measured->sample ? error_of(measured->sample->inside, static_cast<std::size_t>(measured->sample->iterations))
                         : error_of(measured->statistics(), measured->counted_iterations().size());
    timing.error = std::max(timing.error, error);
  }
}

Comparison compare(const Timings& before, const Timings& now, double allowed) {
  Comparison comparison;
  for (const auto& [what, timing] : now) {
    const auto earlier = before.find(what);
    if (earlier == before.end()) {
      ++comparison.missing;
      continue;
    }
    ++comparison.compared;
    Difference difference{what, upper_median_of(earlier->second.microseconds), upper_median_of(timing.microseconds),
                          std::hypot(error_of(earlier->second), error_of(timing))};
    if (difference.before > 0 && std::abs(difference.change()) > allowed + difference.noise)
      comparison.differences.push_back(std::move(difference));
  }
  return comparison;
}

std::string text_of(const Comparison& comparison, const std::string& file, double allowed) {
  std::string text;
  for (const Difference& each : comparison.differences) {
    text += fmt::format("# {}: {}: {:.2f} us, before {:.2f} ({:+.1f} %, noise {:.1f} %)\n",
                        each.slower() ? "Slower" : "Faster", each.what, each.now, each.before, 100 * each.change(),
                        100 * each.noise);
  }
  const bool once = std::any_of(comparison.differences.begin(), comparison.differences.end(),
                                [](const Difference& each) { return each.noise == 0; });
  if (once) text += "# Where no noise is known, one time is compared with one: -N 5 in both runs tells it\n";
  text += fmt::format("# Baseline {}: {} measurements compared, {} not in it; {}\n", file, comparison.compared,
                      comparison.missing,
                      comparison.compared == 0 ? "nothing in common: FAILED"
                      : comparison.is_slower() ? fmt::format("slower by more than {:g} %: FAILED", 100 * allowed)
                                               : fmt::format("none slower by more than {:g} %: OK", 100 * allowed));
  return text;
}

}  // namespace ringrun::worker
