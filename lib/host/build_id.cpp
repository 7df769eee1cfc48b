#include "lib/host/build_id.hpp"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>

namespace ringrun {
namespace {

std::string hexadecimal(std::string_view bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4];
    text += kDigits[value & 15];
  }
  return text;
}

std::string build_id_in(std::string_view notes) {
  const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note{};
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    const std::size_t content = padded(note.n_namesz);
    if (notes.size() < content + padded(note.n_descsz)) return {};
    const bool gnu = note.n_namesz == 4 && notes.substr(0, 3) == "GNU";
    if (gnu && note.n_type == NT_GNU_BUILD_ID) return hexadecimal(notes.substr(content, note.n_descsz));
    notes.remove_prefix(content + padded(note.n_descsz));
  }
  return {};
}

int visit(dl_phdr_info* object, std::size_t, void* found) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    const std::string id = build_id_in({notes, segment.p_memsz});
    if (id.empty()) continue;
    *static_cast<std::string*>(found) = id;
    break;
  }
  // The first object is the program itself; its libraries are of no interest.
  return 1;
}

}  // namespace

std::string own_build_id() {
  std::string id;
  dl_iterate_phdr(visit, &id);
  return id;
}

std::string build_id_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const auto read_at = [&](std::uint64_t offset, char* into, std::size_t size) {
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(into, static_cast<std::streamsize>(size));
    return static_cast<bool>(file);
  };
  ElfW(Ehdr) head{};
  if (!read_at(0, reinterpret_cast<char*>(&head), sizeof head)) return {};
  const bool mine = std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_phentsize == sizeof(ElfW(Phdr));
  for (unsigned i = 0; mine && i < head.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    if (!read_at(head.e_phoff + i * sizeof segment, reinterpret_cast<char*>(&segment), sizeof segment)) return {};
    constexpr std::size_t kMostNotes = 1 << 16;
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNotes) continue;
    std::string notes(segment.p_filesz, '\0');
    if (!read_at(segment.p_offset, notes.data(), notes.size())) return {};
    if (std::string id = build_id_in(notes); !id.empty()) return id;
  }
  return {};
}

}  // namespace ringrun
