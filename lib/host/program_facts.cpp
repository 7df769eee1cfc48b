#include "lib/host/program_facts.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "lib/host/content_hash.hpp"
#include "lib/host/elf_file.hpp"
#include "lib/host/host_file.hpp"
#include "lib/host/library_search.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

ProgramState state_of(const fs::path& program) {
  struct stat status {};
  if (stat(program.c_str(), &status) != 0) return ProgramState::missing;
  const bool executable = S_ISREG(status.st_mode) && access(program.c_str(), X_OK) == 0;
  return executable ? ProgramState::executable : ProgramState::not_executable;
}

/// False where fewer bytes could be read.
bool add_bytes(std::ifstream& in, std::uint64_t size, ContentHash& hash) {
  std::vector<char> part(std::size_t{1} << 18);
  while (size > 0 && in.good()) {
    in.read(part.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(size, part.size())));
    hash.add(part.data(), static_cast<std::size_t>(in.gcount()));
    size -= static_cast<std::uint64_t>(in.gcount());
  }
  return size == 0;
}

std::string hash_of(const fs::path& program) {
  constexpr std::uint64_t kMostWhole = std::uint64_t{256} << 20;
  constexpr std::uint64_t kEnd = std::uint64_t{8} << 20;
  std::error_code error;
  const std::uint64_t size = fs::file_size(program, error);
  std::ifstream in(program, std::ios::binary);
  if (error || !in) return {};
  ContentHash hash;
  bool whole = false;
  if (size <= kMostWhole) {
    whole = add_bytes(in, size, hash);
  } else {
    hash.add(&size, sizeof size);
    whole = add_bytes(in, kEnd, hash);
    in.seekg(static_cast<std::streamoff>(size - kEnd));
    whole = whole && add_bytes(in, kEnd, hash);
  }
  return whole ? hash.text() : "";
}

}  // namespace

std::string rank_library_path(const HostQuestion& question) {
  const auto given = question.environment.find("LD_LIBRARY_PATH");
  const char* own = std::getenv("LD_LIBRARY_PATH");
  const std::string written = given != question.environment.end() ? given->second : own == nullptr ? "" : own;
  std::string absolute = question.prefix.empty() ? "" : question.prefix + "/lib:" + question.prefix + "/lib64";
  for (const std::string& folder : split(written, ":;")) {
    absolute += (absolute.empty() ? "" : ":") + (fs::path(question.cwd) / folder).string();
  }
  return absolute;
}

const ProgramFacts& program_facts(const HostFacts& facts, std::size_t program) {
  static const ProgramFacts kNone;
  if (program == 0) return facts.program;
  return program <= facts.more_programs.size() ? facts.more_programs[program - 1] : kNone;
}

ProgramFacts& program_facts(HostFacts& facts, std::size_t program) {
  if (program == 0) return facts.program;
  facts.more_programs.resize(std::max(program, facts.more_programs.size()));
  return facts.more_programs[program - 1];
}

fs::path asked_program(const HostQuestion& question) { return fs::path(question.cwd) / question.program; }

ProgramFacts read_program_facts(const HostQuestion& question, const fs::path& root) {
  ProgramFacts facts;
  if (question.program.empty()) return facts;
  const fs::path program = host_path(root, asked_program(question));
  facts.state = state_of(program);
  if (facts.state != ProgramState::executable) return facts;
  facts.hash = hash_of(program);
  const auto elf = read_elf(program);
  if (!elf) return facts;
  facts.needs_glibc = elf->newest_glibc;
  facts.needs_glibcxx = elf->newest_glibcxx;
  facts.machine = machine_name(elf->machine);
  const LibrarySearch search(rank_library_path(question), root);
  // The loader's $ORIGIN is that of the file behind a symbolic link.
  std::error_code error;
  const fs::path real = root == "/" ? fs::canonical(program, error) : asked_program(question);
  for (const std::string& name : elf->needed) {
    const std::string path = search.find(name, *elf, real.parent_path());
    if (path.empty()) facts.missing_libraries.push_back(name);
    if (name.rfind("libmpi.so", 0) == 0) facts.mpi_library = path;
  }
  return facts;
}

}  // namespace ringrun
