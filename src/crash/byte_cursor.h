// SPDX-License-Identifier: Apache-2.0
// Reads the number formats of DWARF and of the Linux Standard Base from bytes that are not trusted.
#pragma once

#include <cstdint>
#include <cstring>

#include "crash/dwarf.h"
#include "crash/elf_file.h"

namespace refract {
inline namespace crash {

/// Reads a range of bytes from its start. After a read past the end, ok() is false and every value
/// is zero.
class ByteCursor {
 public:
  explicit ByteCursor(ElfFile::Range range) : range_(range) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ >= range_.size; }
  size_t position() const { return at_; }
  void Jump(int64_t distance) {
    const int64_t target = static_cast<int64_t>(at_) + distance;
    if (target < 0 || static_cast<uint64_t>(target) > range_.size) ok_ = false;
    if (ok_) at_ = static_cast<size_t>(target);
  }
  /// Returns the next `size` bytes and moves past them.
  ElfFile::Range Take(uint64_t size) {
    if (size > range_.size - at_) ok_ = false;
    if (!ok_) return {};
    const ElfFile::Range part{range_.data + at_, static_cast<size_t>(size), range_.address + at_};
    at_ += static_cast<size_t>(size);
    return part;
  }
  template <class T>
  T Number() {
    T value{};
    const ElfFile::Range bytes = Take(sizeof value);
    if (ok_) std::memcpy(&value, bytes.data, sizeof value);
    return value;
  }
  uint64_t Unsigned() {  // LEB128
    uint64_t value = 0;
    for (uint32_t shift = 0; ok_; shift += 7) {
      const auto byte = Number<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  int64_t Signed() {
    uint64_t value = 0;
    for (uint32_t shift = 0; ok_;) {
      const auto byte = Number<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift < 64) value |= ~uint64_t{0} << shift;
      break;
    }
    return static_cast<int64_t>(value);
  }
  /// A pointer with one of the DW_EH_PE encodings. `base` is the address that DW_EH_PE_datarel
  /// refers to.
  uint64_t Pointer(uint8_t encoding, uint64_t base) {
    if (encoding == DW_EH_PE_omit) return 0;
    uint64_t from = 0;
    if ((encoding & kPointerBase) == DW_EH_PE_pcrel) from = range_.address + at_;
    if ((encoding & kPointerBase) == DW_EH_PE_datarel) from = base;
    switch (encoding & kPointerFormat) {
      case DW_EH_PE_absptr:
      case DW_EH_PE_udata8:
      case DW_EH_PE_sdata8:
        return from + Number<uint64_t>();
      case DW_EH_PE_uleb128:
        return from + Unsigned();
      case DW_EH_PE_udata2:
        return from + Number<uint16_t>();
      case DW_EH_PE_udata4:
        return from + Number<uint32_t>();
      case DW_EH_PE_sleb128:
        return from + static_cast<uint64_t>(Signed());
      case DW_EH_PE_sdata2:
        return from + static_cast<uint64_t>(int64_t{Number<int16_t>()});
      case DW_EH_PE_sdata4:
        return from + static_cast<uint64_t>(int64_t{Number<int32_t>()});
      default:
        ok_ = false;
        return 0;
    }
  }

 private:
  ElfFile::Range range_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace crash
}  // namespace refract
