#pragma once

#include <filesystem>

#include "lib/host/host_facts.hpp"

namespace ringrun {

/// Of the question's program, its libraries looked for with the LD_LIBRARY_PATH of the question's environment, else
/// with this process's. Only the libraries that the program itself names are looked for, and a script has none. Of a
/// program beyond 256 MB the hash covers its size, its first and its last 8 MiB. Never throws.
ProgramFacts read_program_facts(const HostQuestion& question, const std::filesystem::path& root = "/");

/// The LD_LIBRARY_PATH that the ranks will have, the question's or else this process's, with relative folders as they
/// are for ranks that start in the question's folder.
std::string rank_library_path(const HostQuestion& question);

/// The question's program; one with a relative path lies in the question's folder.
std::filesystem::path asked_program(const HostQuestion& question);

/// What a host says of the job's program with this number, the first being 0; empty where it was not asked for it.
const ProgramFacts& program_facts(const HostFacts& facts, std::size_t program);
ProgramFacts& program_facts(HostFacts& facts, std::size_t program);

}  // namespace ringrun
