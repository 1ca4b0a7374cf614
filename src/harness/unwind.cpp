// SPDX-License-Identifier: Apache-2.0
#include "harness/unwind.h"

#include <unistd.h>

#include <cstring>
#include <optional>
#include <vector>

namespace refract {
namespace {

constexpr size_t kMaxStack = 64;         // of an expression, and of remembered rows
constexpr uint8_t kPcRelative = 0x10;    // DW_EH_PE_pcrel
constexpr uint8_t kDataRelative = 0x30;  // DW_EH_PE_datarel
constexpr uint8_t kOmit = 0xff;          // DW_EH_PE_omit

/// Reads a row of bytes from its start; what is beyond its end is zero, and it is no longer ok.
class Cursor {
 public:
  explicit Cursor(ElfFile::Range range) : range_(range) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ >= range_.size; }
  size_t position() const { return at_; }
  void Jump(int64_t distance) {
    const int64_t target = static_cast<int64_t>(at_) + distance;
    if (target < 0 || static_cast<uint64_t>(target) > range_.size) ok_ = false;
    if (ok_) at_ = static_cast<size_t>(target);
  }
  /// The next `size` bytes, which are passed over.
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
  /// A pointer in one of the ways of DW_EH_PE; `base` is what kDataRelative is relative to.
  uint64_t Pointer(uint8_t encoding, uint64_t base) {
    if (encoding == kOmit) return 0;
    uint64_t from = 0;
    if ((encoding & 0x70) == kPcRelative) from = range_.address + at_;
    if ((encoding & 0x70) == kDataRelative) from = base;
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c:
        return from + Number<uint64_t>();
      case 0x01:
        return from + Unsigned();
      case 0x02:
        return from + Number<uint16_t>();
      case 0x03:
        return from + Number<uint32_t>();
      case 0x09:
        return from + static_cast<uint64_t>(Signed());
      case 0x0a:
        return from + static_cast<uint64_t>(int64_t{Number<int16_t>()});
      case 0x0b:
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

/// How one register of the caller is found.
struct Rule {
  enum class Kind : uint8_t {
    kSame,
    kUndefined,
    kAt,        ///< in memory, `number` above the CFA
    kIs,        ///< it is `number` above the CFA
    kRegister,  ///< in register `number`
    kAtResult,  ///< in memory where the expression says
    kIsResult,  ///< what the expression says
  };
  Kind kind = Kind::kSame;
  int64_t number = 0;
  ElfFile::Range expression;
};

struct Row {
  uint64_t cfa_register = 0;
  int64_t cfa_offset = 0;
  ElfFile::Range cfa_expression;  // if it has one, that counts
  Rule rules[Registers::kCount];
};

struct CommonEntry {
  uint64_t code_alignment = 1;
  int64_t data_alignment = 1;
  uint64_t return_register = 0;
  uint8_t pointer_encoding = 0;
  bool sized_augmentation = false;
  bool signal_frame = false;
  ElfFile::Range instructions;
};

struct Description {
  CommonEntry common;
  uint64_t begin = 0;
  ElfFile::Range instructions;
};

/// The contents of the entry at `address`, behind its length.
ElfFile::Range EntryAt(const ElfFile& file, uint64_t address) {
  Cursor cursor(file.From(address));
  uint64_t length = cursor.Number<uint32_t>();
  if (length == 0xffffffff) length = cursor.Number<uint64_t>();
  return cursor.Take(length);
}

bool ReadCommon(const ElfFile& file, uint64_t address, CommonEntry* common) {
  Cursor cursor(EntryAt(file, address));
  if (cursor.Number<uint32_t>() != 0) return false;  // it is no common entry
  const auto version = cursor.Number<uint8_t>();
  std::string augmentation;
  while (const auto letter = cursor.Number<uint8_t>()) augmentation += static_cast<char>(letter);
  common->code_alignment = cursor.Unsigned();
  common->data_alignment = cursor.Signed();
  common->return_register = version == 1 ? cursor.Number<uint8_t>() : cursor.Unsigned();
  if (!augmentation.empty()) {
    if (augmentation[0] != 'z') return false;
    common->sized_augmentation = true;
    Cursor data(cursor.Take(cursor.Unsigned()));
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

bool ReadDescription(const ElfFile& file, uint64_t address, uint64_t pc, Description* found) {
  const ElfFile::Range entry = EntryAt(file, address);
  Cursor cursor(entry);
  const auto back = cursor.Number<uint32_t>();
  if (back == 0 || !cursor.ok() || !ReadCommon(file, entry.address - back, &found->common)) {
    return false;
  }
  found->begin = cursor.Pointer(found->common.pointer_encoding, 0);
  const uint64_t size = cursor.Pointer(found->common.pointer_encoding & 0x0f, 0);
  if (found->common.sized_augmentation) cursor.Take(cursor.Unsigned());
  found->instructions = cursor.Take(entry.size - cursor.position());
  return cursor.ok() && pc >= found->begin && pc - found->begin < size;
}

/// By the table of .eh_frame_hdr, which is sorted by the start of functions.
bool FindDescription(const ElfFile& file, uint64_t pc, Description* found) {
  const ElfFile::Range header = file.FrameHeader();
  Cursor cursor(header);
  const auto version = cursor.Number<uint8_t>(), pointer = cursor.Number<uint8_t>();
  const auto count_encoding = cursor.Number<uint8_t>(), table = cursor.Number<uint8_t>();
  cursor.Pointer(pointer, header.address);
  const uint64_t count = cursor.Pointer(count_encoding, header.address);
  if (!cursor.ok() || version != 1 || table != (kDataRelative | 0x0b)) return false;
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

/// A DWARF expression (DWARF 5, 2.5), as far as compilers and libraries use them here.
std::optional<uint64_t> Evaluate(ElfFile::Range expression, const Registers& registers,
                                 const ProcessMemory& memory, std::optional<uint64_t> first) {
  std::vector<uint64_t> stack;
  if (first) stack.push_back(*first);
  Cursor cursor(expression);
  const auto pop = [&]() -> uint64_t {
    if (stack.empty()) return 0;
    const uint64_t top = stack.back();
    stack.pop_back();
    return top;
  };
  const auto of_register = [&](uint64_t number) {
    return number < Registers::kCount ? registers.value[number] : 0;
  };
  for (int steps = 0; !cursor.at_end() && cursor.ok() && stack.size() < kMaxStack; ++steps) {
    if (steps > 1000) return std::nullopt;
    const auto op = cursor.Number<uint8_t>();
    if (op >= 0x30 && op <= 0x4f) {  // DW_OP_lit
      stack.push_back(op - 0x30u);
      continue;
    }
    if (op >= 0x70 && op <= 0x8f) {  // DW_OP_breg
      stack.push_back(of_register(op - 0x70u) + static_cast<uint64_t>(cursor.Signed()));
      continue;
    }
    switch (op) {
      case 0x06: {  // deref
        uint64_t word = 0;
        if (!memory.Word(pop(), &word)) return std::nullopt;
        stack.push_back(word);
        break;
      }
      case 0x08:
        stack.push_back(cursor.Number<uint8_t>());
        break;
      case 0x09:
        stack.push_back(static_cast<uint64_t>(int64_t{cursor.Number<int8_t>()}));
        break;
      case 0x0a:
        stack.push_back(cursor.Number<uint16_t>());
        break;
      case 0x0b:
        stack.push_back(static_cast<uint64_t>(int64_t{cursor.Number<int16_t>()}));
        break;
      case 0x0c:
        stack.push_back(cursor.Number<uint32_t>());
        break;
      case 0x0d:
        stack.push_back(static_cast<uint64_t>(int64_t{cursor.Number<int32_t>()}));
        break;
      case 0x0e:
      case 0x0f:
        stack.push_back(cursor.Number<uint64_t>());
        break;
      case 0x10:
        stack.push_back(cursor.Unsigned());
        break;
      case 0x11:
        stack.push_back(static_cast<uint64_t>(cursor.Signed()));
        break;
      case 0x12:  // dup
        stack.push_back(stack.empty() ? 0 : stack.back());
        break;
      case 0x13:  // drop
        pop();
        break;
      case 0x23:  // plus_uconst
        stack.push_back(pop() + cursor.Unsigned());
        break;
      case 0x92: {  // bregx
        const uint64_t number = cursor.Unsigned();
        stack.push_back(of_register(number) + static_cast<uint64_t>(cursor.Signed()));
        break;
      }
      default: {
        const uint64_t b = pop(), a = pop();
        const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
        switch (op) {
          case 0x1a:
            stack.push_back(a & b);
            break;
          case 0x1c:
            stack.push_back(a - b);
            break;
          case 0x1e:
            stack.push_back(a * b);
            break;
          case 0x21:
            stack.push_back(a | b);
            break;
          case 0x22:
            stack.push_back(a + b);
            break;
          case 0x24:
            stack.push_back(b < 64 ? a << b : 0);
            break;
          case 0x25:
            stack.push_back(b < 64 ? a >> b : 0);
            break;
          case 0x27:
            stack.push_back(a ^ b);
            break;
          case 0x29:
            stack.push_back(sa == sb ? 1 : 0);
            break;
          case 0x2a:
            stack.push_back(sa >= sb ? 1 : 0);
            break;
          case 0x2b:
            stack.push_back(sa > sb ? 1 : 0);
            break;
          case 0x2c:
            stack.push_back(sa <= sb ? 1 : 0);
            break;
          case 0x2d:
            stack.push_back(sa < sb ? 1 : 0);
            break;
          case 0x2e:
            stack.push_back(sa != sb ? 1 : 0);
            break;
          default:
            return std::nullopt;
        }
      }
    }
  }
  if (!cursor.ok() || stack.empty()) return std::nullopt;
  return stack.back();
}

/// Executes the instructions of a table up to the row of `pc`.
class Table {
 public:
  Table(const CommonEntry& common, uint64_t begin, uint64_t pc)
      : common_(common), location_(begin), pc_(pc) {}

  bool Find(ElfFile::Range instructions, Row* row) {
    if (!Execute(common_.instructions)) return false;
    initial_ = row_;
    if (!Execute(instructions)) return false;
    *row = row_;
    return true;
  }

 private:
  Rule* RuleOf(uint64_t number) {
    return number < Registers::kCount ? &row_.rules[number] : &ignored_;
  }

  bool Execute(ElfFile::Range instructions) {
    Cursor cursor(instructions);
    while (!cursor.at_end() && cursor.ok() && location_ <= pc_) {
      const uint64_t before = location_;
      const Row row = row_;
      if (!ExecuteOne(&cursor)) return false;
      if (location_ > pc_) {
        location_ = before;
        row_ = row;
        return cursor.ok();
      }
    }
    return cursor.ok();
  }

  bool ExecuteOne(Cursor* cursor) {
    const auto op = cursor->Number<uint8_t>();
    const uint64_t low = op & 0x3f;
    switch (op >> 6) {
      case 1:
        location_ += low * common_.code_alignment;
        return true;
      case 2:
        Offset(low, static_cast<int64_t>(cursor->Unsigned()));
        return true;
      case 3:
        *RuleOf(low) = low < Registers::kCount ? initial_.rules[low] : Rule();
        return true;
      default:
        return ExecuteExtended(op, cursor);
    }
  }

  void Offset(uint64_t number, int64_t factored, Rule::Kind kind = Rule::Kind::kAt) {
    *RuleOf(number) = {kind, factored * common_.data_alignment, {}};
  }
  void Cfa(uint64_t number, int64_t offset) {
    row_.cfa_register = number;
    row_.cfa_offset = offset;
    row_.cfa_expression = {};
  }

  // DWARF 5, 7.24 "Call Frame Information", table 7.29.
  bool ExecuteExtended(uint8_t op, Cursor* cursor) {
    uint64_t number = 0;
    switch (op) {
      case 0x00:  // nop
      case 0x2d:  // AArch64: the return address is signed from here on
        return true;
      case 0x01:
        location_ = cursor->Pointer(common_.pointer_encoding, 0);
        return true;
      case 0x02:
        location_ += cursor->Number<uint8_t>() * common_.code_alignment;
        return true;
      case 0x03:
        location_ += cursor->Number<uint16_t>() * common_.code_alignment;
        return true;
      case 0x04:
        location_ += cursor->Number<uint32_t>() * common_.code_alignment;
        return true;
      case 0x05:  // offset_extended
        number = cursor->Unsigned();
        Offset(number, static_cast<int64_t>(cursor->Unsigned()));
        return true;
      case 0x06:  // restore_extended
        number = cursor->Unsigned();
        *RuleOf(number) = number < Registers::kCount ? initial_.rules[number] : Rule();
        return true;
      case 0x07:
        RuleOf(cursor->Unsigned())->kind = Rule::Kind::kUndefined;
        return true;
      case 0x08:
        RuleOf(cursor->Unsigned())->kind = Rule::Kind::kSame;
        return true;
      case 0x09:  // register
        number = cursor->Unsigned();
        *RuleOf(number) = {Rule::Kind::kRegister, static_cast<int64_t>(cursor->Unsigned()), {}};
        return true;
      case 0x0a:  // remember_state
        if (remembered_.size() >= kMaxStack) return false;
        remembered_.push_back(row_);
        return true;
      case 0x0b:  // restore_state
        if (remembered_.empty()) return false;
        row_ = remembered_.back();
        remembered_.pop_back();
        return true;
      case 0x0c:  // def_cfa
        number = cursor->Unsigned();
        Cfa(number, static_cast<int64_t>(cursor->Unsigned()));
        return true;
      case 0x0d:  // def_cfa_register
        Cfa(cursor->Unsigned(), row_.cfa_offset);
        return true;
      case 0x0e:  // def_cfa_offset
        Cfa(row_.cfa_register, static_cast<int64_t>(cursor->Unsigned()));
        return true;
      case 0x0f:  // def_cfa_expression
        row_.cfa_expression = cursor->Take(cursor->Unsigned());
        return true;
      case 0x10:  // expression
      case 0x16:  // val_expression
        number = cursor->Unsigned();
        *RuleOf(number) = {op == 0x10 ? Rule::Kind::kAtResult : Rule::Kind::kIsResult, 0,
                           cursor->Take(cursor->Unsigned())};
        return true;
      case 0x11:  // offset_extended_sf
        number = cursor->Unsigned();
        Offset(number, cursor->Signed());
        return true;
      case 0x12:  // def_cfa_sf
        number = cursor->Unsigned();
        Cfa(number, cursor->Signed() * common_.data_alignment);
        return true;
      case 0x13:  // def_cfa_offset_sf
        Cfa(row_.cfa_register, cursor->Signed() * common_.data_alignment);
        return true;
      case 0x14:  // val_offset
        number = cursor->Unsigned();
        Offset(number, static_cast<int64_t>(cursor->Unsigned()), Rule::Kind::kIs);
        return true;
      case 0x15:  // val_offset_sf
        number = cursor->Unsigned();
        Offset(number, cursor->Signed(), Rule::Kind::kIs);
        return true;
      case 0x2e:  // GNU_args_size
        cursor->Unsigned();
        return true;
      default:
        return false;
    }
  }

  const CommonEntry& common_;
  uint64_t location_, pc_;
  Row row_, initial_;
  Rule ignored_;
  std::vector<Row> remembered_;
};

/// What the caller had in one register; nothing if it cannot be told.
std::optional<uint64_t> Restore(const Rule& rule, uint64_t cfa, uint64_t own,
                                const Registers& registers, const ProcessMemory& memory) {
  std::optional<uint64_t> place = cfa + static_cast<uint64_t>(rule.number);
  switch (rule.kind) {
    case Rule::Kind::kSame:
    case Rule::Kind::kUndefined:
      return own;
    case Rule::Kind::kIs:
      return place;
    case Rule::Kind::kRegister:
      return static_cast<uint64_t>(rule.number) < Registers::kCount ? registers.value[rule.number]
                                                                    : 0;
    case Rule::Kind::kIsResult:
      return Evaluate(rule.expression, registers, memory, cfa);
    case Rule::Kind::kAtResult:
      place = Evaluate(rule.expression, registers, memory, cfa);
      break;
    case Rule::Kind::kAt:
      break;
  }
  uint64_t word = 0;
  if (!place || !memory.Word(*place, &word)) return std::nullopt;
  return word;
}

}  // namespace

bool ProcessMemory::Read(uint64_t address, void* to, size_t size) const {
  return address <= static_cast<uint64_t>(INT64_MAX) &&
         ::pread(fd_, to, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
}

Unwound UnwindFrame(const ElfFile& file, uint64_t bias, const ProcessMemory& memory, bool returning,
                    Registers* registers) {
  const uint64_t pc = registers->pc - bias - (returning ? 1 : 0);
  Description description;
  Row row;
  if (!FindDescription(file, pc, &description) ||
      !Table(description.common, description.begin, pc).Find(description.instructions, &row)) {
    return Unwound::kUnknown;
  }
  const uint64_t column = description.common.return_register;
  if (column >= Registers::kCount) return Unwound::kUnknown;
  if (row.rules[column].kind == Rule::Kind::kUndefined) return Unwound::kOutermost;
  std::optional<uint64_t> cfa;
  if (row.cfa_expression.size != 0) {
    cfa = Evaluate(row.cfa_expression, *registers, memory, std::nullopt);
  } else if (row.cfa_register < Registers::kCount) {
    cfa = registers->value[row.cfa_register] + static_cast<uint64_t>(row.cfa_offset);
  }
  if (!cfa) return Unwound::kUnknown;
  Registers caller;
  for (size_t i = 0; i < Registers::kCount; ++i) {
    const uint64_t own = i == Registers::kStackPointer ? *cfa : registers->value[i];
    const std::optional<uint64_t> value = Restore(row.rules[i], *cfa, own, *registers, memory);
    // What is not needed to go on may be missing.
    if (!value && (i == column || i == Registers::kStackPointer)) return Unwound::kUnknown;
    caller.value[i] = value.value_or(0);
  }
  caller.pc = caller.value[column];
#if defined(__aarch64__)
  caller.pc &= (uint64_t{1} << 48) - 1;  // without the signature of a signed return address
#endif
  // Frames of callers are further up, and each call leaves something there.
  const bool up = caller.sp() > registers->sp() || (!returning && caller.sp() == registers->sp());
  if (!up && !description.common.signal_frame) return Unwound::kUnknown;
  *registers = caller;
  return description.common.signal_frame ? Unwound::kInterrupted : Unwound::kCaller;
}

}  // namespace refract
