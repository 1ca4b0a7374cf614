// SPDX-License-Identifier: Apache-2.0
// What a crash report reads from ELF files, tested on one made here. None of its bytes is trusted.
#include "crash/elf_file.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace refract {
namespace {

constexpr uint64_t kAddress = 0x401000;  // of the code
constexpr uint64_t kCode = 0x200, kNote = 0x240, kSymbols = 0x280, kNames = 0x300;
constexpr uint64_t kSegments = 0x40, kSections = 0x340, kSize = 0x400;

template <class T>
void Put(std::string* file, uint64_t offset, const T& value) {
  std::memcpy(file->data() + offset, &value, sizeof value);
}

/// 64 bytes of code at kAddress with a build-id and the functions "first" (16 bytes from its start)
/// and "second" (the 8 bytes after that).
std::string SmallFile() {
  std::string file(kSize, '\0');
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phoff = kSegments, header.e_phentsize = sizeof(Elf64_Phdr), header.e_phnum = 2;
  header.e_shoff = kSections, header.e_shentsize = sizeof(Elf64_Shdr), header.e_shnum = 2;
  Put(&file, 0, header);
  Elf64_Phdr code{}, note{};
  code.p_type = PT_LOAD, code.p_flags = PF_R | PF_X;
  code.p_offset = kCode, code.p_vaddr = kAddress + kCode, code.p_filesz = 64;
  note.p_type = PT_NOTE, note.p_offset = kNote, note.p_filesz = sizeof(Elf64_Nhdr) + 8;
  Put(&file, kSegments, code);
  Put(&file, kSegments + sizeof code, note);
  Put(&file, kNote, Elf64_Nhdr{4, 4, NT_GNU_BUILD_ID});
  file.replace(kNote + sizeof(Elf64_Nhdr), 8, std::string("GNU\0\x12\xab\x00\xff", 8));
  Elf64_Sym first{}, second{};
  first.st_name = 1, second.st_name = 7;
  first.st_info = second.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  first.st_shndx = second.st_shndx = 1;
  first.st_value = kAddress + kCode, first.st_size = 16;
  second.st_value = first.st_value + 16, second.st_size = 8;
  Put(&file, kSymbols, first);
  Put(&file, kSymbols + sizeof first, second);
  file.replace(kNames, 14, std::string("\0first\0second\0", 14));
  Elf64_Shdr symbols{}, names{};
  symbols.sh_type = SHT_SYMTAB, symbols.sh_link = 1, symbols.sh_entsize = sizeof(Elf64_Sym);
  symbols.sh_offset = kSymbols, symbols.sh_size = 2 * sizeof(Elf64_Sym);
  names.sh_type = SHT_STRTAB, names.sh_offset = kNames, names.sh_size = 14;
  Put(&file, kSections, symbols);
  Put(&file, kSections + sizeof symbols, names);
  return file;
}

class ElfFiles : public ::testing::Test {
 protected:
  std::shared_ptr<const ElfFile> Open(const std::string& bytes) {
    const std::string path = folder_->path() + "/file";
    EXPECT_TRUE(WriteFile(path, bytes));
    return ElfFile::Open(path);
  }
  Result<TemporaryFolder> folder_ = TemporaryFolder::Make();
};

TEST_F(ElfFiles, ReportSymbolsBytesAndAddresses) {
  const std::shared_ptr<const ElfFile> file = Open(SmallFile());
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->build_id(), "12ab00ff");
  const uint64_t begin = kAddress + kCode;
  EXPECT_EQ(file->SymbolAt(begin).name, "first");
  EXPECT_EQ(file->SymbolAt(begin + 15).offset, 15u);
  EXPECT_EQ(file->SymbolAt(begin + 16).name, "second");
  EXPECT_EQ(file->SymbolAt(begin + 24).name, "");
  EXPECT_EQ(file->SymbolAt(begin - 1).name, "");
  EXPECT_EQ(file->BytesFrom(begin + 60).size, 4u);
  EXPECT_EQ(file->BytesFrom(begin + 64).size, 0u);
  EXPECT_EQ(file->BytesFrom(begin - 1).size, 0u);
  // The first segment is mapped from the start of its page, as the kernel does.
  EXPECT_EQ(file->AddressOfOffset(0, true), kAddress);
  EXPECT_EQ(file->AddressOfOffset(0, false), UINT64_MAX);
  EXPECT_EQ(file->AddressOfOffset(0x1000, true), UINT64_MAX);
  EXPECT_EQ(file->FrameHeader().size, 0u);
}

// For files that are cut off or filled with ones, nothing after the end is read (the sanitisers
// would report it).
TEST_F(ElfFiles, DamagedFilesAreSafeToRead) {
  const std::string whole = SmallFile();
  EXPECT_EQ(Open(""), nullptr);
  EXPECT_EQ(Open("#!/bin/sh\n" + std::string(100, '\n')), nullptr);
  const auto look = [&](const std::string& bytes) {
    const std::shared_ptr<const ElfFile> file = Open(bytes);
    if (file == nullptr) return;
    for (uint64_t at = 0; at < 64; at += 8) {
      EXPECT_LE(file->SymbolAt(kAddress + kCode + at).name.size(), whole.size());
      EXPECT_LE(file->BytesFrom(kAddress + kCode + at).size, bytes.size());
    }
    EXPECT_LE(file->build_id().size(), 128u);
  };
  for (size_t size = 1; size < whole.size(); size += 7) look(whole.substr(0, size));
  for (size_t at = 0x10; at + 8 <= whole.size(); at += 4) {
    std::string broken = whole;
    broken.replace(at, 8, 8, '\xff');
    look(broken);
  }
}

}  // namespace
}  // namespace refract
