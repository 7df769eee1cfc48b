#include "lib/host/memory_rooms.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

#include "lib/host/host_file.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

/// How a generation of control groups says what it knows of memory.
struct Generation {
  const char* file_system;
  const char* controller;  ///< that its hierarchy names; "": it has but one hierarchy
  const char* limit;
  const char* usage;
  std::vector<std::string_view> given_up;  ///< lines of memory.stat: what makes way for what is wanted
};

const Generation kFirst{
    "cgroup", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};
const Generation kSecond{
    "cgroup2", "", "memory.max", "memory.current", {"inactive_file", "active_file", "slab_reclaimable"}};

/// Nothing for "max".
std::optional<std::int64_t> bytes_in(const fs::path& file) {
  const std::string word = read_word(file);
  std::int64_t bytes = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), bytes);
  return code == std::errc{} && end != word.data() ? std::optional(bytes) : std::nullopt;
}

std::optional<MemoryRoom> room_of_host(const fs::path& root) {
  for (const std::string& line : read_lines(host_path(root, "/proc/meminfo"))) {
    std::istringstream words(line);
    std::string key;
    std::int64_t kibibytes = 0;
    if (words >> key >> kibibytes && key == "MemAvailable:") return MemoryRoom{"", "", 0, kibibytes * 1024};
  }
  return std::nullopt;
}

bool has(const std::string& list, std::string_view word) {
  const std::vector<std::string> words = split(list, ",");
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// "0::/user.slice" of the second generation, "4:cpu,memory:/user.slice" of the first.
std::optional<fs::path> own_group(const fs::path& root, const Generation& generation) {
  for (const std::string& line : read_lines(host_path(root, "/proc/self/cgroup"))) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string_view wanted = generation.controller;
    if (wanted.empty() ? controllers.empty() : has(controllers, wanted)) return line.substr(second + 1);
  }
  return std::nullopt;
}

struct GroupMount {
  fs::path point;
  fs::path group;  ///< that stands there
};

std::vector<GroupMount> group_mounts(const fs::path& root, const Generation& generation) {
  std::vector<GroupMount> mounts;
  for (const std::string& line : read_lines(host_path(root, "/proc/self/mountinfo"))) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line.substr(0, dash));
    std::istringstream after(line.substr(dash + 3));
    std::string id, parent, device, group, point, type, source, options;
    before >> id >> parent >> device >> group >> point;
    after >> type >> source >> options;
    const std::string_view wanted = generation.controller;
    if (type == generation.file_system && (wanted.empty() || has(options, wanted))) mounts.push_back({point, group});
  }
  return mounts;
}

/// Where `group` stands below `above`; nothing where it does not.
std::optional<fs::path> below(const fs::path& group, const fs::path& above) {
  const fs::path inside = group.lexically_relative(above);
  if (inside.empty()) return std::nullopt;
  const bool leads_out = std::any_of(inside.begin(), inside.end(), [](const fs::path& part) { return part == ".."; });
  return leads_out ? std::nullopt : std::optional(inside == "." ? fs::path() : inside);
}

std::optional<MemoryRoom> room_of_group(const fs::path& folder, const fs::path& group, const Generation& generation) {
  // The first generation has no word for "none", but a number that no memory reaches.
  constexpr std::int64_t kNone = std::int64_t{1} << 60;
  const auto limit = bytes_in(folder / generation.limit);
  if (!limit || *limit >= kNone) return std::nullopt;
  std::int64_t used = bytes_in(folder / generation.usage).value_or(0);
  for (const std::string& line : read_lines(folder / "memory.stat")) {
    std::istringstream words(line);
    std::string key;
    std::int64_t bytes = 0;
    words >> key >> bytes;
    if (std::find(generation.given_up.begin(), generation.given_up.end(), key) != generation.given_up.end())
      used -= bytes;
  }
  struct stat entry {};
  if (::stat(folder.c_str(), &entry) != 0) return std::nullopt;
  return MemoryRoom{group.string(), std::to_string(entry.st_dev) + ":" + std::to_string(entry.st_ino), *limit,
                    std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, used))};
}

void add_groups(const fs::path& root, const Generation& generation, std::vector<MemoryRoom>& rooms) {
  const auto group = own_group(root, generation);
  const std::vector<GroupMount> mounts = group_mounts(root, generation);
  if (!group || mounts.empty()) return;
  // In a container without a namespace of its own for them, the path is the host's and only its end is mounted. Where
  // no mount is above the group, what is there is the nearest that can be seen.
  fs::path inside;
  const GroupMount* mount = &mounts.front();
  for (const GroupMount& each : mounts) {
    const auto there = below(*group, each.group);
    if (!there) continue;
    mount = &each;
    inside = *there;
    break;
  }
  while (true) {
    const fs::path folder = host_path(root, inside.empty() ? mount->point : mount->point / inside);
    const fs::path name = inside.empty() ? mount->group : mount->group / inside;
    if (const auto room = room_of_group(folder, name, generation)) rooms.push_back(*room);
    if (inside.empty()) return;
    inside = inside.parent_path();
  }
}

}  // namespace

std::vector<MemoryRoom> read_memory_rooms(const fs::path& root) {
  std::vector<MemoryRoom> rooms;
  if (const auto room = room_of_host(root)) rooms.push_back(*room);
  for (const Generation* generation : {&kSecond, &kFirst}) add_groups(root, *generation, rooms);
  return rooms;
}

}  // namespace ringrun
