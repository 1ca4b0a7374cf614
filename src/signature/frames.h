// SPDX-License-Identifier: Apache-2.0
// Reads the stacks of crashed programs, in the formats that common tools print, and finds the frame
// that best names the fault.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace refract {
inline namespace signature {

struct Frame {
  std::string module;    ///< file name of the library or program; may be empty
  std::string function;  ///< without parameters and template arguments; may be empty
  std::string offset;    ///< in the module, "+0x1234"; empty if there is a function
};

/// Reads one line of a stack. It knows the formats of glibc's backtrace_symbols, of
/// RunResult::backtrace, gdb, the sanitisers, LLVM, Android's tombstones and cdb, among others.
/// Sets `*number` to the number of the frame, or to -1 if the format has none.
std::optional<Frame> ReadFrame(std::string_view line, int* number);

/// Whether the frame belongs to crash handling (abort, raise, a sanitiser, the C library, a signal
/// handler) or to a function that is called from everywhere (memcpy, operator new).
bool IsIgnoredFrame(const Frame& frame);

/// "module function" or "module+0x1234"; the module without folder and version.
std::string FrameName(const Frame& frame);

/// One stack, with the number of the line of each frame, from 1.
struct Stack {
  std::vector<Frame> frames;
  std::vector<size_t> lines;
};
/// The first stack in a text.
Stack FindStack(const std::vector<std::string_view>& lines);

/// The frame that names the fault.
struct TopFrame {
  std::string name;        ///< empty if IsIgnoredFrame holds for every frame
  size_t index = 0;        ///< of that frame
  bool recursion = false;  ///< a stack overflow; `name` is the smallest name of the recursive cycle
  size_t skipped = 0;      ///< number of frames before it, all with IsIgnoredFrame
};
TopFrame FindTopFrame(const std::vector<Frame>& frames);

}  // namespace signature
}  // namespace refract
