// SPDX-License-Identifier: Apache-2.0
// One frame of a stack undone from outside, by the rules that compilers leave in .eh_frame (DWARF
// 5, 6.4 "Call Frame Information"; Linux Standard Base, "Exception Frames"), with nothing but the
// registers and the memory of a stopped process. Nothing of the process itself runs, so neither a
// broken heap nor a lock that is held can get in the way.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crash/elf_file.h"

namespace refract::inline crash {

/// Registers by their DWARF numbers (the supplement for each processor).
struct Registers {
#if defined(__aarch64__)
  static constexpr size_t kCount = 32, kStackPointer = 31, kFramePointer = 29;
#else
  static constexpr size_t kCount = 17, kStackPointer = 7, kFramePointer = 6;
#endif
  uint64_t value[kCount] = {};
  uint64_t pc = 0;

  uint64_t sp() const {
    return value[kStackPointer];
  }
};

/// Reads the memory of another process, through a descriptor of its /proc/PID/mem.
class ProcessMemory {
 public:
  explicit ProcessMemory(int fd) : fd_(fd) {}
  /// False if not all of it can be read.
  bool Read(uint64_t address, void* to, size_t size) const;
  bool Word(uint64_t address, uint64_t* word) const { return Read(address, word, sizeof *word); }

 private:
  int fd_;
};

enum class Unwound : uint8_t {
  kCaller,       ///< the registers are now the caller's
  kInterrupted,  ///< they are those of what a signal interrupted: its pc is no return address
  kOutermost,    ///< it has no caller
  kUnknown,      ///< there are no rules for this place, or memory does not fit them
};

/// Undoes the frame of a function of `file`, which is loaded `bias` above the addresses it counts
/// with. `returning`: registers->pc is a return address, so the call is the instruction before it.
Unwound UnwindFrame(const ElfFile& file, uint64_t bias, const ProcessMemory& memory, bool returning,
                    Registers* registers);

}  // namespace refract::inline crash
