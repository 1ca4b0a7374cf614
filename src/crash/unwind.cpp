// SPDX-License-Identifier: Apache-2.0
#include "crash/unwind.h"

#include <unistd.h>

#include <optional>
#include <vector>

#include "crash/byte_cursor.h"
#include "crash/dwarf.h"
#include "crash/unwind_rows.h"

namespace refract {
inline namespace crash {
namespace {

constexpr size_t kMaxStack = 64;  // entries on the stack of an expression

/// Evaluates a DWARF expression (DWARF 5, 2.5). It knows the operations that compilers use in
/// unwind rules.
std::optional<uint64_t> Evaluate(ElfFile::Range expression, const Registers& registers,
                                 const ProcessMemory& memory, std::optional<uint64_t> first) {
  std::vector<uint64_t> stack;
  if (first) stack.push_back(*first);
  ByteCursor cursor(expression);
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
    if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
      stack.push_back(uint64_t{op} - DW_OP_lit0);
      continue;
    }
    if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
      stack.push_back(of_register(uint64_t{op} - DW_OP_breg0) +
                      static_cast<uint64_t>(cursor.Signed()));
      continue;
    }
    switch (op) {
      case DW_OP_deref: {
        uint64_t word = 0;
        if (!memory.Word(pop(), &word)) return std::nullopt;
        stack.push_back(word);
        break;
      }
      case DW_OP_const1u:
        stack.push_back(cursor.Number<uint8_t>());
        break;
      case DW_OP_const1s:
        stack.push_back(static_cast<uint64_t>(int64_t{cursor.Number<int8_t>()}));
        break;
      case DW_OP_const2u:
        stack.push_back(cursor.Number<uint16_t>());
        break;
      case DW_OP_const2s:
        stack.push_back(static_cast<uint64_t>(int64_t{cursor.Number<int16_t>()}));
        break;
      case DW_OP_const4u:
        stack.push_back(cursor.Number<uint32_t>());
        break;
      case DW_OP_const4s:
        stack.push_back(static_cast<uint64_t>(int64_t{cursor.Number<int32_t>()}));
        break;
      case DW_OP_const8u:
      case DW_OP_const8s:
        stack.push_back(cursor.Number<uint64_t>());
        break;
      case DW_OP_constu:
        stack.push_back(cursor.Unsigned());
        break;
      case DW_OP_consts:
        stack.push_back(static_cast<uint64_t>(cursor.Signed()));
        break;
      case DW_OP_dup:
        stack.push_back(stack.empty() ? 0 : stack.back());
        break;
      case DW_OP_drop:
        pop();
        break;
      case DW_OP_plus_uconst:
        stack.push_back(pop() + cursor.Unsigned());
        break;
      case DW_OP_bregx: {
        const uint64_t number = cursor.Unsigned();
        stack.push_back(of_register(number) + static_cast<uint64_t>(cursor.Signed()));
        break;
      }
      default: {
        const uint64_t b = pop(), a = pop();
        const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
        switch (op) {
          case DW_OP_and:
            stack.push_back(a & b);
            break;
          case DW_OP_minus:
            stack.push_back(a - b);
            break;
          case DW_OP_mul:
            stack.push_back(a * b);
            break;
          case DW_OP_or:
            stack.push_back(a | b);
            break;
          case DW_OP_plus:
            stack.push_back(a + b);
            break;
          case DW_OP_shl:
            stack.push_back(b < 64 ? a << b : 0);
            break;
          case DW_OP_shr:
            stack.push_back(b < 64 ? a >> b : 0);
            break;
          case DW_OP_xor:
            stack.push_back(a ^ b);
            break;
          case DW_OP_eq:
            stack.push_back(sa == sb ? 1 : 0);
            break;
          case DW_OP_ge:
            stack.push_back(sa >= sb ? 1 : 0);
            break;
          case DW_OP_gt:
            stack.push_back(sa > sb ? 1 : 0);
            break;
          case DW_OP_le:
            stack.push_back(sa <= sb ? 1 : 0);
            break;
          case DW_OP_lt:
            stack.push_back(sa < sb ? 1 : 0);
            break;
          case DW_OP_ne:
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

/// The caller's value of one register; nothing if it cannot be found.
std::optional<uint64_t> Restore(const RegisterRule& rule, uint64_t cfa, uint64_t own,
                                const Registers& registers, const ProcessMemory& memory) {
  std::optional<uint64_t> place = cfa + static_cast<uint64_t>(rule.number);
  switch (rule.kind) {
    case RegisterRule::Kind::kSame:
    case RegisterRule::Kind::kUndefined:
      return own;
    case RegisterRule::Kind::kValOffset:
      return place;
    case RegisterRule::Kind::kRegister:
      return static_cast<uint64_t>(rule.number) < Registers::kCount ? registers.value[rule.number]
                                                                    : 0;
    case RegisterRule::Kind::kValExpression:
      return Evaluate(rule.expression, registers, memory, cfa);
    case RegisterRule::Kind::kExpression:
      place = Evaluate(rule.expression, registers, memory, cfa);
      break;
    case RegisterRule::Kind::kOffset:
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

UnwindResult UnwindFrame(const ElfFile& file, uint64_t bias, const ProcessMemory& memory,
                         bool pc_is_return_address, Registers* registers) {
  const uint64_t pc = registers->pc - bias - (pc_is_return_address ? 1 : 0);
  const std::optional<UnwindRow> found = FindUnwindRow(file, pc);
  if (!found) return UnwindResult::kUnknown;
  const UnwindRow& row = *found;
  const uint64_t column = row.return_register;
  if (column >= Registers::kCount) return UnwindResult::kUnknown;
  if (row.rules[column].kind == RegisterRule::Kind::kUndefined) return UnwindResult::kOutermost;
  std::optional<uint64_t> cfa;
  if (row.cfa_expression.size != 0) {
    cfa = Evaluate(row.cfa_expression, *registers, memory, std::nullopt);
  } else if (row.cfa_register < Registers::kCount) {
    cfa = registers->value[row.cfa_register] + static_cast<uint64_t>(row.cfa_offset);
  }
  if (!cfa) return UnwindResult::kUnknown;
  Registers caller;
  for (size_t i = 0; i < Registers::kCount; ++i) {
    const uint64_t own = i == Registers::kStackPointer ? *cfa : registers->value[i];
    const std::optional<uint64_t> value = Restore(row.rules[i], *cfa, own, *registers, memory);
    // Only the return address and the stack pointer are needed to continue.
    if (!value && (i == column || i == Registers::kStackPointer)) return UnwindResult::kUnknown;
    caller.value[i] = value.value_or(0);
  }
  caller.pc = caller.value[column];
#if defined(__aarch64__)
  caller.pc &= (uint64_t{1} << 48) - 1;  // removes the signature of a signed return address
#endif
  // The frames of callers are further up, because each call needs space on the stack.
  const bool up =
      caller.sp() > registers->sp() || (!pc_is_return_address && caller.sp() == registers->sp());
  if (!up && !row.signal_frame) return UnwindResult::kUnknown;
  *registers = caller;
  return row.signal_frame ? UnwindResult::kInterrupted : UnwindResult::kCaller;
}

}  // namespace crash
}  // namespace refract
