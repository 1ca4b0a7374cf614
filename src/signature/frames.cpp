// SPDX-License-Identifier: Apache-2.0
#include "signature/frames.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace refract {
inline namespace signature {
namespace {

constexpr size_t kMaxFrames = 512;
/// Only stacks with at least this many frames are searched for the recursion that overflowed them.
constexpr size_t kRecursionFrames = 40;

bool StartsWithOneOf(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

/// In the output of gdb's "thread apply all", the line at which the stack of the thread that got
/// the signal begins. An earlier line names this thread. 0 if not found.
size_t StartOfFaultyThread(const std::vector<std::string_view>& lines) {
  std::string thread;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = Trim(lines[i]);
    if (!line.starts_with("Thread ")) continue;
    const size_t blank = line.find(' ', 7);
    if (line.find(" received signal ") != std::string_view::npos) {
      thread = format("{} (", line.substr(0, blank));
    } else if (!thread.empty() && line.starts_with(thread)) {
      return i;
    }
  }
  return 0;
}

/// LLVM prints a stack from its own signal handler. In a stripped library the handler's frames have
/// no names, so everything before the frame of the C library is skipped.
size_t EndOfLlvmHandler(const std::vector<Frame>& frames) {
  if (frames.empty() || !frames[0].function.starts_with("llvm::sys::PrintStackTrace")) return 0;
  for (size_t i = 0; i < std::min<size_t>(frames.size(), 6); ++i) {
    if (frames[i].module.starts_with("libc.so")) return i;
  }
  return 0;
}

}  // namespace

bool IsIgnoredFrame(const Frame& frame) {
  constexpr const char* kModules[] = {
      "libc.so",      "libc-2",     "libc.musl",  "ld-linux",    "ld-2",       "libpthread",
      "libstdc++.so", "libsystem_", "libc++.so",  "libc++_",     "libc++abi",  "libgcc_s",
      "libasan",      "libubsan",   "libtsan",    "libclang_rt", "linux-vdso", "libSegFault",
      "libunwind",    "ntdll",      "KERNELBASE", "ucrtbase",    "libart.so",  "linker64"};
  for (const char* module : kModules) {
    if (std::string_view(frame.module).starts_with(module)) return true;
  }
  const std::string_view name = frame.function;
  if (name.empty()) return frame.module.empty() || frame.module == "?";
  for (const std::string_view exact : {"abort",
                                       "raise",
                                       "gsignal",
                                       "kill",
                                       "tgkill",
                                       "killpg",
                                       "memcpy",
                                       "memmove",
                                       "memset",
                                       "memcmp",
                                       "strlen",
                                       "strcmp",
                                       "strcpy",
                                       "malloc",
                                       "calloc",
                                       "realloc",
                                       "free",
                                       "cfree",
                                       "SignalHandler",
                                       "operator new",
                                       "operator new[]",
                                       "operator delete",
                                       "operator delete[]",
                                       "std::terminate",
                                       "std::unexpected",
                                       "_start",
                                       "start_thread",
                                       "clone",
                                       "clone3"}) {
    if (name == exact) return true;
  }
  return StartsWithOneOf(name, {"__assert",
                                "__GI_",
                                "__libc_",
                                "__pthread_kill",
                                "pthread_kill",
                                "pthread_mutex",
                                "__futex",
                                "scudo_",
                                "__restore_rt",
                                "__kernel_",
                                "__fortify",
                                "__stack_chk",
                                "__chk_fail",
                                "__cxa_",
                                "__gxx_",
                                "__cxxabiv1::",
                                "__gnu_cxx::__verbose",
                                "std::__throw",
                                "std::__glibcxx_assert",
                                "std::__1::__throw",
                                "std::__libcpp",
                                "std::__1::__libcpp",
                                "__asan",
                                "__ubsan",
                                "__tsan",
                                "__msan",
                                "__lsan",
                                "__sanitizer",
                                "__interceptor",
                                "___interceptor",
                                "__interception",
                                "_Unwind_",
                                "llvm::sys::PrintStackTrace",
                                "llvm::sys::RunSignalHandlers",
                                "llvm::sys::CleanupOnSignal",
                                "llvm::report_fatal_error",
                                "llvm::llvm_unreachable_internal",
                                "CrashRecoverySignalHandler",
                                "PrintStackTraceSignalHandler",
                                "rust_begin_unwind",
                                "rust_panic",
                                "core::panicking",
                                "core::option::expect",
                                "core::result::unwrap",
                                "std::panicking",
                                "std::sys",
                                "__rust",
                                "refract::CheckFailed",
                                "__memcpy",
                                "__memmove",
                                "__memset",
                                "__strlen",
                                "__malloc",
                                "_int_malloc",
                                "_int_free",
                                "malloc_printerr",
                                "malloc_consolidate",
                                "unlink_chunk"});
}

std::string FrameName(const Frame& frame) {
  std::string module = frame.module;
  const size_t version = module.find(".so.");
  if (version != std::string::npos) module.resize(version + 3);
  if (frame.function.empty()) return module + frame.offset;
  return module.empty() ? frame.function : format("{} {}", module, frame.function);
}

Stack FindStack(const std::vector<std::string_view>& lines) {
  Stack stack;
  int last = -1;
  size_t misses = 0;
  for (size_t i = StartOfFaultyThread(lines); i < lines.size() && stack.frames.size() < kMaxFrames;
       ++i) {
    if (lines[i].find("<signal handler called>") != std::string_view::npos) {
      stack = {};  // the frames above belong to the program's own handler
      continue;
    }
    int number = -1;
    std::optional<Frame> frame = ReadFrame(lines[i], &number);
    if (!frame) {
      // Minidumps print registers below each frame.
      if (lines[i].find(" = 0x") != std::string_view::npos) continue;
      // gdb wraps arguments to the next line, and prints the source line.
      if (!stack.frames.empty() && ++misses > 3) break;
      continue;
    }
    misses = 0;
    if (number >= 0 && number <= last) break;  // the next stack begins
    last = number;
    stack.frames.push_back(std::move(*frame));
    stack.lines.push_back(i + 1);
  }
  return stack;
}

TopFrame FindTopFrame(const std::vector<Frame>& frames) {
  TopFrame top;
  std::map<std::string, std::pair<size_t, size_t>> count;  // how often, and the first index
  size_t most = 0;
  for (size_t i = 0; i < frames.size(); ++i) {
    if (IsIgnoredFrame(frames[i])) continue;
    auto& [times, first] =
        count.emplace(FrameName(frames[i]), std::pair(size_t{0}, i)).first->second;
    most = std::max(most, ++times);
  }
  if (frames.size() >= kRecursionFrames && most >= frames.size() / 8) {
    // Which function of the cycle reaches the end of the stack differs from run to run.
    for (const auto& [name, seen] : count) {
      if (seen.first * 2 < most) continue;
      return {.name = name, .index = seen.second, .recursion = true};
    }
  }
  top.index = EndOfLlvmHandler(frames);
  while (top.index < frames.size() && IsIgnoredFrame(frames[top.index])) ++top.index;
  top.skipped = top.index;
  if (top.index < frames.size()) top.name = FrameName(frames[top.index]);
  return top;
}

}  // namespace signature
}  // namespace refract
