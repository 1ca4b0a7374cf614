// SPDX-License-Identifier: Apache-2.0
// Finds the unwind rules for one address: the row of the table that the compiler wrote into
// .eh_frame (DWARF 5, 6.4 "Call Frame Information"; Linux Standard Base, "Exception Frames").
#pragma once

#include <cstdint>
#include <optional>

#include "crash/elf_file.h"
#include "crash/unwind.h"

namespace refract {
inline namespace crash {

/// How to find the caller's value of one register.
struct RegisterRule {
  enum class Kind : uint8_t {
    kSame,
    kUndefined,
    kOffset,         ///< in memory at CFA + `number`
    kValOffset,      ///< the value is CFA + `number`
    kRegister,       ///< in register `number`
    kExpression,     ///< in memory at the result of the expression
    kValExpression,  ///< the result of the expression
  };
  Kind kind = Kind::kSame;
  int64_t number = 0;
  ElfFile::Range expression;
};

/// How to find the caller's values of all registers.
struct UnwindRow {
  uint64_t return_register = 0;  ///< the register that holds the return address
  bool signal_frame = false;     ///< a signal interrupted the caller
  /// The canonical frame address (CFA): the value of the stack pointer before the call.
  uint64_t cfa_register = 0;
  int64_t cfa_offset = 0;
  ElfFile::Range cfa_expression;  // replaces register and offset if it is not empty
  RegisterRule rules[Registers::kCount];
};

/// The row for `pc`, an address as in the file; nothing if not found.
std::optional<UnwindRow> FindUnwindRow(const ElfFile& file, uint64_t pc);

}  // namespace crash
}  // namespace refract
