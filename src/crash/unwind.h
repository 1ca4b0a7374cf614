// SPDX-License-Identifier: Apache-2.0
// Unwinds one stack frame of a stopped process from outside, with its registers and memory and the
// rules in .eh_frame (DWARF 5, 6.4 "Call Frame Information"; Linux Standard Base, "Exception
// Frames"). No code of the process runs, so a broken heap or a held lock cannot interfere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crash/elf_file.h"

namespace refract {
inline namespace crash {

/// Registers by their DWARF numbers, as the ABI of each processor defines them.
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

/// Reads the memory of another process through a descriptor of its /proc/PID/mem.
class ProcessMemory {
 public:
  explicit ProcessMemory(int fd) : fd_(fd) {}
  /// False if any part of it cannot be read.
  bool Read(uint64_t address, void* to, size_t size) const;
  bool Word(uint64_t address, uint64_t* word) const { return Read(address, word, sizeof *word); }

 private:
  int fd_;
};

enum class UnwindResult : uint8_t {
  kCaller,       ///< the registers are now the caller's
  kInterrupted,  ///< they are those of code that a signal interrupted; pc is no return address
  kOutermost,    ///< the frame has no caller
  kUnknown,      ///< there are no rules for this address, or they do not fit the memory
};

/// Unwinds the frame of a function of `file`, which is loaded at `bias` above the addresses in the
/// file. `pc_is_return_address`: registers->pc is a return address, so the call is the instruction
/// before it.
UnwindResult UnwindFrame(const ElfFile& file, uint64_t bias, const ProcessMemory& memory,
                         bool pc_is_return_address, Registers* registers);

}  // namespace crash
}  // namespace refract
