#include "launcher/staging/user_cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/error.hpp"
#include "lib/text/byte_size.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOtherFolder =
    "behind the host in the hostfile, #: env.XDG_CACHE_HOME=/FOLDER names another folder for copies";

/// `folder`, or the nearest one above it that is there.
fs::path existing_folder(fs::path folder) {
  std::error_code ignored;
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

/// Half a copy or half a removal: nobody uses it.
bool is_left_over(const fs::path& folder) { return folder.filename().string().rfind(".new.", 0) == 0; }

std::chrono::seconds age_of(const fs::path& folder) {
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0) return std::chrono::seconds(0);
  return std::chrono::seconds(time(nullptr) - status.st_mtime);
}

}  // namespace

CopyFault copy_fault(const fs::path& path, int code) {
  const std::string name = path.string();
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return {name + ": the disk or the quota is full", "df -h " + name + "   # make room there; or " + kOtherFolder};
    case EROFS:
      return {name + " is read-only", kOtherFolder};
    case EACCES:
    case EPERM:
      return {name + " may not be written", std::string("make it writable; or ") + kOtherFolder};
    default:
      return {name + ": " + std::strerror(code), kOtherFolder};
  }
}

CopyFault look_at_place(const fs::path& folder, std::uint64_t bytes, bool programs) {
  const fs::path there = existing_folder(folder);
  if (access(there.c_str(), W_OK | X_OK) != 0) return copy_fault(there, errno);
  struct statvfs system {};
  if (statvfs(there.c_str(), &system) != 0) return {};
  if (programs && (system.f_flag & ST_NOEXEC) != 0) {
    return {there.string() + " is mounted noexec: no program can be started from there", kOtherFolder};
  }
  const std::uint64_t free = std::uint64_t{system.f_bavail} * system.f_frsize;
  if (free >= bytes) return {};
  CopyFault fault = copy_fault(there, ENOSPC);
  fault.problem += ", " + format_byte_size(static_cast<std::int64_t>(free >> 10 << 10)) + " are free and " +
                   std::to_string((bytes >> 10) + 1) + "K are to be copied";
  return fault;
}

fs::path cache_folder(const std::string& said, const Environment& environment) {
  if (!said.empty()) return fs::path(said) / "ringrun";
  if (const auto cache = find_variable(environment, "XDG_CACHE_HOME"); cache && !cache->empty())
    return fs::path(*cache) / "ringrun";
  if (const auto home = find_variable(environment, "HOME"); home && !home->empty())
    return fs::path(*home) / ".cache/ringrun";
  throw UserError("this user has no home folder: HOME is not set", kOtherFolder);
}

void make_own_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    const int code = error ? error.value() : errno;
    const CopyFault fault = copy_fault(folder, code);
    throw UserError(fault.problem, fault.remedy);
  }
  // Where the cache is shared, another user's folder under this name would be another user's program.
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
    throw UserError(folder.string() + " is not this user's own folder", "remove it; or " + std::string(kOtherFolder));
  chmod(folder.c_str(), 0700);
}

void touch_copy(const fs::path& folder) { utimensat(AT_FDCWD, folder.c_str(), nullptr, 0); }

Descriptor hold_copy(const fs::path& folder) {
  Descriptor lock(open((folder / kCopyLock).c_str(), O_RDONLY | O_CLOEXEC));
  if (lock) {
    touch_copy(folder);
    flock(lock.get(), LOCK_SH | LOCK_NB);
  }
  return lock;
}

void remove_old_copies(const fs::path& folder, std::chrono::seconds age) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path& copy = entry.path();
    if (is_left_over(copy)) {
      if (age_of(copy) > std::chrono::hours(24)) fs::remove_all(copy, error);
      continue;
    }
    if (age_of(copy) <= age) continue;
    const Descriptor lock(open((copy / kCopyLock).c_str(), O_RDONLY | O_CLOEXEC));
    if (!lock || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
    // Under its own name it must never be seen half removed.
    const fs::path going = folder / (".new." + copy.filename().string());
    fs::rename(copy, going, error);
    if (!error) fs::remove_all(going, error);
  }
}

}  // namespace ringrun
