// SPDX-License-Identifier: Apache-2.0
// An ELF file (System V ABI, "Object Files") as far as the stack of a crashed process needs it:
// where its bytes are loaded, what its functions are called, how its frames are undone, which build
// it is. The file is not trusted: every place is checked before it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace refract::inline crash {

class ElfFile {
 public:
  /// Null if it cannot be read or is no 64-bit ELF file of this machine's byte order.
  static std::shared_ptr<const ElfFile> Open(const std::string& path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  /// A row of its bytes, as the file has them.
  struct Range {
    const uint8_t* data = nullptr;
    size_t size = 0;
    uint64_t address = 0;  ///< of the first, as the file counts
  };
  /// From `address` to the end of what is loaded there; empty if nothing is.
  Range From(uint64_t address) const;
  /// The address, as the file counts, of what a mapping of its bytes at `offset` begins with.
  /// `executable`: of a mapping with code. UINT64_MAX if nothing is loaded from there.
  uint64_t AddressOfOffset(uint64_t offset, bool executable) const;
  /// The header of the table by which frames are undone (PT_GNU_EH_FRAME); empty if it has none.
  Range FrameHeader() const { return frame_header_; }

  struct Symbol {
    std::string name;     ///< as the linker knows it; empty if there is none
    uint64_t offset = 0;  ///< of the address behind its start
  };
  /// The function or object that `address` is in: of .symtab if the file has not been stripped of
  /// it, else of .dynsym.
  Symbol SymbolAt(uint64_t address) const;

  /// NT_GNU_BUILD_ID in hexadecimal digits; empty if it has none.
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
  /// False if the file does not reach there.
  bool Copy(uint64_t offset, void* to, size_t size) const;
  bool Has(uint64_t offset, uint64_t size) const {
    return offset <= size_ && size <= size_ - offset;
  }

  const uint8_t* bytes_ = nullptr;
  size_t size_ = 0;
  std::vector<Segment> segments_;
  std::vector<Symbols> symbols_;  // the better ones first
  Range frame_header_;
  std::string build_id_;
};

}  // namespace refract::inline crash
