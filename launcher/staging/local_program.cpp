#include "launcher/staging/local_program.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "lib/error.hpp"
#include "lib/explain/host_queries.hpp"
#include "lib/host/content_hash.hpp"
#include "lib/host/elf_file.hpp"
#include "lib/host/program_facts.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

void add_file(LocalFiles& all, const std::string& name, const fs::path& path) {
  std::error_code error;
  CopyFile file{name, fs::file_size(path, error), hash_of_file(path), access(path.c_str(), X_OK) == 0};
  if (error || file.hash.empty())
    throw UserError(path.string() + " cannot be read, and other hosts are to have it", "make it readable (chmod +r)");
  all.files.push_back(std::move(file));
  all.paths.push_back(path);
}

/// The worker loads it from its own folder.
void add_gpu_library(LocalFiles& all, const fs::path& program) {
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  const fs::path library = real.parent_path() / "libringrun_nccl.so";
  if (real.filename() == "worker" && fs::exists(library, error)) add_file(all, library.filename().string(), library);
}

/// A name that is the same whichever way leads to it: "./sub/../f" is "f".
std::string plain_name(const std::string& name) { return fs::path(name).lexically_normal().string(); }

/// What is neither a file nor a folder.
std::string kind_of(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_fifo(status)) return "a named pipe";
  if (fs::is_socket(status)) return "a socket";
  if (fs::is_block_file(status) || fs::is_character_file(status)) return "a device";
  return fs::is_directory(status) ? "a link to a folder" : "a link that leads nowhere";
}

[[noreturn]] void refuse(const fs::path& path) {
  throw UserError("--preload-files: " + path.string() + " is " + kind_of(path) + ", which cannot be copied",
                  "move it away, or name the files beside it one by one");
}

/// All below it, and folders in which nothing is.
void add_folder(LocalFiles& all, const std::string& name, const fs::path& path) try {
  const auto add_empty = [&](const std::string& at, const fs::path& folder) {
    all.files.push_back({plain_name(at), 0, "", false, true});
    all.paths.push_back(folder);
  };
  if (fs::is_empty(path)) add_empty(name, path);
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    const std::string inner = (fs::path(name) / entry.path().lexically_relative(path)).string();
    if (entry.is_regular_file()) {
      add_file(all, plain_name(inner), entry.path());
    } else if (!entry.is_directory() || entry.is_symlink()) {
      // The iterator does not enter a link, which might lead back up.
      refuse(entry.path());
    } else if (fs::is_empty(entry.path())) {
      add_empty(inner, entry.path());
    }
  }
} catch (const fs::filesystem_error& error) {
  throw UserError("--preload-files: " + error.path1().string() + " cannot be read: " + error.code().message(),
                  "make it readable (chmod -R +rX)");
}

}  // namespace

std::optional<LocalProgram> read_local_program(const HostQuestion& question, bool with_libraries) {
  LocalProgram program;
  program.facts = read_program_facts(question);
  if (program.facts.state != ProgramState::executable) return std::nullopt;
  const fs::path path = question.program;
  add_file(program.files, path.filename().string(), path);
  // Who may execute it here has it executable there.
  program.files.files[0].executable = true;
  add_gpu_library(program.files, path);
  if (with_libraries) program.libraries = library_closure(path, rank_library_path(question));
  return program;
}

bool is_copied_unasked(const std::string& program) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(program, error);
  const std::string path = real.string();
  constexpr std::array<std::string_view, 6> kSystem = {"/bin/",      "/sbin/", "/usr/bin/",
                                                       "/usr/sbin/", "/lib",   "/usr/lib"};
  constexpr std::array<std::string_view, 7> kInterpreters = {"python", "perl", "ruby", "java", "node", "julia", "bash"};
  const std::string name = real.filename().string();
  const auto begins = [](const std::string& text, std::string_view with) { return text.rfind(with, 0) == 0; };
  return std::none_of(kSystem.begin(), kSystem.end(), [&](auto folder) { return begins(path, folder); }) &&
         std::none_of(kInterpreters.begin(), kInterpreters.end(), [&](auto known) { return begins(name, known); });
}

LocalFiles files_for_host(const LocalProgram& program, const std::vector<std::string>& lacking) {
  LocalFiles files = program.files;
  for (const NeededLibrary& library : program.libraries) {
    const bool lacks = std::find(lacking.begin(), lacking.end(), library.name) != lacking.end();
    if (lacks || !library.of_system) add_file(files, std::string(kCopiedLibraries) + "/" + library.name, library.path);
  }
  return files;
}

ProgramFacts needs_of(const LocalProgram& program, const LocalFiles& files) {
  ProgramFacts needs = program.facts;
  for (std::size_t i = program.files.files.size(); i < files.files.size(); ++i) {
    const auto elf = read_elf(files.paths[i]);
    if (elf && compare_versions(elf->newest_glibc, needs.needs_glibc) > 0) needs.needs_glibc = elf->newest_glibc;
    // It goes along.
    if (fs::path(files.files[i].name).filename() == kStandardLibrary) needs.needs_glibcxx.clear();
  }
  return needs;
}

LocalFiles read_local_files(const std::vector<std::string>& names, const std::string& cwd) {
  LocalFiles files;
  for (const std::string& name : names) {
    const fs::path path = fs::path(cwd) / name;
    std::error_code error;
    if (fs::is_directory(path, error)) {
      add_folder(files, name, path);
    } else if (fs::is_regular_file(path, error)) {
      add_file(files, plain_name(name), path);
    } else if (fs::exists(fs::symlink_status(path, error))) {
      refuse(path);
    } else {
      throw UserError("--preload-files " + name + ": there is no such file here", "name files of this host");
    }
  }
  return files;
}

}  // namespace ringrun
