#include "launcher/run/failure_report.hpp"

#include <string.h>

#include <algorithm>
#include <cstring>

#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? "" : std::string("SIG") + name;
}

std::string short_end(const EndRecord& record) {
  if (record.error != 0) return "not started";
  if (record.signal == 0) return "code " + std::to_string(record.code);
  const std::string name = signal_name(record.signal);
  return name.empty() ? "signal " + std::to_string(record.signal) : name;
}

std::string ranks_words(const std::vector<int>& ranks) {
  std::string list = format_cpu_list(ranks);
  for (std::size_t at = 0; (at = list.find(',', at)) != std::string::npos; at += 2) list.replace(at, 1, ", ");
  return (ranks.size() == 1 ? "rank " : "ranks ") + list;
}

// Far up, or behind other ranks' words, they are hard to find.
bool stand_near_the_end(const std::vector<std::string>& lines, std::string_view recent) {
  constexpr int kNear = 20;
  std::size_t at = recent.size();
  for (int i = 0; i <= kNear && at != 0 && at != std::string_view::npos; ++i) at = recent.rfind('\n', at - 1);
  if (at == std::string_view::npos) at = 0;
  for (const std::string& line : lines) {
    at = recent.find(line, at);
    if (at == std::string_view::npos) return false;
  }
  return true;
}

std::string others(const std::vector<EndRecord>& failures) {
  constexpr std::size_t kMost = 4;
  std::string text = failures.size() == 2 ? "  another failed behind it: "
                                          : "  " + std::to_string(failures.size() - 1) + " others failed behind it: ";
  for (std::size_t i = 1; i < failures.size() && i <= kMost; ++i) {
    text += (i == 1 ? "rank " : ", rank ") + std::to_string(failures[i].rank) + " (" + short_end(failures[i]) + ")";
  }
  return text + (failures.size() - 1 > kMost ? ", …\n" : "\n");
}

}  // namespace

std::string rank_words(const EndRecord& record) {
  return "rank " + std::to_string(record.rank) + " on " + record.host +
         (record.gpu < 0 ? "" : " (GPU " + std::to_string(record.gpu) + ")");
}

std::string end_words(const EndRecord& record) {
  if (record.error != 0) return "cannot start " + record.program + ": " + std::strerror(record.error);
  if (record.signal == 0) return "exited with code " + std::to_string(record.code);
  const std::string name = signal_name(record.signal);
  return "killed by signal " + std::to_string(record.signal) + (name.empty() ? "" : " (" + name + ")") +
         (record.core ? ", core dumped" : "");
}

std::string failure_report(const RankLedger& ranks, std::string_view recent, bool was_ended) {
  const std::vector<EndRecord> failures = ranks.failures();
  const EndRecord& first = failures.front();
  std::string text = rank_words(first) + ": " + end_words(first) + "\n";
  if (!first.lines.empty() && !stand_near_the_end(first.lines, recent)) {
    if (first.error == 0) text += "  its last words:\n";
    for (const std::string& line : first.lines) text += "    " + line + "\n";
  }
  if (failures.size() > 1) text += others(failures);
  const std::vector<int> stopped = ranks.stopped();
  if (was_ended && !stopped.empty()) {
    text += "  " + ranks_words(stopped) + (stopped.size() == 1 ? " was" : " were") + " stopped because of it\n";
  }
  return text;
}

}  // namespace ringrun
