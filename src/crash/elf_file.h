// SPDX-License-Identifier: Apache-2.0
// Reads the parts of an ELF file (System V ABI, "Object Files") that are needed to print the stack
// of a crashed process: the addresses at which it is loaded, the names of its functions, the tables
// for unwinding, and its build-id. The file is not trusted: every offset is checked before use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace refract {
inline namespace crash {

class ElfFile {
 public:
  /// Null if the file cannot be read or is not a 64-bit ELF file in the byte order of this machine.
  static std::shared_ptr<const ElfFile> Open(const std::string& path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  /// A range of bytes of the file.
  struct Range {
    const uint8_t* data = nullptr;
    size_t size = 0;
    uint64_t address = 0;  ///< of the first byte, as in the file, before relocation
  };
  /// The bytes from `address` to the end of its segment; empty if no segment contains it.
  Range BytesFrom(uint64_t address) const;
  /// The address, as in the file, of the byte at `offset`, at which a mapping of the file begins.
  /// `executable`: the mapping has code. UINT64_MAX if no segment contains the offset.
  uint64_t AddressOfOffset(uint64_t offset, bool executable) const;
  /// The header of the unwind table (PT_GNU_EH_FRAME); empty if the file has none.
  Range FrameHeader() const { return frame_header_; }

  struct Symbol {
    std::string name;     ///< as in the symbol table, mangled; empty if not found
    uint64_t offset = 0;  ///< of the address from the start of the symbol
  };
  /// The function or object that contains `address`, from .symtab or, in a stripped file, from
  /// .dynsym.
  Symbol SymbolAt(uint64_t address) const;

  /// The NT_GNU_BUILD_ID note as hexadecimal digits; empty if not found.
  const std::string& build_id() const { return build_id_; }

 private:
  struct Segment {
    uint64_t address = 0, offset = 0, size = 0;
    bool executable = false;
  };
  struct Symbols {
    uint64_t offset = 0, count = 0, names = 0, names_size = 0;
  };

  ElfFile() = default;
  bool Read();
  void ReadSegments(uint64_t offset, uint16_t count);
  void ReadSections(uint64_t offset, uint16_t count);
  void ReadNotes(uint64_t offset, uint64_t size);
  /// False if the range is not within the file.
  bool Copy(uint64_t offset, void* to, size_t size) const;
  bool Has(uint64_t offset, uint64_t size) const {
    return offset <= size_ && size <= size_ - offset;
  }

  const uint8_t* bytes_ = nullptr;
  size_t size_ = 0;
  std::vector<Segment> segments_;
  std::vector<Symbols> symbols_;  // .symtab before .dynsym
  Range frame_header_;
  std::string build_id_;
};

}  // namespace crash
}  // namespace refract
