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
struct FrameRule {
  enum class Kind : uint8_t {
    kSame,
    kUndefined,
    kAt,        ///< in memory at CFA + `number`
    kIs,        ///< the value is CFA + `number`
    kRegister,  ///< in register `number`
    kAtResult,  ///< in memory at the result of the expression
    kIsResult,  ///< the result of the expression
  };
  Kind kind = Kind::kSame;
  int64_t number = 0;
  ElfFile::Range expression;
};

/// How to find the caller's values of all registers.
struct FrameRow {
  uint64_t return_register = 0;  ///< the register that holds the return address
  bool signal_frame = false;     ///< a signal interrupted the caller
  /// The canonical frame address (CFA): the value of the stack pointer before the call.
  uint64_t cfa_register = 0;
  int64_t cfa_offset = 0;
  ElfFile::Range cfa_expression;  // replaces register and offset if it is not empty
  FrameRule rules[Registers::kCount];
};

/// The row for `pc`, an address as in the file; nothing if not found.
std::optional<FrameRow> FindFrameRow(const ElfFile& file, uint64_t pc);

}  // namespace crash
}  // namespace refract
