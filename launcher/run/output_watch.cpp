#include "launcher/run/output_watch.hpp"

#include <algorithm>

namespace ringrun {
namespace {

// A busy host asks late, but not as late as this.
constexpr auto kStopped = std::chrono::seconds(2);

/// So long after a fatal line more of its story comes.
constexpr auto kAftermath = std::chrono::seconds(2);

}  // namespace

Findings OutputWatch::read(OutputReader& reader, std::string_view text, TimePoint now) {
  Findings at_once;
  last_output_ = now;
  const std::size_t fatal_before = reader.fatal_lines();
  for (OutputMeaning& meaning : reader.feed(text)) {
    const std::string& id = meaning.finding.id;
    if (meaning.fatal && !is_shown(id)) {
      fatal_.push_back(id);
      at_once.push_back(meaning.finding);
    }
    const auto known = std::find_if(meanings_.begin(), meanings_.end(),
                                    [&](const OutputMeaning& earlier) { return earlier.finding.id == id; });
    if (known == meanings_.end()) {
      meanings_.push_back(std::move(meaning));
    } else if (known->secondary) {
      *known = std::move(meaning);
    }
  }
  if (reader.fatal_lines() != fatal_before) {
    last_fatal_ = now;
  } else if (last_fatal_ && now - *last_fatal_ > kAftermath) {
    last_fatal_.reset();
  }
  return at_once;
}

bool OutputWatch::hangs(TimePoint now, bool held_up) {
  const bool was_stopped = last_asked_ && now - *last_asked_ > kStopped;
  last_asked_ = now;
  if (held_up || was_stopped) last_output_ = now;
  if (told_ || !last_fatal_ || now - last_output_ < hang_timeout_) return false;
  return told_ = true;
}

std::string OutputWatch::fatal_ids() const {
  std::string ids;
  for (const std::string& id : fatal_) ids += (ids.empty() ? "" : ", ") + id;
  return ids;
}

Findings OutputWatch::explanation() const {
  const bool only_echoes = std::all_of(meanings_.begin(), meanings_.end(), [](const auto& m) { return m.secondary; });
  Findings rest;
  for (const OutputMeaning& meaning : meanings_) {
    if (!is_shown(meaning.finding.id) && meaning.secondary == only_echoes) rest.push_back(meaning.finding);
  }
  return arrange(std::move(rest));
}

bool OutputWatch::is_shown(const std::string& id) const {
  return std::find(fatal_.begin(), fatal_.end(), id) != fatal_.end();
}

}  // namespace ringrun
