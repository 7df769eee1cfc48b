#include "lib/host/elf_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <tuple>

#include "lib/descriptor.hpp"
#include "lib/host/host_file.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostTable = std::uint64_t{16} << 20;

/// Reads by position, not by mapping: a file that is being replaced must not end this process.
class Bytes {
 public:
  explicit Bytes(const fs::path& file) : descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

  bool read(std::uint64_t offset, void* to, std::uint64_t size) const {
    if (!descriptor_) return false;
    return pread(descriptor_.get(), to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
  }

  std::string text(std::uint64_t offset, std::uint64_t size) const {
    if (size == 0 || size > kMostTable) return {};
    std::string result(size, '\0');
    return read(offset, result.data(), size) ? result : "";
  }

  template <typename Item>
  std::vector<Item> table(std::uint64_t offset, std::uint64_t count) const {
    if (count == 0 || count > kMostTable / sizeof(Item)) return {};
    std::vector<Item> items(count);
    if (!read(offset, items.data(), count * sizeof(Item))) items.clear();
    return items;
  }

 private:
  Descriptor descriptor_;
};

std::optional<Elf64_Ehdr> read_header(const Bytes& bytes) {
  Elf64_Ehdr header{};
  if (!bytes.read(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return std::nullopt;
  return header;
}

/// A text that begins at `offset` of a table of texts.
std::string text_at(const std::string& texts, std::uint64_t offset) {
  return offset < texts.size() ? std::string(texts.c_str() + offset) : "";
}

std::tuple<int, int, int> version_parts(const std::string& version) {
  int major = 0;
  int minor = 0;
  int patch = 0;
  char dot = 0;
  std::istringstream(version) >> major >> dot >> minor >> dot >> patch;
  return {major, minor, patch};
}

/// Where the name is a version behind this prefix, and a newer one.
void note_version(const std::string& name, std::string_view prefix, std::string& newest) {
  if (name.rfind(prefix, 0) != 0) return;
  const std::string version = name.substr(prefix.size());
  // GLIBC_PRIVATE and GLIBC_ABI_… are marks, not versions.
  if (version.empty() || version.find_first_not_of("0123456789.") != std::string::npos) return;
  if (version_parts(version) > version_parts(newest)) newest = version;
}

/// Walks .gnu.version_r: one entry for each library, each with a chain of version names.
void read_versions(const Bytes& bytes, std::uint64_t offset, std::uint64_t count, const std::string& texts,
                   ElfFile& elf) {
  for (std::uint64_t i = 0; i < count; ++i) {
    Elf64_Verneed need{};
    if (!bytes.read(offset, &need, sizeof need)) return;
    std::uint64_t place = offset + need.vn_aux;
    for (unsigned j = 0; j < need.vn_cnt; ++j) {
      Elf64_Vernaux version{};
      if (!bytes.read(place, &version, sizeof version)) return;
      const std::string name = text_at(texts, version.vna_name);
      note_version(name, "GLIBC_", elf.newest_glibc);
      note_version(name, "GLIBCXX_", elf.newest_glibcxx);
      if (version.vna_next == 0) break;
      place += version.vna_next;
    }
    if (need.vn_next == 0) return;
    offset += need.vn_next;
  }
}

/// Addresses in the dynamic section are those of the loaded image.
std::uint64_t file_offset(const std::vector<Elf64_Phdr>& segments, std::uint64_t address) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address < segment.p_vaddr + segment.p_filesz) {
      return address - segment.p_vaddr + segment.p_offset;
    }
  }
  return 0;
}

void read_dynamic(const Bytes& bytes, const std::vector<Elf64_Phdr>& segments, const Elf64_Phdr& dynamic,
                  ElfFile& elf) {
  const auto items = bytes.table<Elf64_Dyn>(dynamic.p_offset, dynamic.p_filesz / sizeof(Elf64_Dyn));
  const auto value = [&](Elf64_Sxword tag) -> std::uint64_t {
    for (const Elf64_Dyn& item : items) {
      if (item.d_tag == DT_NULL) break;
      if (item.d_tag == tag) return item.d_un.d_val;
    }
    return 0;
  };
  const std::string texts = bytes.text(file_offset(segments, value(DT_STRTAB)), value(DT_STRSZ));
  for (const Elf64_Dyn& item : items) {
    if (item.d_tag == DT_NULL) break;
    const std::string text = text_at(texts, item.d_un.d_val);
    if (item.d_tag == DT_NEEDED) elf.needed.push_back(text);
    if (item.d_tag == DT_RPATH) elf.rpath = split(text, ":");
    if (item.d_tag == DT_RUNPATH) elf.runpath = split(text, ":");
  }
  const std::uint64_t versions = value(DT_VERNEED);
  if (versions != 0) read_versions(bytes, file_offset(segments, versions), value(DT_VERNEEDNUM), texts, elf);
}

}  // namespace

std::optional<ElfFile> read_elf(const fs::path& file) {
  const Bytes bytes(file);
  const auto header = read_header(bytes);
  if (!header) return std::nullopt;
  ElfFile elf;
  elf.machine = header->e_machine;
  const auto segments = bytes.table<Elf64_Phdr>(header->e_phoff, header->e_phnum);
  if (segments.empty() && header->e_phnum != 0) return std::nullopt;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_DYNAMIC) read_dynamic(bytes, segments, segment, elf);
  }
  return elf;
}

std::string machine_name(int machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86_64";
    case EM_AARCH64:
      return "aarch64";
    case EM_PPC64:
      return "ppc64le";
    case EM_RISCV:
      return "riscv64";
    default:
      return {};
  }
}

std::optional<int> elf_machine(const fs::path& file) {
  const auto header = read_header(Bytes(file));
  return header ? std::optional<int>(header->e_machine) : std::nullopt;
}

std::string read_constants(const fs::path& file) {
  const Bytes bytes(file);
  const auto header = read_header(bytes);
  if (!header) return {};
  const auto sections = bytes.table<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  if (header->e_shstrndx >= sections.size()) return {};
  const Elf64_Shdr& names = sections[header->e_shstrndx];
  const std::string texts = bytes.text(names.sh_offset, names.sh_size);
  for (const Elf64_Shdr& section : sections) {
    if (text_at(texts, section.sh_name) == ".rodata") return bytes.text(section.sh_offset, section.sh_size);
  }
  return {};
}

}  // namespace ringrun
