#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ringrun {

/// What a program or library asks of the loader.
struct ElfFile {
  int machine = 0;                  ///< e_machine: 62 is x86-64, 183 is AArch64
  std::vector<std::string> needed;  ///< names of the libraries it is linked with
  std::vector<std::string> rpath;   ///< folders, $ORIGIN and the like as written
  std::vector<std::string> runpath;
  std::string newest_glibc;    ///< newest GLIBC_x.y among the versions that it needs, "2.38"; "" for none
  std::string newest_glibcxx;  ///< newest GLIBCXX_x.y.z, "3.4.32"; "" for none
};

/// Reads the dynamic section. Empty where the file cannot be read, is cut off, or is no 64-bit little-endian ELF file.
std::optional<ElfFile> read_elf(const std::filesystem::path& file);

/// What `uname -m` says on a machine that runs such files: "x86_64"; "" for kinds that are not known here.
std::string machine_name(int machine);

/// Its machine alone, from the first bytes.
std::optional<int> elf_machine(const std::filesystem::path& file);

/// The bytes of its section .rodata, where a library's texts stand; "" where there is none, or more than 16 MiB.
std::string read_constants(const std::filesystem::path& file);

}  // namespace ringrun
