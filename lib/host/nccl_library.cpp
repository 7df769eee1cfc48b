#include "lib/host/nccl_library.hpp"

#include <dlfcn.h>

#include "lib/host/program_facts.hpp"
#include "lib/unique_handle.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "libnccl.so.2";

std::string find_as_loader(const HostQuestion& question, const LibrarySearch& search, const std::string& name,
                           const fs::path& root) {
  if (!question.program.empty()) {
    std::error_code error;
    const fs::path program = asked_program(question);
    const fs::path real = root == "/" ? fs::canonical(program, error) : program;
    const fs::path backend = real.parent_path() / "libringrun_nccl.so";
    for (const fs::path& asking : {backend, real}) {
      const auto elf = read_elf(host_path(root, asking));
      if (!elf) continue;
      std::string found = search.find(name, *elf, real.parent_path());
      if (!found.empty()) return found;
    }
  }
  return search.find(name);
}

/// Where people have NCCL without the loader's knowledge.
std::string find_elsewhere(const Environment& environment, const fs::path& root) {
  std::vector<fs::path> folders{"/usr/local/cuda/lib64", "/usr/local/cuda/lib"};
  const std::string nccl_home = variable(environment, "NCCL_HOME");
  if (!nccl_home.empty()) folders.push_back(fs::path(nccl_home) / "lib");
  std::vector<fs::path> prefixes;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string prefix = variable(environment, name);
    if (!prefix.empty()) prefixes.emplace_back(prefix);
  }
  const std::string home = variable(environment, "HOME");
  if (!home.empty()) prefixes.push_back(fs::path(home) / ".local");
  for (const char* prefix : {"/usr/local", "/usr"}) prefixes.emplace_back(prefix);
  for (const fs::path& prefix : prefixes) {
    for (const fs::path& python : entries(host_path(root, prefix / "lib"))) {
      const std::string name = python.filename().string();
      if (name.rfind("python3", 0) != 0) continue;
      for (const char* packages : {"site-packages", "dist-packages"}) {
        folders.push_back(prefix / "lib" / name / packages / "nvidia/nccl/lib");
      }
    }
  }
  for (const fs::path& folder : folders) {
    if (exists(root, folder / kName)) return (folder / kName).string();
  }
  return {};
}

/// NCCL holds "NCCL version 2.28.9+cuda13.0", which it prints at its start.
std::string version_in_text(const fs::path& file) {
  constexpr std::string_view kMark = "NCCL version ";
  const std::string constants = read_constants(file);
  for (std::size_t at = constants.find(kMark); at != std::string::npos; at = constants.find(kMark, at + 1)) {
    const std::size_t begin = at + kMark.size();
    const std::size_t end = constants.find_first_not_of("0123456789.", begin);
    if (end != std::string::npos && end > begin) return constants.substr(begin, end - begin);
  }
  return {};
}

struct LibraryTraits {
  using Handle = void*;
  static Handle null() noexcept { return nullptr; }
  static void release(Handle library) noexcept { dlclose(library); }
};

std::string loader_words() {
  const char* words = dlerror();
  return words == nullptr ? "" : words;
}

void load_and_ask(const fs::path& file, NcclLibrary& nccl) {
  const UniqueHandle<LibraryTraits> library(dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL));
  if (!library) {
    nccl.why_not = loader_words();
    return;
  }
  const auto version = reinterpret_cast<int (*)(int*)>(dlsym(library.get(), "ncclGetVersion"));
  int number = 0;
  if (version != nullptr && version(&number) == 0) nccl.version = nccl_version_of_number(number);
}

/// Where our own search finds none the loader has the last word, as it knows folders that we do not.
void ask_loader(NcclLibrary& nccl) {
  const UniqueHandle<LibraryTraits> library(dlopen(kName, RTLD_LAZY | RTLD_LOCAL));
  if (!library) {
    nccl.why_not = loader_words();
    return;
  }
  Dl_info where{};
  void* symbol = dlsym(library.get(), "ncclGetVersion");
  if (symbol != nullptr && dladdr(symbol, &where) != 0) nccl.path = where.dli_fname;
}

std::string plugin_name(const HostQuestion& question, const Environment& environment) {
  const auto given = question.environment.find("NCCL_NET_PLUGIN");
  const std::string value =
      given != question.environment.end() ? given->second : variable(environment, "NCCL_NET_PLUGIN");
  if (value.empty()) return "libnccl-net.so";
  if (value.find(".so") != std::string::npos) return value;
  return "libnccl-net-" + value + ".so";
}

}  // namespace

std::string nccl_version_of_name(const std::string& name) {
  constexpr std::string_view kPrefix = "libnccl.so.";
  if (name.rfind(kPrefix, 0) != 0) return {};
  const std::string version = name.substr(kPrefix.size());
  return split(version, ".").size() == 3 && version.find_first_not_of("0123456789.") == std::string::npos ? version
                                                                                                          : "";
}

std::string nccl_version_of_number(int number) {
  // From 2.9 on the minor number has two digits.
  const int unit = number >= 10000 ? 10000 : 1000;
  return std::to_string(number / unit) + "." + std::to_string(number % unit / 100) + "." + std::to_string(number % 100);
}

NcclLibrary find_nccl(const HostQuestion& question, const Environment& environment, const LibrarySearch& search,
                      const fs::path& root) {
  NcclLibrary nccl;
  nccl.plugin = find_as_loader(question, search, plugin_name(question, environment), root);
  nccl.path = find_as_loader(question, search, kName, root);
  if (nccl.path.empty() && root == "/") ask_loader(nccl);
  if (nccl.path.empty()) {
    if (nccl.why_not.empty()) nccl.why_not = std::string(kName) + ": not in the loader's folders";
    nccl.path = find_elsewhere(environment, root);
  }
  if (nccl.path.empty()) return nccl;
  const fs::path file = host_path(root, nccl.path);
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  nccl.version = nccl_version_of_name(real.filename().string());
  if (nccl.version.empty()) nccl.version = version_in_text(file);
  if (root == "/" && nccl.why_not.empty() && (question.thorough || nccl.version.empty())) load_and_ask(file, nccl);
  return nccl;
}

}  // namespace ringrun
