#include "launcher/run/descendants.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <memory>
#include <set>
#include <string>

#include "lib/descriptor.hpp"

namespace ringrun {

ProcessEntry parse_process_entry(std::string_view stat) {
  // "4711 (a name) with blanks) S 1 4711 4700 …": the name ends at the last parenthesis.
  const std::size_t name_end = stat.rfind(") ");
  ProcessEntry entry;
  if (name_end == std::string_view::npos || stat.size() < name_end + 4) return entry;
  const char state = stat[name_end + 2];
  entry.ended = state == 'Z' || state == 'X';
  const char* const end = stat.data() + stat.size();
  const char* at = stat.data() + name_end + 4;
  pid_t group = 0;
  for (pid_t* field : {&entry.parent, &group, &entry.session}) {
    const auto [after, code] = std::from_chars(at, end, *field);
    if (code != std::errc{} || after == end) return {};
    at = after + 1;
  }
  if (std::from_chars(stat.data(), end, entry.pid).ec != std::errc{}) return {};
  return entry;
}

std::vector<ProcessEntry> read_processes() {
  std::vector<ProcessEntry> processes;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  if (!folder) return processes;
  while (const dirent* item = readdir(folder.get())) {
    if (item->d_name[0] < '0' || item->d_name[0] > '9') continue;
    const Descriptor file(
        openat(dirfd(folder.get()), (std::string(item->d_name) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 512> text;
    const ssize_t size = file ? read(file.get(), text.data(), text.size()) : -1;
    if (size <= 0) continue;
    const ProcessEntry entry = parse_process_entry({text.data(), static_cast<std::size_t>(size)});
    if (entry.pid != 0) processes.push_back(entry);
  }
  return processes;
}

std::vector<ProcessEntry> descendants_of(pid_t ancestor, const std::vector<ProcessEntry>& all) {
  std::set<pid_t> family = {ancestor};
  std::vector<ProcessEntry> found;
  // Pids wrap around, so a child may stand before its parent.
  for (bool grows = true; grows;) {
    grows = false;
    for (const ProcessEntry& entry : all) {
      if (entry.ended || family.count(entry.parent) == 0 || !family.insert(entry.pid).second) continue;
      found.push_back(entry);
      grows = true;
    }
  }
  return found;
}

}  // namespace ringrun
