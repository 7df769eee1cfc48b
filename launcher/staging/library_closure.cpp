#include "launcher/staging/library_closure.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <string_view>

#include "lib/host/library_search.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

// Of one build with the loader, with the kernel's driver, or with files that they look for beside themselves.
constexpr std::array<std::string_view, 28> kHostsOwn = {
    "ld-linux",    "libc.so",   "libm.so",    "libdl.so",   "librt.so",     "libpthread.so", "libresolv.so",
    "libutil.so",  "libnsl.so", "libanl.so",  "libmvec.so", "libthread_db", "libnss_",       "linux-vdso",
    "libcuda.so",  "libnvidia", "libnvcuvid", "libGL",      "libEGL",       "libmpi",        "libopen-rte",
    "libopen-pal", "libpmix",   "libprrte",   "libprte",    "libslurm",     "libibverbs",    "librdmacm"};

bool is_hosts_own(const std::string& name) {
  return std::any_of(kHostsOwn.begin(), kHostsOwn.end(),
                     [&](std::string_view prefix) { return name.rfind(prefix, 0) == 0; });
}

bool is_of_system(const std::string& path) {
  std::error_code error;
  const std::string real = fs::weakly_canonical(path, error).string();
  constexpr std::array kFolders = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
  return std::any_of(kFolders.begin(), kFolders.end(), [&](const char* folder) { return real.rfind(folder, 0) == 0; });
}

}  // namespace

std::vector<NeededLibrary> library_closure(const fs::path& program, const std::string& library_path) {
  const LibrarySearch search(library_path);
  std::vector<NeededLibrary> libraries;
  std::set<std::string> seen;
  std::deque<fs::path> asking{program};
  for (; !asking.empty(); asking.pop_front()) {
    const auto elf = read_elf(asking.front());
    if (!elf) continue;
    std::error_code error;
    const fs::path origin = fs::canonical(asking.front(), error).parent_path();
    for (const std::string& name : elf->needed) {
      if (is_hosts_own(name) || !seen.insert(name).second) continue;
      const std::string path = search.find(name, *elf, origin);
      if (path.empty()) continue;
      libraries.push_back({fs::path(name).filename().string(), path, is_of_system(path)});
      asking.emplace_back(path);
    }
  }
  return libraries;
}

}  // namespace ringrun
