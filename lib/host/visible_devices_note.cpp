#include "lib/host/visible_devices_note.hpp"

#include <algorithm>

namespace ringrun {
namespace {

constexpr const char* kShows = ": CUDA shows ";

/// As people write it to have no GPU: nothing, -1 (or another negative number) or a word.
bool hides_all(const std::string& entry) {
  return entry.empty() || entry[0] == '-' || entry == "NoDevFiles" || entry == "none" || entry == "void";
}

}  // namespace

std::string visible_devices_note(const std::string& visible_devices, const std::vector<Gpu>& visible) {
  const std::string first = visible_devices.substr(0, visible_devices.find(','));
  if (visible.empty() && hides_all(first)) return "CUDA_VISIBLE_DEVICES hides every GPU";
  const auto entries = 1 + static_cast<std::size_t>(std::count(visible_devices.begin(), visible_devices.end(), ','));
  if (entries == visible.size()) return "";
  // The usual ways of ending a list.
  const std::string last = visible_devices.substr(visible_devices.rfind(',') + 1);
  if (entries == visible.size() + 1 && !visible.empty() && hides_all(last)) return "";
  const std::string shown = visible.empty() ? "none" : std::to_string(visible.size());
  return "CUDA_VISIBLE_DEVICES=" + visible_devices + kShows +
         (entries == 1 ? "no GPU for it" : shown + " of its " + std::to_string(entries) + " entries");
}

bool is_mistaken(const std::string& note) {
  return note.rfind("CUDA_VISIBLE_DEVICES=", 0) == 0 && note.find(kShows) != std::string::npos;
}

}  // namespace ringrun
