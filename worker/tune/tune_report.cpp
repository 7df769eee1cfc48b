#include "worker/tune/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "lib/text/byte_size.hpp"
#include "lib/version.hpp"

namespace ringrun::worker {

TuneReport::TuneReport(std::ostream& out, const TableHead& head, double budget, const std::string& json_file)
    : out_(out), head_(head) {
  findings_.budget = budget;
  if (!json_file.empty()) json_file_.emplace("-J", json_file);
  std::string sizes;
  for (std::int64_t bytes : head.plan.sizes) sizes += " " + format_byte_size(bytes);
  out << fmt::format("# ringrun worker version {} {}\n", kVersion, head.versions)
      << fmt::format("# Tuning {}_perf: {} {}, out-of-place, sizes{}, within {:g} s\n", name_of(head.plan.kind),
                     name_of(head.plan.types.front()), name_of(head.plan.ops.front()), sizes, budget);
  print_devices(out, head);
  out.flush();
}

void TuneReport::begin(const std::vector<TunedHost>& hosts, const NetworkWay& way, const Conductor& conductor) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  findings_.hosts = hosts;
  findings_.ways = way.ways;
  findings_.why_none = way.why_none;
  findings_.left_out = conductor.left_out();
  findings_.tuned = conductor.tuned();
  out_ << fmt::format("# Ranks are joined by {}\n", way.ways);
  if (!way.why_none.empty()) {
    out_ << fmt::format("# Nothing to tune here: {}\n", way.why_none);
  } else if (way.settings.empty()) {
    out_ << "# Nothing to tune here: every setting that would be tried is set already\n";
  } else {
    const std::size_t settings = conductor.tuned().settings.size();
    out_ << fmt::format(
        "# {} setting{} in turn, each in fresh processes on every rank, about {:.1f} s each, in another order every "
        "round\n",
        settings, settings == 1 ? "" : "s", conductor.seconds_of_trial());
  }
  out_.flush();
}

void TuneReport::set(const TuneRounds& tuned, double elapsed) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  // In time: an interruption leaves little of it.
  if (tuned.rounds.size() != findings_.tuned.rounds.size())
    noise_factor_ = noise_factor(tuned.rounds.size(), tuned.settings.size(), classes_of(tuned.sizes).size());
  findings_.tuned = tuned;
  findings_.elapsed = elapsed;
  line_.clear();
  line_.write(fmt::format("tuning: {} rounds, {:.0f} of {:g} s", tuned.rounds.size(), elapsed, findings_.budget));
}

void TuneReport::finish(const std::string& failure, double elapsed) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  findings_.failure = failure;
  findings_.elapsed = elapsed;
  end();
}

void TuneReport::finish_partial(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  const std::size_t rounds = findings_.tuned.rounds.size();
  findings_.partial = fmt::format("{} after {} round{}", why, rounds, rounds == 1 ? "" : "s");
  end();
}

/// The file first: the text is left as it is where nobody reads it.
void TuneReport::end() {
  ended_ = true;
  findings_.verdicts = verdicts_of(findings_.tuned, noise_factor_);
  line_.end();
  if (json_file_) json_file_->write(json_of(findings_, head_) + '\n');
  out_ << text_of(findings_);
  out_.flush();
}

}  // namespace ringrun::worker
