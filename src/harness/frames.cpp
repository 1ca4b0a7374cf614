// SPDX-License-Identifier: Apache-2.0
#include "harness/frames.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/text.h"
#include "harness/normalise.h"

namespace refract {
namespace {

constexpr size_t kMaxFrames = 512;
/// A cycle that comes round so often is what overflowed the stack.
constexpr size_t kRecursionFrames = 40;
constexpr size_t kMaxLine = 8192;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsHex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.find_last_of("/\\!");  // in an Android package: x.apk!lib.so
  return Trim(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

/// Takes a number in hexadecimal off the front, with 0x if `prefix`; false if there is none.
bool TakeHex(std::string_view* text, bool prefix) {
  std::string_view rest = *text;
  if (prefix && !rest.starts_with("0x")) return false;
  if (prefix) rest.remove_prefix(2);
  size_t end = 0;
  while (end < rest.size() && (IsHex(rest[end]) || rest[end] == '`')) ++end;
  if (end == 0) return false;
  *text = rest.substr(end);
  return true;
}

/// "symbol+0x12" or "+0x1234" in `module`.
Frame Placed(std::string_view module, std::string_view place) {
  Frame frame;
  frame.module = BaseName(module);
  const size_t plus = place.rfind('+');
  const std::string_view symbol = place.substr(0, plus);
  if (!Trim(symbol).empty()) {
    frame.function = FunctionName(symbol);
  } else if (plus != std::string_view::npos) {
    frame.offset = place.substr(plus);
  }
  return frame;
}

/// "/lib/libfoo.so.1(symbol+0x12) [0x7f..]", as glibc and catchsegv print it.
std::optional<Frame> ReadGlibc(std::string_view line) {
  const size_t open = line.find('('), close = line.find(')', open);
  if (open == std::string_view::npos || close == std::string_view::npos || open == 0) return {};
  std::string_view rest = Trim(line.substr(close + 1));
  if (!rest.starts_with("[")) return {};
  rest.remove_prefix(1);
  if (!TakeHex(&rest, true) || !rest.starts_with("]")) return {};
  const std::string_view module = line.substr(0, open);
  if (module.find(' ') != std::string_view::npos) return {};
  return Placed(module, line.substr(open + 1, close - open - 1));
}

/// "libfoo.so.1!symbol+0x12", "libfoo.so.1+0x1234": RunResult::backtrace, and cdb's call sites.
std::optional<Frame> ReadOwn(std::string_view line) {
  const size_t bang = line.find('!'), plus = line.rfind('+');
  if (plus == std::string_view::npos) return {};
  std::string_view offset = line.substr(plus + 1);
  if (!TakeHex(&offset, true)) return {};
  if (!offset.empty() && !offset.starts_with(" [")) return {};  // cdb: [c:\x.cc @ 12]
  const size_t end = std::min(bang, plus);
  const std::string_view module = line.substr(0, end);
  if (module.empty() || module.find(' ') != std::string_view::npos) return {};
  const bool symbol = bang != std::string_view::npos && bang < plus;
  return Placed(module, symbol ? line.substr(bang + 1, plus - bang - 1)
                               : line.substr(plus, line.size() - plus - offset.size()));
}

/// cdb's "kp": four numbers in front, "0000008f`12ffe0b0 00007ff6`1b2c3d4e tool!opt::Run+0x2a".
std::optional<Frame> ReadCdb(std::string_view line) {
  for (int i = 0; i < 2; ++i) {
    line = Trim(line);
    std::string_view rest = line;
    if (!TakeHex(&rest, false) || !rest.starts_with(" ") || line.size() - rest.size() != 17) {
      return {};
    }
    line = rest;
  }
  line = Trim(line);
  if (line.starts_with(":")) return {};
  return ReadOwn(line);
}

/// The module in the last "(/lib/libfoo.so+0x1234)", and where that begins.
std::string_view ModuleInBrackets(std::string_view text, size_t* open, std::string_view* offset) {
  size_t close = text.size();
  for (;;) {
    close = text.rfind(')', close);
    *open = close == std::string_view::npos ? close : text.rfind('(', close);
    if (close == std::string_view::npos || *open == std::string_view::npos) return {};
    const std::string_view inside = text.substr(*open + 1, close - *open - 1);
    const size_t plus = inside.rfind("+0x");
    if (plus != std::string_view::npos && plus > 0) {
      *offset = inside.substr(plus);
      return inside.substr(0, plus);
    }
    if (*open == 0) return {};
    close = *open - 1;  // (BuildId: ...) and the like stand behind
  }
}

/// "#3 0x55d function file.cc:1:2" and "#3 0x55d function (module+0x12)" of sanitisers and LLVM;
/// "#3  0x55d in function (args) at file.c:12" and "... from /lib/libfoo.so" of gdb.
std::optional<Frame> ReadNumbered(std::string_view rest) {
  rest = Trim(rest);
  const bool address = TakeHex(&rest, true);
  rest = Trim(rest);
  if (rest.starts_with("in ")) rest = Trim(rest.substr(3));
  Frame frame;
  size_t open = 0;
  std::string_view offset;
  const std::string_view module = ModuleInBrackets(rest, &open, &offset);
  std::string_view function = rest;
  if (!module.empty()) {
    frame.module = BaseName(module);
    function = rest.substr(0, open);
  } else if (const size_t from = rest.find(" from "); from != std::string_view::npos) {
    frame.module = BaseName(rest.substr(from + 6));
    function = rest.substr(0, from);
  } else if (const size_t at = rest.find(") at "); at != std::string_view::npos) {
    function = rest.substr(0, at + 1);
  } else if (const size_t file = rest.rfind(" /"); file != std::string_view::npos) {
    function = rest.substr(0, file);
  } else if (!address) {
    return {};
  }
  function = Trim(function);
  if (function.starts_with("<unknown module>") || function.starts_with("??")) function = {};
  if (function.starts_with("/")) function = {};
  frame.function = FunctionName(function);
  if (frame.function.empty()) frame.offset = offset;
  if (frame.function.empty() && frame.module.empty()) frame.module = "?";
  return frame;
}

/// "pc 0000000000123456  /vendor/lib64/hw/vulkan.x.so (x::Visit(Node*)+40) (BuildId: 12ab)"
std::optional<Frame> ReadTombstone(std::string_view rest) {
  rest = Trim(rest.substr(2));
  const std::string_view begin = rest;
  if (!TakeHex(&rest, false)) return {};
  const std::string_view address = begin.substr(0, begin.size() - rest.size());
  rest = Trim(rest);
  const size_t blank = rest.find(' ');
  Frame frame;
  frame.module = BaseName(rest.substr(0, blank));
  const size_t open = blank == std::string_view::npos ? blank : rest.find('(', blank);
  if (open != std::string_view::npos && !rest.substr(open).starts_with("(BuildId")) {
    const size_t close = rest.find(") (BuildId", open);
    std::string_view inside = rest.substr(open + 1, close - open - 1);
    if (close == std::string_view::npos && inside.ends_with(")")) inside.remove_suffix(1);
    const size_t plus = inside.rfind('+');
    frame.function = FunctionName(inside.substr(0, plus));
  }
  if (frame.function.empty()) {
    const size_t digit = address.find_first_not_of('0');
    frame.offset =
        "+0x" + std::string(digit == std::string_view::npos ? "0" : address.substr(digit));
  }
  return frame;
}

bool StartsWithOneOf(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

}  // namespace

std::optional<Frame> ReadFrame(std::string_view line, int* number) {
  *number = -1;
  line = Trim(line.substr(0, kMaxLine));
  if (line.starts_with("#") && line.size() > 2 && IsDigit(line[1])) {
    size_t end = 1;
    while (end < line.size() && end < 6 && IsDigit(line[end])) ++end;
    if (end == line.size() || line[end] != ' ') return {};
    uint64_t value = 0;
    ParseNumber(line.substr(1, end - 1), &value);
    *number = static_cast<int>(value);
    const std::string_view rest = Trim(line.substr(end));
    return rest.starts_with("pc ") ? ReadTombstone(rest) : ReadNumbered(rest);
  }
  if (std::optional<Frame> frame = ReadGlibc(line)) return frame;
  if (std::optional<Frame> frame = ReadCdb(line)) return frame;
  return ReadOwn(line);
}

bool IsPlumbing(const Frame& frame) {
  constexpr const char* kModules[] = {
      "libc.so",      "libc-2",     "libc.musl",   "ld-linux",   "ld-2",        "libpthread",
      "libstdc++.so", "libc++.so",  "libc++_",     "libc++abi",  "libgcc_s",    "libasan",
      "libubsan",     "libtsan",    "libclang_rt", "linux-vdso", "libSegFault", "libunwind",
      "ntdll",        "KERNELBASE", "ucrtbase",    "libart.so",  "linker64"};
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
  for (size_t i = 0; i < lines.size() && stack.frames.size() < kMaxFrames; ++i) {
    int number = -1;
    std::optional<Frame> frame = ReadFrame(lines[i], &number);
    if (!frame) {
      // gdb wraps arguments onto the next line, and prints the source line.
      if (!stack.frames.empty() && ++misses > 3) break;
      continue;
    }
    misses = 0;
    if (number >= 0 && number <= last) break;  // the next stack
    last = number;
    stack.frames.push_back(std::move(*frame));
    stack.lines.push_back(i + 1);
  }
  return stack;
}

TopFrame FindTopFrame(const std::vector<Frame>& frames) {
  TopFrame top;
  std::map<std::string, std::pair<size_t, size_t>> count;  // how often, where first
  size_t most = 0;
  for (size_t i = 0; i < frames.size(); ++i) {
    if (IsPlumbing(frames[i])) continue;
    auto& [times, first] =
        count.emplace(FrameName(frames[i]), std::pair(size_t{0}, i)).first->second;
    most = std::max(most, ++times);
  }
  if (frames.size() >= kRecursionFrames && most >= frames.size() / 8) {
    // Which function of the cycle happens to need the last bytes differs from run to run.
    for (const auto& [name, seen] : count) {
      if (seen.first * 2 < most) continue;
      return {.name = name, .index = seen.second, .recursion = true};
    }
  }
  while (top.index < frames.size() && IsPlumbing(frames[top.index])) ++top.index;
  top.skipped = top.index;
  if (top.index < frames.size()) top.name = FrameName(frames[top.index]);
  return top;
}

}  // namespace refract
