// SPDX-License-Identifier: Apache-2.0
#include "crash/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace refract {
inline namespace crash {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMaxNotes = uint64_t{1} << 16;
constexpr size_t kMaxBuildId = 64;
constexpr size_t kMaxSymbol = 1000;

}  // namespace

std::shared_ptr<const ElfFile> ElfFile::Open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return nullptr;
  struct stat status {};
  void* mapped = MAP_FAILED;
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    mapped = ::mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
  }
  ::close(fd);
  if (mapped == MAP_FAILED) return nullptr;
  std::shared_ptr<ElfFile> file(new ElfFile);
  file->bytes_ = static_cast<const uint8_t*>(mapped);
  file->size_ = static_cast<size_t>(status.st_size);
  return file->Read() ? file : nullptr;
}

ElfFile::~ElfFile() {
  ::munmap(const_cast<uint8_t*>(bytes_), size_);
}

bool ElfFile::Copy(uint64_t offset, void* to, size_t size) const {
  if (!Has(offset, size)) return false;
  std::memcpy(to, bytes_ + offset, size);
  return true;
}

bool ElfFile::Read() {
  Elf64_Ehdr header;
  if (!Copy(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] == ELFDATA2MSB) {
    return false;
  }
  if (header.e_phentsize == sizeof(Elf64_Phdr)) ReadSegments(header.e_phoff, header.e_phnum);
  if (header.e_shentsize == sizeof(Elf64_Shdr)) ReadSections(header.e_shoff, header.e_shnum);
  return true;
}

void ElfFile::ReadSegments(uint64_t offset, uint16_t count) {
  for (uint16_t i = 0; i < count; ++i) {
    Elf64_Phdr segment;
    if (!Copy(offset + i * sizeof segment, &segment, sizeof segment)) return;
    if (!Has(segment.p_offset, segment.p_filesz)) continue;
    if (segment.p_type == PT_LOAD) {
      segments_.push_back(
          {segment.p_vaddr, segment.p_offset, segment.p_filesz, (segment.p_flags & PF_X) != 0});
    } else if (segment.p_type == PT_GNU_EH_FRAME) {
      frame_header_ = {bytes_ + segment.p_offset, static_cast<size_t>(segment.p_filesz),
                       segment.p_vaddr};
    } else if (segment.p_type == PT_NOTE && build_id_.empty()) {
      ReadNotes(segment.p_offset, std::min(segment.p_filesz, kMaxNotes));
    }
  }
}

// Notes follow one another, each part padded to four bytes (System V ABI, "Note Section").
void ElfFile::ReadNotes(uint64_t offset, uint64_t size) {
  const auto padded = [](uint64_t bytes) { return (bytes + 3) & ~uint64_t{3}; };
  for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= size;) {
    Elf64_Nhdr note;
    if (!Copy(offset + at, &note, sizeof note)) return;
    const uint64_t name = at + sizeof note;
    const uint64_t value = name + padded(note.n_namesz);
    if (value + note.n_descsz > size) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= kMaxBuildId &&
        std::memcmp(bytes_ + offset + name, "GNU", 4) == 0) {
      for (uint64_t i = 0; i < note.n_descsz; ++i) {
        build_id_ += format("{:02x}", bytes_[offset + value + i]);
      }
      return;
    }
    at = value + padded(note.n_descsz);
  }
}

void ElfFile::ReadSections(uint64_t offset, uint16_t count) {
  for (const uint32_t kind : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (uint16_t i = 0; i < count; ++i) {
      Elf64_Shdr section, names;
      if (!Copy(offset + i * sizeof section, &section, sizeof section)) return;
      if (section.sh_type != kind || section.sh_link >= count ||
          section.sh_entsize != sizeof(Elf64_Sym) || !Has(section.sh_offset, section.sh_size) ||
          !Copy(offset + section.sh_link * sizeof names, &names, sizeof names) ||
          !Has(names.sh_offset, names.sh_size)) {
        continue;
      }
      symbols_.push_back(
          {section.sh_offset, section.sh_size / sizeof(Elf64_Sym), names.sh_offset, names.sh_size});
    }
  }
}

ElfFile::Range ElfFile::BytesFrom(uint64_t address) const {
  for (const Segment& segment : segments_) {
    if (address < segment.address || address - segment.address >= segment.size) continue;
    const uint64_t skipped = address - segment.address;
    return {bytes_ + segment.offset + skipped, static_cast<size_t>(segment.size - skipped),
            address};
  }
  return {};
}

uint64_t ElfFile::AddressOfOffset(uint64_t offset, bool executable) const {
  for (const Segment& segment : segments_) {
    // Mappings begin at whole pages, so the first page of a segment may have bytes from before it.
    const uint64_t first = segment.offset & ~(kPage - 1);
    if (segment.executable != executable || offset < first ||
        offset >= segment.offset + segment.size) {
      continue;
    }
    return segment.address - segment.offset + offset;
  }
  return UINT64_MAX;
}

ElfFile::Symbol ElfFile::SymbolAt(uint64_t address) const {
  for (const Symbols& table : symbols_) {
    Elf64_Sym best{};
    bool found = false;
    for (uint64_t i = 0; i < table.count; ++i) {
      Elf64_Sym symbol;
      if (!Copy(table.offset + i * sizeof symbol, &symbol, sizeof symbol)) break;
      const int type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= table.names_size ||
          (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE && type != STT_GNU_IFUNC)) {
        continue;
      }
      const bool inside =
          address >= symbol.st_value && (address - symbol.st_value < symbol.st_size ||
                                         (symbol.st_size == 0 && address == symbol.st_value));
      if (!inside || (found && symbol.st_value <= best.st_value)) continue;
      best = symbol;
      found = true;
    }
    if (!found) continue;
    const char* name = reinterpret_cast<const char*>(bytes_ + table.names + best.st_name);
    const size_t most = std::min<size_t>(table.names_size - best.st_name, kMaxSymbol);
    return {std::string(name, ::strnlen(name, most)), address - best.st_value};
  }
  return {};
}

}  // namespace crash
}  // namespace refract
