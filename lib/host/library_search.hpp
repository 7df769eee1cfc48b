#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/host/elf_file.hpp"

namespace ringrun {

/// Finds libraries as the dynamic loader of glibc does, without loading them: DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH,
/// /etc/ld.so.cache, and the system's folders. Where there is no cache, the folders of /etc/ld.so.conf stand in for it.
class LibrarySearch {
 public:
  /// `library_path` is the value of LD_LIBRARY_PATH. All files lie under `root`.
  explicit LibrarySearch(const std::string& library_path, std::filesystem::path root = "/");

  /// The path of library `name` as the host names it, "" where the loader would find none. `asking` is the program or
  /// library that is linked with it and stands in folder `origin`: its own search folders count.
  std::string find(const std::string& name, const ElfFile& asking, const std::filesystem::path& origin) const;

  /// For a library that is opened by its name, by code of no particular file.
  std::string find(const std::string& name) const;

 private:
  bool suits(const std::filesystem::path& file, int machine) const;
  std::string find_in(const std::vector<std::string>& folders, const std::string& name, int machine,
                      const std::filesystem::path& origin) const;
  void read_cache();
  void read_configuration(const std::filesystem::path& file, int depth);

  std::filesystem::path root_;
  std::vector<std::string> library_path_;
  std::vector<std::string> configured_;
  std::vector<std::string> system_;
  std::unordered_multimap<std::string, std::string> cache_;
};

}  // namespace ringrun
