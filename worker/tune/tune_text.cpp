#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "lib/text/byte_size.hpp"
#include "lib/text/table.hpp"
#include "worker/sweep/statistics.hpp"
#include "worker/tune/tune_report.hpp"

namespace ringrun::worker {
namespace {

/// A line for each setting, as it is first; `cells` makes those behind its name, of a place among the settings or of
/// none.
template <typename Cells>
std::string table_of(const TuneFindings& findings, std::vector<std::string> head, bool with_as_it_is, Cells cells) {
  Table table(std::move(head));
  const auto add = [&](const TunedSetting& setting, std::optional<std::size_t> place) {
    std::vector<std::string> row = cells(place);
    row.insert(row.begin(), "  " + text_of(setting, findings.hosts));
    table.add_row(std::move(row));
  };
  if (with_as_it_is) add({}, std::nullopt);
  for (std::size_t s = 0; s < findings.tuned.settings.size(); ++s) add(findings.tuned.settings[s], s);
  std::ostringstream text;
  table.print(text);
  return text.str();
}

std::string times_table(const TuneFindings& findings) {
  const TuneRounds& tuned = findings.tuned;
  std::vector<std::string> head{"# time (us), median"};
  for (std::int64_t bytes : tuned.sizes) head.push_back(format_byte_size(bytes));
  return table_of(findings, head, true, [&](std::optional<std::size_t> setting) {
    std::vector<std::string> cells;
    for (std::size_t size = 0; size < tuned.sizes.size(); ++size) {
      std::vector<double> seconds;
      for (const TuneRound& round : tuned.rounds) {
        if (!setting) seconds.insert(seconds.end(), {round.as_it_is[size], round.as_it_is_again[size]});
        if (setting && !round.of_settings[*setting].empty()) seconds.push_back(round.of_settings[*setting][size]);
      }
      cells.push_back(seconds.empty() ? "-" : fmt::format("{:.1f}", upper_median_of(seconds) * 1e6));
    }
    return cells;
  });
}

std::string speeds_table(const TuneFindings& findings) {
  std::vector<std::string> head{"# times as fast as it is"};
  for (const ClassVerdict& verdict : findings.verdicts) head.push_back(text_of(verdict.size_class));
  return table_of(findings, head, false, [&](std::optional<std::size_t> setting) {
    std::vector<std::string> cells;
    for (const ClassVerdict& verdict : findings.verdicts) {
      const ClassEffect& effect = verdict.effects[*setting];
      cells.push_back(
          effect.effect == Effect::kFailed ? "failed" : fmt::format("{:.2f} {}", effect.speed, name_of(effect.effect)));
    }
    return cells;
  });
}

/// "NCCL_SOCKET_NTHREADS=1 …, …": those whose effect on the class this is, but for the recommended one.
std::string names_of(const TuneFindings& findings, const ClassVerdict& verdict, Effect effect) {
  std::string names;
  for (std::size_t s = 0; s < verdict.effects.size(); ++s) {
    if (verdict.effects[s].effect != effect || verdict.recommended == s) continue;
    names += (names.empty() ? "" : "; ") + text_of(findings.tuned.settings[s], findings.hosts);
  }
  return names;
}

std::string lines_of(const std::vector<PlacedLine>& lines, const std::string& everywhere, const std::string& on_host) {
  std::string text;
  for (const PlacedLine& placed : lines)
    text +=
        fmt::format("    {:<28} {}\n", (placed.host.empty() ? everywhere : on_host + placed.host) + ":", placed.line);
  return text;
}

std::string advice_of(const TuneFindings& findings, const ClassVerdict& verdict) {
  const std::string name = text_of(verdict.size_class);
  if (!verdict.recommended) {
    return fmt::format(
        "# {}: keep what is set; nothing is faster beyond noise (one time and the next of the same vary by {:.1f} %)\n",
        name, 100 * verdict.noise);
  }
  const std::size_t best = *verdict.recommended;
  const TunedSetting& setting = findings.tuned.settings[best];
  std::string text = fmt::format("# {}: {}\n    {:.2f} times as fast as it is, at least {:.2f} beyond noise ({:.1f} %)",
                                 name, text_of(setting, findings.hosts), verdict.effects[best].speed,
                                 verdict.effects[best].sure_speed, 100 * verdict.noise);
  for (const ClassVerdict& other : findings.verdicts) {
    if (other.size_class == verdict.size_class || other.effects[best].effect == Effect::kWithinNoise) continue;
    text += fmt::format("; {} {:.2f} times", name_of(other.size_class), other.effects[best].speed);
  }
  text += '\n';
  text += lines_of(hostfile_lines(setting, findings.hosts), "hostfile, a line of its own", "hostfile, behind ");
  text += lines_of(mpirun_lines(setting, findings.hosts), "plain mpirun", "~/.nccl.conf on ");
  const std::string others = names_of(findings, verdict, Effect::kFaster);
  if (!others.empty()) text += "    faster too: " + others + "\n";
  return text;
}

}  // namespace

std::string text_of(const TuneFindings& findings) {
  std::string text;
  const TuneRounds& tuned = findings.tuned;
  if (!findings.partial.empty()) text += "# PARTIAL: " + findings.partial + "\n";
  if (!findings.failure.empty()) text += "# FAILED with the environment as it is: " + findings.failure + "\n";
  for (std::size_t s = 0; s < tuned.settings.size(); ++s) {
    if (!tuned.failures[s].empty())
      text += fmt::format("# FAILED with {}: {}\n", text_of(tuned.settings[s], findings.hosts), tuned.failures[s]);
  }
  if (tuned.settings.empty()) return text;
  if (findings.left_out > 0)
    text += fmt::format("# {} more setting{} not tried in this time: give more, --tune=5m\n", findings.left_out,
                        findings.left_out == 1 ? " was" : "s were");
  if (!tuned.rounds.empty()) text += "#\n" + times_table(findings);
  if (tuned.rounds.size() < kLeastRounds) {
    return text + fmt::format(
                      "# {} round{} in {:.0f} s: too few to tell a gain from noise, {} are needed; give more time, "
                      "--tune=5m, or smaller sizes, -e\n",
                      tuned.rounds.size(), tuned.rounds.size() == 1 ? "" : "s", findings.elapsed, kLeastRounds);
  }
  text += "#\n" + speeds_table(findings) + "#\n";
  text += fmt::format(
      "# {} rounds in {:.0f} s. What is called faster is so beyond noise: were there nothing but noise, one "
      "tuning of {:.0f} would name something\n#\n",
      tuned.rounds.size(), findings.elapsed, 1 / kFalseAlarms);
  for (const ClassVerdict& verdict : findings.verdicts) {
    text += advice_of(findings, verdict);
    const std::string within = names_of(findings, verdict, Effect::kWithinNoise);
    if (!within.empty()) text += "    within noise: " + within + "\n";
  }
  return text;
}

}  // namespace ringrun::worker
