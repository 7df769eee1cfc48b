#include "lib/host/software_facts.hpp"

#include <gnu/libc-version.h>

#include <algorithm>
#include <chrono>

#include "lib/host/brief_command.hpp"
#include "lib/host/elf_file.hpp"
#include "lib/host/library_search.hpp"
#include "lib/host/nccl_library.hpp"
#include "lib/host/program_facts.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

/// "4.1.4": three numbers and nothing else.
bool is_version(std::string_view text) {
  return std::count(text.begin(), text.end(), '.') == 2 && text.find_first_not_of("0123456789.") == std::string::npos &&
         text.front() != '.' && text.back() != '.' && text.find("..") == std::string::npos;
}

/// Open MPI 4's daemon library holds its version twice, as "4.1.4" and as "v4.1.4": other versions in it do not come in
/// such a pair. Reading it takes a tenth of the time of starting mpirun. "" where there is not exactly one pair.
std::string version_in_daemon_library(const std::string& daemon, const LibrarySearch& search, const fs::path& root) {
  const auto elf = read_elf(host_path(root, daemon));
  if (!elf) return {};
  std::error_code error;
  const fs::path real = root == "/" ? fs::canonical(daemon, error) : fs::path(daemon);
  for (const std::string& name : elf->needed) {
    if (name.rfind("libopen-rte.so", 0) != 0) continue;
    const std::string constants = read_constants(host_path(root, search.find(name, *elf, real.parent_path())));
    std::vector<std::string> plain;
    std::vector<std::string> marked;
    for (std::size_t begin = 0; begin < constants.size();) {
      const std::string_view text(constants.c_str() + begin);
      begin += text.size() + 1;
      if (text.size() < 5 || text.size() > 12) continue;
      if (is_version(text)) plain.emplace_back(text);
      if (text.front() == 'v' && is_version(text.substr(1))) marked.emplace_back(text.substr(1));
    }
    std::sort(marked.begin(), marked.end());
    marked.erase(std::unique(marked.begin(), marked.end()), marked.end());
    const auto pair = [&](const std::string& text) {
      return std::find(plain.begin(), plain.end(), text) != plain.end();
    };
    if (std::count_if(marked.begin(), marked.end(), pair) == 1) {
      return *std::find_if(marked.begin(), marked.end(), pair);
    }
  }
  return {};
}

/// "mpirun (Open MPI) 4.1.4" as "4.1.4".
std::string version_that_mpirun_says(const fs::path& mpirun) {
  const std::string said = output_of({mpirun.string(), "--version"}, std::chrono::seconds(1));
  constexpr std::string_view kMark = "(Open MPI) ";
  const std::size_t at = said.find(kMark);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + kMark.size();
  return said.substr(begin, said.find_first_of(" \r\n", begin) - begin);
}

/// Open MPI 4 keeps its components in files; 5 has them in libmpi, which then needs UCX itself.
bool has_ucx(const fs::path& prefix, const fs::path& root) {
  std::vector<fs::path> folders;
  for (const char* name : {"lib", "lib64"}) folders.push_back(host_path(root, prefix / name));
  for (const fs::path& entry : entries(folders.front())) {
    if (entry.filename().string().find("-linux-gnu") != std::string::npos) folders.push_back(entry);
  }
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (fs::exists(folder / "openmpi/mca_pml_ucx.so", error)) return true;
    for (const fs::path& inner : entries(folder / "openmpi/lib")) {
      if (fs::exists(inner / "mca_pml_ucx.so", error)) return true;
    }
    const auto library = read_elf(folder / "libmpi.so.40");
    if (!library) continue;
    for (const std::string& name : library->needed) {
      if (name.rfind("libucp.so", 0) == 0) return true;
    }
  }
  return false;
}

void read_open_mpi(const Environment& environment, const LibrarySearch& search, const fs::path& root,
                   SoftwareFacts& facts) {
  facts.open_mpi_path = find_open_mpi_daemon(environment, root);
  if (facts.open_mpi_path.empty()) return;
  facts.open_mpi = version_in_daemon_library(facts.open_mpi_path, search, root);
  const fs::path mpirun = host_path(root, fs::path(facts.open_mpi_path).parent_path() / "mpirun");
  std::error_code error;
  if (facts.open_mpi.empty() && fs::exists(mpirun, error)) facts.open_mpi = version_that_mpirun_says(mpirun);
  facts.ucx = has_ucx(open_mpi_prefix(facts.open_mpi_path, root), root);
}

/// "3.4.30" of a library whose file is libstdc++.so.6.0.30: the last numbers of both have been the same since GCC 3.4.
std::string glibcxx_of(const std::string& library) {
  std::error_code error;
  const std::string name = fs::canonical(library, error).filename().string();
  constexpr std::string_view kName = "libstdc++.so.6.0.";
  return name.rfind(kName, 0) == 0 ? "3.4." + name.substr(kName.size()) : "";
}

}  // namespace

std::string find_open_mpi_daemon(const Environment& environment, const fs::path& root) {
  // Folder by folder: the first installation on the PATH is the one that is used.
  for (const std::string& folder : split(variable(environment, "PATH"), ":")) {
    for (const char* name : {"orted", "prted"}) {
      std::string found = find_program(name, folder, root);
      if (!found.empty()) return found;
    }
  }
  return {};
}

fs::path open_mpi_prefix(const std::string& daemon, const fs::path& root) {
  if (daemon.empty()) return {};
  std::error_code error;
  const fs::path real = root == "/" ? fs::canonical(daemon, error) : fs::path(daemon);
  return (error ? fs::path(daemon) : real).parent_path().parent_path();
}

SoftwareFacts read_software_facts(const HostQuestion& question, const Environment& environment, const fs::path& root) {
  SoftwareFacts facts;
  facts.glibc = gnu_get_libc_version();
  const LibrarySearch search(rank_library_path(question), root);
  read_open_mpi(environment, search, root, facts);
  facts.glibcxx = glibcxx_of(host_path(root, search.find("libstdc++.so.6")).string());
  const NcclLibrary nccl = find_nccl(question, environment, search, root);
  facts.nccl = nccl.version;
  facts.nccl_path = nccl.path;
  facts.nccl_why_not = nccl.why_not;
  facts.nccl_plugin = nccl.plugin;
  return facts;
}

}  // namespace ringrun
