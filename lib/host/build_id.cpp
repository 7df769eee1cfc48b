#include "lib/host/build_id.hpp"

#include <elf.h>
#include <link.h>

#include <cstring>
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

}  // namespace ringrun
