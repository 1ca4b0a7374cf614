// SPDX-License-Identifier: Apache-2.0
// Reads one line of a stack, in each of the known formats.
#include <algorithm>

#include "base/text.h"
#include "signature/characters.h"
#include "signature/frames.h"
#include "signature/normalise.h"

namespace refract {
inline namespace signature {
namespace {

constexpr size_t kMaxFrameLine = 8192;

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.find_last_of("/\\!");  // a library in an Android package: x.apk!lib.so
  return Trim(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

/// Removes a hexadecimal number from the start, with 0x if `prefix`; false if not found.
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

/// A frame at "symbol+0x12" or "+0x1234" in `module`.
Frame FrameAtPlace(std::string_view module, std::string_view place) {
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
  return FrameAtPlace(module, line.substr(open + 1, close - open - 1));
}

/// "libfoo.so.1!symbol+0x12" or "libfoo.so.1+0x1234" of RunResult::backtrace, and the call sites of
/// cdb.
std::optional<Frame> ReadRefractFrame(std::string_view line) {
  const size_t bang = line.find('!'), plus = line.rfind('+');
  if (plus == std::string_view::npos) return {};
  std::string_view offset = line.substr(plus + 1);
  if (!TakeHex(&offset, true)) return {};
  if (!offset.empty() && !offset.starts_with(" [")) return {};  // cdb: [c:\x.cc @ 12]
  const size_t end = std::min(bang, plus);
  const std::string_view module = line.substr(0, end);
  if (module.empty() || module.find(' ') != std::string_view::npos) return {};
  const bool symbol = bang != std::string_view::npos && bang < plus;
  return FrameAtPlace(module, symbol ? line.substr(bang + 1, plus - bang - 1)
                                     : line.substr(plus, line.size() - plus - offset.size()));
}

/// The lines of cdb's "kp", which begin with two addresses: "0000008f`12ffe0b0 00007ff6`1b2c3d4e
/// tool!opt::Run+0x2a". Since 2017 the number of the frame is before them.
std::optional<Frame> ReadCdb(std::string_view line) {
  if (line.size() > 3 && IsHex(line[0]) && IsHex(line[1]) && line[2] == ' ') line.remove_prefix(3);
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
  return ReadRefractFrame(line);
}

/// The module in the last "(/lib/libfoo.so+0x1234)" or "(libfoo.so + 0x1234)"; `*open` gets the
/// position of its bracket.
std::string_view ModuleInBrackets(std::string_view text, size_t* open, std::string_view* offset) {
  size_t close = text.size();
  for (;;) {
    close = text.rfind(')', close);
    *open = close == std::string_view::npos ? close : text.rfind('(', close);
    if (close == std::string_view::npos || *open == std::string_view::npos) return {};
    const std::string_view inside = text.substr(*open + 1, close - *open - 1);
    const size_t plus = inside.rfind('+');
    if (plus != std::string_view::npos && plus > 0) {
      *offset = Trim(inside.substr(plus + 1));
      if (offset->starts_with("0x")) return Trim(inside.substr(0, plus));
    }
    if (*open == 0) return {};
    close = *open - 1;  // skip (BuildId: ...) and the like after it
  }
}

/// The position of the blank before the file in "function /src/file.cc:1:2". The file may be
/// relative.
size_t StartOfFile(std::string_view text) {
  const size_t rooted = text.rfind(" /");
  return rooted != std::string_view::npos ? rooted : text.rfind(" ../");
}

/// "#3 0x55d function file.cc:1:2" and "#3 0x55d function (module+0x12)" of sanitisers and LLVM;
/// "#3  0x55d in function (args) at file.c:12" and "... from /lib/libfoo.so" of gdb, which
/// continues in the next line after many arguments; "#3 0x55d function (libfoo.so + 0x12)" of
/// systemd.
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
  } else if (const size_t file = StartOfFile(rest); file != std::string_view::npos) {
    function = rest.substr(0, file);
  } else if (!address) {
    const size_t arguments = rest.find(" (");
    const size_t equals =
        arguments == std::string_view::npos ? arguments : rest.find('=', arguments);
    if (equals == std::string_view::npos) return {};
  }
  function = Trim(function);
  if (function.ends_with(" <null>")) function.remove_suffix(7);  // of ThreadSanitizer: no file
  if (function.starts_with("<unknown module>") || function.starts_with("??")) function = {};
  if (function == "n/a") function = {};
  if (function.starts_with("/")) function = {};
  frame.function = FunctionName(function);
  if (frame.function.empty() && !offset.empty()) frame.offset = format("+{}", offset);
  if (frame.function.empty() && frame.module.empty()) frame.module = "?";
  return frame;
}

/// "pc 0000000000123456  /vendor/lib64/hw/vulkan.x.so (x::Visit(Node*)+40) (BuildId: 12ab)" of
/// Android's tombstones.
std::optional<Frame> ReadTombstone(std::string_view rest) {
  rest = Trim(rest.substr(2));
  const std::string_view begin = rest;
  if (!TakeHex(&rest, false)) return {};
  const std::string_view address = begin.substr(0, begin.size() - rest.size());
  rest = Trim(rest);
  const size_t blank = rest.find(' ');
  Frame frame;
  frame.module = BaseName(rest.substr(0, blank));
  size_t open = blank == std::string_view::npos ? blank : rest.find('(', blank);
  // For a library in a package, this is its offset in the package.
  if (open != std::string_view::npos && rest.substr(open).starts_with("(offset 0x")) {
    open = rest.find('(', open + 1);
  }
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

/// "frame #0: 0x0001000a3f2c libfoo.dylib`foo::Find(this=0x0, key=7) const + 12 at x.cpp:4" of
/// lldb.
std::optional<Frame> ReadLldb(std::string_view line, int* number) {
  if (line.starts_with("* ")) line = Trim(line.substr(2));
  if (!line.starts_with("frame #")) return {};
  const size_t colon = line.find(": ");
  uint64_t value = 0;
  if (colon == std::string_view::npos || !ParseNumber(line.substr(7, colon - 7), &value)) return {};
  line.remove_prefix(colon + 2);
  const size_t tick = line.find('`');
  if (!TakeHex(&line, true) || tick == std::string_view::npos) return {};
  const size_t name = line.find('`');
  Frame frame;
  frame.module = BaseName(line.substr(0, name));
  std::string_view function = line.substr(name + 1);
  for (const std::string_view end : {" at ", " + "})
    function = function.substr(0, function.rfind(end));
  frame.function = FunctionName(function);
  *number = static_cast<int>(std::min<uint64_t>(value, 1 << 20));
  return frame;
}

/// "1   libfoo.dylib   0x000000010a1b2c3d foo::Copy(foo::Span) + 77" of macOS, and
/// " 1  libfoo.so!foo::Drop(int) [x.cc : 31 + 0x5]" or " 1  libfoo.so + 0x12" of minidumps.
std::optional<Frame> ReadColumns(std::string_view line, int* number) {
  size_t end = 0;
  while (end < line.size() && IsDigit(line[end])) ++end;
  uint64_t value = 0;
  if (end == 0 || end > 4 || end == line.size() || line[end] != ' ') return {};
  ParseNumber(line.substr(0, end), &value);
  std::string_view rest = Trim(line.substr(end));
  const size_t blank = rest.find_first_of(" \t");
  const std::string_view module = rest.substr(0, std::min(blank, rest.find('!')));
  Frame frame;
  frame.module = BaseName(module);
  if (module.find('.') == std::string_view::npos && blank == std::string_view::npos) return {};
  std::string_view behind = blank == std::string_view::npos ? "" : Trim(rest.substr(blank));
  if (module.size() < rest.size() && rest[module.size()] == '!') {
    const std::string_view function = rest.substr(module.size() + 1);
    if (!function.ends_with("]")) return {};
    frame.function = FunctionName(function.substr(0, function.rfind(" [")));
  } else if (behind.starts_with("+ 0x")) {
    frame.offset = format("+{}", behind.substr(2));
  } else {
    if (!TakeHex(&behind, true) || !behind.starts_with(" ")) return {};
    const size_t plus = behind.rfind(" + ");
    if (plus == std::string_view::npos) return {};
    const std::string_view function = Trim(behind.substr(0, plus));
    if (function.starts_with("0x")) {
      frame.offset = format("+{}", Trim(behind.substr(plus + 3)));
    } else {
      frame.function = FunctionName(function);
    }
  }
  *number = static_cast<int>(value);
  return frame;
}

/// "==77==    at 0x484899F: f(int) (x.cpp:11)" and "==77==    by 0x1: ??? (in /lib/libx.so)" of
/// valgrind.
std::optional<Frame> ReadValgrind(std::string_view line) {
  if (!line.starts_with("==")) return {};
  line = Trim(line.substr(std::min(line.size(), line.find("== ") + 2)));
  if (!line.starts_with("at 0x") && !line.starts_with("by 0x")) return {};
  line.remove_prefix(3);
  if (!TakeHex(&line, true) || !line.starts_with(": ")) return {};
  const size_t place = line.rfind(" (");
  Frame frame;
  frame.function = FunctionName(line.substr(2, place - 2));
  if (frame.function.starts_with("???")) frame.function.clear();
  const std::string_view file = place == std::string_view::npos ? "" : line.substr(place + 2);
  if (file.starts_with("in ")) frame.module = BaseName(file.substr(3, file.find(')') - 3));
  return frame;
}

/// "tool[77]: segfault at 18 ip 00007f02b1a2c3d4 sp ... in libfoo.so.2[7f02b1a00000+9f0000]" of the
/// kernel: the file and the offset in its mapping.
std::optional<Frame> ReadKernel(std::string_view line) {
  const size_t in = line.rfind(" in "), open = line.find('[', in);
  size_t at = line.find(" ip ");
  if (at == std::string_view::npos) at = line.find(" ip:");
  if (at == std::string_view::npos || in == std::string_view::npos || in < at ||
      open == std::string_view::npos) {
    return {};
  }
  const auto hex = [&](size_t begin, uint64_t* value) {
    std::string_view rest = line.substr(begin);
    return TakeHex(&rest, false) &&
           ParseNumber(format("0x{}", line.substr(begin, line.size() - begin - rest.size())),
                       value);
  };
  uint64_t place = 0, base = 0;
  if (!hex(at + 4, &place) || !hex(open + 1, &base) || base > place) return {};
  Frame frame;
  frame.module = BaseName(line.substr(in + 4, open - in - 4));
  frame.offset = format("+0x{:x}", place - base);
  return frame;
}

}  // namespace

std::optional<Frame> ReadFrame(std::string_view line, int* number) {
  *number = -1;
  line = Trim(line.substr(0, kMaxFrameLine));
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
  if (std::optional<Frame> frame = ReadLldb(line, number)) return frame;
  if (std::optional<Frame> frame = ReadColumns(line, number)) return frame;
  if (std::optional<Frame> frame = ReadValgrind(line)) return frame;
  if (std::optional<Frame> frame = ReadKernel(line)) return frame;
  return ReadRefractFrame(line);
}

}  // namespace signature
}  // namespace refract
