// SPDX-License-Identifier: Apache-2.0
// The rules that a compiler left for undoing the frame of a function at one place in it: the row of
// its table in .eh_frame (DWARF 5, 6.4 "Call Frame Information"; Linux Standard Base, "Exception
// Frames").
#pragma once

#include <cstdint>
#include <optional>

#include "crash/elf_file.h"
#include "crash/unwind.h"

namespace refract::inline crash {

/// How one register of the caller is found.
struct FrameRule {
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

/// How all of them are found.
struct FrameRow {
  uint64_t return_register = 0;  ///< where the return address is
  bool signal_frame = false;     ///< the caller was interrupted by a signal
  /// The canonical frame address: what the stack pointer was before the call.
  uint64_t cfa_register = 0;
  int64_t cfa_offset = 0;
  ElfFile::Range cfa_expression;  // if it has one, that counts
  FrameRule rules[Registers::kCount];
};

/// The row for `pc`, as the file counts; nothing if there is none.
std::optional<FrameRow> FindFrameRow(const ElfFile& file, uint64_t pc);

}  // namespace refract::inline crash
