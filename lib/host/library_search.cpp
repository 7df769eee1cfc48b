#include "lib/host/library_search.hpp"

#include <elf.h>
#include <fnmatch.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "lib/host/host_file.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr int kOwnMachine = EM_AARCH64;
constexpr const char* kMultiarch = "aarch64-linux-gnu";
constexpr const char* kPlatform = "aarch64";
#else
constexpr int kOwnMachine = EM_X86_64;
constexpr const char* kMultiarch = "x86_64-linux-gnu";
constexpr const char* kPlatform = "x86_64";
#endif

void replace(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

/// The loader's own variables in a search folder. $LIB differs by distribution: the folder is one of two.
std::vector<std::string> expanded(std::string folder, const fs::path& origin) {
  for (const char* name : {"${ORIGIN}", "$ORIGIN"}) replace(folder, name, origin.string());
  for (const char* name : {"${PLATFORM}", "$PLATFORM"}) replace(folder, name, kPlatform);
  replace(folder, "${LIB}", "$LIB");
  if (folder.find("$LIB") == std::string::npos) return {folder};
  std::vector<std::string> both{folder, folder};
  replace(both[0], "$LIB", std::string("lib/") + kMultiarch);
  replace(both[1], "$LIB", "lib64");
  return both;
}

/// The file that ldconfig writes: a header, entries, and the texts that they point to, counted from the header.
struct CacheHeader {
  char magic[20];
  std::uint32_t entry_count;
  std::uint32_t text_size;
  std::uint32_t unused[5];
};
struct CacheEntry {
  std::int32_t flags;
  std::uint32_t name;
  std::uint32_t path;
  std::uint32_t os_version;
  std::uint64_t hardware;
};
static_assert(sizeof(CacheHeader) == 48 && sizeof(CacheEntry) == 24);
constexpr std::string_view kCacheMagic = "glibc-ld.so.cache1.1";

}  // namespace

LibrarySearch::LibrarySearch(const std::string& library_path, fs::path root)
    : root_(std::move(root)), library_path_(split(library_path, ":;")) {
  for (const char* folder : {"/lib/", "/usr/lib/"}) system_.push_back(std::string(folder) + kMultiarch);
  for (const char* folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"}) system_.emplace_back(folder);
  read_cache();
  if (cache_.empty()) read_configuration(host_path(root_, "/etc/ld.so.conf"), 0);
}

void LibrarySearch::read_cache() {
  const std::string text = read_text(host_path(root_, "/etc/ld.so.cache"));
  // Before glibc 2.32 the file began with an older form of itself.
  const std::size_t begin = text.find(kCacheMagic);
  if (begin == std::string::npos || text.size() < begin + sizeof(CacheHeader)) return;
  const std::string_view cache = std::string_view(text).substr(begin);
  CacheHeader header{};
  std::memcpy(&header, cache.data(), sizeof header);
  const std::size_t most = (cache.size() - sizeof header) / sizeof(CacheEntry);
  for (std::size_t i = 0; i < header.entry_count && i < most; ++i) {
    CacheEntry entry{};
    std::memcpy(&entry, cache.data() + sizeof header + i * sizeof entry, sizeof entry);
    if (entry.name >= cache.size() || entry.path >= cache.size()) continue;
    cache_.emplace(text.c_str() + begin + entry.name, text.c_str() + begin + entry.path);
  }
}

void LibrarySearch::read_configuration(const fs::path& file, int depth) {
  constexpr int kDeepest = 8;
  if (depth > kDeepest) return;
  for (const std::string& whole : read_lines(file)) {
    const std::string line(trimmed(std::string_view(whole).substr(0, whole.find('#'))));
    if (line.rfind("include ", 0) == 0 || line.rfind("include\t", 0) == 0) {
      const fs::path pattern(std::string(trimmed(std::string_view(line).substr(8))));
      const fs::path folder =
          pattern.is_absolute() ? host_path(root_, pattern.parent_path()) : file.parent_path() / pattern.parent_path();
      for (const fs::path& entry : entries(folder)) {
        const bool match = fnmatch(pattern.filename().c_str(), entry.filename().c_str(), 0) == 0;
        if (match) read_configuration(entry, depth + 1);
      }
    } else if (!line.empty() && line.front() == '/') {
      configured_.push_back(line);
    }
  }
}

bool LibrarySearch::suits(const fs::path& file, int machine) const {
  return elf_machine(host_path(root_, file)) == machine;
}

std::string LibrarySearch::find_in(const std::vector<std::string>& folders, const std::string& name, int machine,
                                   const fs::path& origin) const {
  for (const std::string& written : folders) {
    for (const std::string& folder : expanded(written, origin)) {
      // Counts from the folder that a rank happens to start in: nothing to rely on.
      if (fs::path(folder).is_relative()) continue;
      const fs::path file = fs::path(folder) / name;
      if (suits(file, machine)) return file.string();
    }
  }
  return {};
}

std::string LibrarySearch::find(const std::string& name, const ElfFile& asking, const fs::path& origin) const {
  if (name.find('/') != std::string::npos) return suits(name, asking.machine) ? name : "";
  std::string found;
  if (asking.runpath.empty()) found = find_in(asking.rpath, name, asking.machine, origin);
  if (found.empty()) found = find_in(library_path_, name, asking.machine, origin);
  if (found.empty()) found = find_in(asking.runpath, name, asking.machine, origin);
  for (auto [entry, end] = cache_.equal_range(name); found.empty() && entry != end; ++entry) {
    if (suits(entry->second, asking.machine)) found = entry->second;
  }
  if (found.empty()) found = find_in(configured_, name, asking.machine, origin);
  if (found.empty()) found = find_in(system_, name, asking.machine, origin);
  return found;
}

std::string LibrarySearch::find(const std::string& name) const {
  ElfFile nobody;
  nobody.machine = kOwnMachine;
  return find(name, nobody, "/");
}

}  // namespace ringrun
