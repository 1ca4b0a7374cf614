// SPDX-License-Identifier: Apache-2.0
// Stacks of crashed programs, in the forms in which the world prints them, and the frame that says
// where the fault is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace refract::inline signature {

struct Frame {
  std::string module;    ///< file name of the library or program; may be empty
  std::string function;  ///< without parameters and template arguments; may be empty
  std::string offset;    ///< in the module, "+0x1234"; empty if there is a function
};

/// A line of a stack: glibc's backtrace_symbols, our own form of it (RunResult::backtrace), gdb,
/// the sanitisers and LLVM, Android's tombstones, cdb. `*number` is the frame's, -1 if the form has
/// none.
std::optional<Frame> ReadFrame(std::string_view line, int* number);

/// Whether the frame is of the machinery of dying (abort, raise, a sanitiser's, the C library's,
/// a signal handler's) or of what is called from everywhere (memcpy, operator new).
bool IsPlumbing(const Frame& frame);

/// "module function" or "module+0x1234"; the module without version and folder.
std::string FrameName(const Frame& frame);

/// One stack, the lines it was read from counted from 1.
struct Stack {
  std::vector<Frame> frames;
  std::vector<size_t> lines;
};
/// The first stack in a text.
Stack FindStack(const std::vector<std::string_view>& lines);

/// What names the fault.
struct TopFrame {
  std::string name;        ///< empty: every frame is plumbing
  size_t index = 0;        ///< of the frame it was taken from
  bool recursion = false;  ///< a stack overflow: `name` is of the cycle, the least by its bytes
  size_t skipped = 0;      ///< frames before it that are plumbing
};
TopFrame FindTopFrame(const std::vector<Frame>& frames);

}  // namespace refract::inline signature
