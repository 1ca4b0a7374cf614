// SPDX-License-Identifier: Apache-2.0
#include "crash/unwind_rows.h"

#include <cstring>
#include <string>
#include <vector>

#include "crash/byte_cursor.h"
#include "crash/dwarf.h"

namespace refract {
inline namespace crash {
namespace {

constexpr size_t kMaxRemembered = 64;  // rows that remember_state may save

struct CommonInformationEntry {
  uint64_t code_alignment = 1;
  int64_t data_alignment = 1;
  uint64_t return_register = 0;
  uint8_t pointer_encoding = DW_EH_PE_absptr;
  bool sized_augmentation = false;
  bool signal_frame = false;
  ElfFile::Range instructions;
};

struct FrameDescriptionEntry {
  CommonInformationEntry common;
  uint64_t begin = 0;
  ElfFile::Range instructions;
};

/// The contents of the entry at `address`, without its length.
ElfFile::Range EntryAt(const ElfFile& file, uint64_t address) {
  ByteCursor cursor(file.BytesFrom(address));
  uint64_t length = cursor.Number<uint32_t>();
  if (length == 0xffffffff) length = cursor.Number<uint64_t>();
  return cursor.Take(length);
}

bool ReadCommon(const ElfFile& file, uint64_t address, CommonInformationEntry* common) {
  ByteCursor cursor(EntryAt(file, address));
  if (cursor.Number<uint32_t>() != 0) return false;  // not a common information entry
  const auto version = cursor.Number<uint8_t>();
  std::string augmentation;
  while (const auto letter = cursor.Number<uint8_t>()) augmentation += static_cast<char>(letter);
  common->code_alignment = cursor.Unsigned();
  common->data_alignment = cursor.Signed();
  common->return_register = version == 1 ? cursor.Number<uint8_t>() : cursor.Unsigned();
  if (!augmentation.empty()) {
    if (augmentation[0] != 'z') return false;
    common->sized_augmentation = true;
    ByteCursor data(cursor.Take(cursor.Unsigned()));
    for (const char letter : augmentation.substr(1)) {
      if (letter == 'L') data.Number<uint8_t>();
      if (letter == 'R') common->pointer_encoding = data.Number<uint8_t>();
      if (letter == 'S') common->signal_frame = true;
      if (letter != 'P') continue;
      const auto encoding = data.Number<uint8_t>();
      data.Pointer(encoding, 0);
    }
    if (!data.ok()) return false;
  }
  common->instructions = cursor.Take(EntryAt(file, address).size - cursor.position());
  return cursor.ok();
}

bool ReadDescription(const ElfFile& file, uint64_t address, uint64_t pc,
                     FrameDescriptionEntry* found) {
  const ElfFile::Range entry = EntryAt(file, address);
  ByteCursor cursor(entry);
  const auto back = cursor.Number<uint32_t>();
  if (back == 0 || !cursor.ok() || !ReadCommon(file, entry.address - back, &found->common)) {
    return false;
  }
  found->begin = cursor.Pointer(found->common.pointer_encoding, 0);
  const uint64_t size = cursor.Pointer(found->common.pointer_encoding & kPointerFormat, 0);
  if (found->common.sized_augmentation) cursor.Take(cursor.Unsigned());
  found->instructions = cursor.Take(entry.size - cursor.position());
  return cursor.ok() && pc >= found->begin && pc - found->begin < size;
}

/// Searches the table of .eh_frame_hdr, which is sorted by the start of functions.
bool FindDescription(const ElfFile& file, uint64_t pc, FrameDescriptionEntry* found) {
  const ElfFile::Range header = file.FrameHeader();
  ByteCursor cursor(header);
  const auto version = cursor.Number<uint8_t>(), pointer = cursor.Number<uint8_t>();
  const auto count_encoding = cursor.Number<uint8_t>(), table = cursor.Number<uint8_t>();
  cursor.Pointer(pointer, header.address);
  const uint64_t count = cursor.Pointer(count_encoding, header.address);
  if (!cursor.ok() || version != 1 || table != (DW_EH_PE_datarel | DW_EH_PE_sdata4)) return false;
  const size_t start = cursor.position();
  if (count == 0 || count > (header.size - start) / 8) return false;
  const auto number = [&](uint64_t row, size_t column) {
    int32_t relative;
    std::memcpy(&relative, header.data + start + 8 * row + 4 * column, sizeof relative);
    return header.address + static_cast<uint64_t>(int64_t{relative});
  };
  uint64_t low = 0, high = count;
  while (high - low > 1) {
    const uint64_t middle = (low + high) / 2;
    (number(middle, 0) <= pc ? low : high) = middle;
  }
  return number(low, 0) <= pc && ReadDescription(file, number(low, 1), pc, found);
}

/// Executes the call frame instructions up to the row of `pc`.
class CallFrameInterpreter {
 public:
  CallFrameInterpreter(const CommonInformationEntry& common, uint64_t begin, uint64_t pc)
      : common_(common), location_(begin), pc_(pc) {}

  bool Find(ElfFile::Range instructions, UnwindRow* row) {
    if (!Execute(common_.instructions)) return false;
    initial_ = row_;
    if (!Execute(instructions)) return false;
    *row = row_;
    return true;
  }

 private:
  RegisterRule* RuleOf(uint64_t number) {
    return number < Registers::kCount ? &row_.rules[number] : &ignored_;
  }

  bool Execute(ElfFile::Range instructions) {
    ByteCursor cursor(instructions);
    while (!cursor.at_end() && cursor.ok() && location_ <= pc_) {
      const uint64_t before = location_;
      const UnwindRow row = row_;
      if (!ExecuteOne(&cursor)) return false;
      if (location_ > pc_) {
        location_ = before;
        row_ = row;
        return cursor.ok();
      }
    }
    return cursor.ok();
  }

  bool ExecuteOne(ByteCursor* cursor) {
    const auto op = cursor->Number<uint8_t>();
    const uint64_t low = op & kPrimaryOperand;
    switch (op & kPrimaryInstruction) {
      case DW_CFA_advance_loc:
        location_ += low * common_.code_alignment;
        return true;
      case DW_CFA_offset:
        Offset(low, static_cast<int64_t>(cursor->Unsigned()));
        return true;
      case DW_CFA_restore:
        *RuleOf(low) = low < Registers::kCount ? initial_.rules[low] : RegisterRule();
        return true;
      default:
        return ExecuteExtended(op, cursor);
    }
  }

  void Offset(uint64_t number, int64_t factored,
              RegisterRule::Kind kind = RegisterRule::Kind::kOffset) {
    *RuleOf(number) = {kind, factored * common_.data_alignment, {}};
  }
  void Cfa(uint64_t number, int64_t offset) {
    row_.cfa_register = number;
    row_.cfa_offset = offset;
    row_.cfa_expression = {};
  }

  bool ExecuteExtended(uint8_t op, ByteCursor* cursor) {
    uint64_t number = 0;
    switch (op) {
      case DW_CFA_nop:
      case DW_CFA_AARCH64_negate_ra_state:
        return true;
      case DW_CFA_set_loc:
        location_ = cursor->Pointer(common_.pointer_encoding, 0);
        return true;
      case DW_CFA_advance_loc1:
        location_ += cursor->Number<uint8_t>() * common_.code_alignment;
        return true;
      case DW_CFA_advance_loc2:
        location_ += cursor->Number<uint16_t>() * common_.code_alignment;
        return true;
      case DW_CFA_advance_loc4:
        location_ += cursor->Number<uint32_t>() * common_.code_alignment;
        return true;
      case DW_CFA_offset_extended:
        number = cursor->Unsigned();
        Offset(number, static_cast<int64_t>(cursor->Unsigned()));
        return true;
      case DW_CFA_restore_extended:
        number = cursor->Unsigned();
        *RuleOf(number) = number < Registers::kCount ? initial_.rules[number] : RegisterRule();
        return true;
      case DW_CFA_undefined:
        RuleOf(cursor->Unsigned())->kind = RegisterRule::Kind::kUndefined;
        return true;
      case DW_CFA_same_value:
        RuleOf(cursor->Unsigned())->kind = RegisterRule::Kind::kSame;
        return true;
      case DW_CFA_register:
        number = cursor->Unsigned();
        *RuleOf(number) = {
            RegisterRule::Kind::kRegister, static_cast<int64_t>(cursor->Unsigned()), {}};
        return true;
      case DW_CFA_remember_state:
        if (remembered_.size() >= kMaxRemembered) return false;
        remembered_.push_back(row_);
        return true;
      case DW_CFA_restore_state:
        if (remembered_.empty()) return false;
        row_ = remembered_.back();
        remembered_.pop_back();
        return true;
      case DW_CFA_def_cfa:
        number = cursor->Unsigned();
        Cfa(number, static_cast<int64_t>(cursor->Unsigned()));
        return true;
      case DW_CFA_def_cfa_register:
        Cfa(cursor->Unsigned(), row_.cfa_offset);
        return true;
      case DW_CFA_def_cfa_offset:
        Cfa(row_.cfa_register, static_cast<int64_t>(cursor->Unsigned()));
        return true;
      case DW_CFA_def_cfa_expression:
        row_.cfa_expression = cursor->Take(cursor->Unsigned());
        return true;
      case DW_CFA_expression:
      case DW_CFA_val_expression:
        number = cursor->Unsigned();
        *RuleOf(number) = {op == DW_CFA_expression ? RegisterRule::Kind::kExpression
                                                   : RegisterRule::Kind::kValExpression,
                           0, cursor->Take(cursor->Unsigned())};
        return true;
      case DW_CFA_offset_extended_sf:
        number = cursor->Unsigned();
        Offset(number, cursor->Signed());
        return true;
      case DW_CFA_def_cfa_sf:
        number = cursor->Unsigned();
        Cfa(number, cursor->Signed() * common_.data_alignment);
        return true;
      case DW_CFA_def_cfa_offset_sf:
        Cfa(row_.cfa_register, cursor->Signed() * common_.data_alignment);
        return true;
      case DW_CFA_val_offset:
        number = cursor->Unsigned();
        Offset(number, static_cast<int64_t>(cursor->Unsigned()), RegisterRule::Kind::kValOffset);
        return true;
      case DW_CFA_val_offset_sf:
        number = cursor->Unsigned();
        Offset(number, cursor->Signed(), RegisterRule::Kind::kValOffset);
        return true;
      case DW_CFA_GNU_args_size:
        cursor->Unsigned();
        return true;
      default:
        return false;
    }
  }

  const CommonInformationEntry& common_;
  uint64_t location_, pc_;
  UnwindRow row_, initial_;
  RegisterRule ignored_;
  std::vector<UnwindRow> remembered_;
};

}  // namespace

std::optional<UnwindRow> FindUnwindRow(const ElfFile& file, uint64_t pc) {
  FrameDescriptionEntry description;
  UnwindRow row;
  if (!FindDescription(file, pc, &description) ||
      !CallFrameInterpreter(description.common, description.begin, pc)
           .Find(description.instructions, &row)) {
    return std::nullopt;
  }
  row.return_register = description.common.return_register;
  row.signal_frame = description.common.signal_frame;
  return row;
}

}  // namespace crash
}  // namespace refract
