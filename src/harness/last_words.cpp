// SPDX-License-Identifier: Apache-2.0
#include "harness/last_words.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "harness/frames.h"
#include "harness/normalise.h"

namespace refract {
namespace {

using Lines = std::vector<std::string_view>;
constexpr size_t kMaxLine = 4096;
constexpr size_t kNone = std::string_view::npos;

/// What stands behind `mark` in the line; nothing if it is not there.
std::string_view After(std::string_view line, std::string_view mark) {
  const size_t at = line.find(mark);
  return at == kNone ? std::string_view() : Trim(line.substr(at + mark.size()));
}
std::string_view AfterAtStart(std::string_view line, std::string_view mark) {
  line = Trim(line);
  return line.starts_with(mark) ? Trim(line.substr(mark.size())) : std::string_view();
}
std::string_view LineAt(const Lines& lines, size_t i) {
  return i < lines.size() ? lines[i] : std::string_view();
}
bool StartsWithNoCase(std::string_view text, std::string_view beginning) {
  return text.size() >= beginning.size() &&
         std::equal(beginning.begin(), beginning.end(), text.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}
std::string_view BaseName(std::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  return slash == kNone ? path : path.substr(slash + 1);
}

/// "SUMMARY: AddressSanitizer: heap-buffer-overflow /src/x.cc:120:9 in fold::Widen(int)"
std::string Sanitizer(const Lines& lines, size_t i) {
  const std::string_view rest = AfterAtStart(lines[i], "SUMMARY: ");
  const size_t colon = rest.find(": ");
  if (colon == kNone || !rest.substr(0, colon).ends_with("Sanitizer")) return {};
  const std::string_view name = rest.substr(0, colon), what = rest.substr(colon + 2);
  const bool leak = what.find("leaked in ") != kNone;
  std::string kind = leak ? "leak" : std::string(what.substr(0, what.find(' ')));
  if (kind == "undefined-behavior") return {};  // its own line says what was undefined
  const TopFrame top = FindTopFrame(FindStack(lines).frames);
  // The stack knows whether the function at the top is one of the sanitiser's own.
  std::string where = top.name;
  if (where.empty() && !leak) {
    const size_t in = what.find(" in ");
    where = in != kNone ? FunctionName(what.substr(in + 4))
                        : std::string(BaseName(what.substr(what.rfind(' ') + 1)));
  }
  return format("{} {}{}{}", name, kind, where.empty() ? "" : " ", where);
}

/// "/src/x.cc:12:3: runtime error: shift exponent 32 is too large"
std::string UndefinedBehaviour(const Lines& lines, size_t i) {
  const std::string_view message = After(lines[i], ": runtime error: ");
  const std::string_view place = lines[i].substr(0, lines[i].find(':'));
  return message.empty() ? "" : format("runtime error in {}: {}", BaseName(place), message);
}

/// "prog: ../x.cpp:88: void f(int): Assertion `x' failed.", and what others make of it.
std::string Assertion(const Lines& lines, size_t i) {
  const std::string_view line = lines[i];
  if (const size_t mark = line.find(": Assertion `"); mark != kNone) {
    const std::string_view expression = line.substr(mark + 13, line.rfind('\'') - mark - 13);
    std::string_view before = line.substr(0, mark);
    // After "file:line: ", whose line number is the last number between two colons.
    size_t begin = 0;
    for (size_t at = before.find(": "); at != kNone; at = before.find(": ", at + 1)) {
      if (at > 0 && std::isdigit(static_cast<unsigned char>(before[at - 1])) != 0) begin = at + 2;
    }
    const std::string function = FunctionName(before.substr(begin));
    return format("assertion '{}' in {}", expression, function);
  }
  // LLVM on other systems, macOS: "Assertion failed: (x), function f, file x.cpp, line 12."
  if (const std::string_view rest = After(line, "Assertion failed: "); !rest.empty()) {
    const size_t function = rest.find(", function ");
    if (function != kNone) {
      const std::string_view name = rest.substr(function + 11);
      return format("assertion '{}' in {}", rest.substr(0, function),
                    name.substr(0, name.find(',')));
    }
    return format("assertion '{}'", rest);
  }
  // "x.cc:12] Check failed: a == b (1 vs. 2)" of many a C++ project.
  if (const std::string_view rest = After(line, "Check failed: "); !rest.empty()) {
    return format("check '{}'", rest.substr(0, rest.find(" (")));
  }
  if (const std::string_view rest = After(line, "internal error: CHECK("); !rest.empty()) {
    return format("check '{}'", rest.substr(0, rest.rfind(") failed at ")));
  }
  std::string_view rest = After(line, "ssertion failed at ");
  return rest.empty() ? "" : format("assertion at {}", rest);
}

/// The complaint of LLVM's verifier stands above the fatal error that follows it, and above the
/// values it quotes.
std::string ComplaintAbove(const Lines& lines, size_t i) {
  for (size_t at = i; at > 0 && i - at < 12;) {
    const std::string_view line = lines[--at];
    if (Trim(line).empty() || line.find_first_of("%@") != kNone) continue;
    return std::string(Trim(line));
  }
  return {};
}

std::string Llvm(const Lines& lines, size_t i) {
  const std::string_view line = lines[i];
  if (const std::string_view bad = After(line, "Bad machine code: "); !bad.empty()) {
    return format("LLVM bad machine code: {}", bad.substr(0, bad.rfind(" ***")));
  }
  if (line.find("UNREACHABLE executed") != kNone) {
    return format("LLVM unreachable: {}", i > 0 ? Trim(lines[i - 1]) : Trim(line));
  }
  const std::string_view error = After(line, "LLVM ERROR: ");
  if (error.starts_with("Broken ")) {
    return format("LLVM verifier: {}", ComplaintAbove(lines, i));
  }
  if (error.find("machine code error") != kNone) return {};  // said above, by name
  if (!error.empty()) return format("LLVM ERROR: {}", error);
  const std::string_view diagnosis = After(line, "LLVM DIAGNOSIS INFO: ");
  return diagnosis.empty() ? "" : format("LLVM diagnosis: {}", diagnosis);
}

std::string Terminate(const Lines& lines, size_t i) {
  std::string_view type = After(lines[i], "terminate called after throwing an instance of '");
  if (!type.empty()) {
    type = type.substr(0, type.find('\''));
    const std::string_view what = AfterAtStart(LineAt(lines, i + 1), "what():");
    return format("uncaught {}{}{}", type, what.empty() ? "" : ": ", what);
  }
  for (const std::string_view text :
       {"terminate called without an active exception", "terminate called recursively",
        "pure virtual method called", "Resource deadlock would occur",
        "deleted virtual method called"}) {
    if (lines[i].find(text) != kNone) return std::string(text);
  }
  const std::string_view clang =
      After(lines[i], "libc++abi: terminating with uncaught exception of type ");
  return clang.empty() ? "" : format("uncaught {}", clang);
}

/// What glibc says when it finds the heap or the stack broken.
std::string Glibc(const Lines& lines, size_t i) {
  const std::string_view line = lines[i];
  for (const std::string_view text :
       {"free(): ", "malloc(): ", "realloc(): ", "calloc(): ", "munmap_chunk(): ",
        "malloc_consolidate(): ", "double free or corruption", "corrupted size vs. prev_size",
        "corrupted double-linked list", "stack smashing detected", "buffer overflow detected",
        "Fatal glibc error: ", "break adjusted to free malloc space", "invalid fastbin entry"}) {
    const size_t at = line.find(text);
    const bool begins = at != kNone && (at == 0 || line[at - 1] == ' ' || line[at - 1] == '`');
    if (!begins || (text.ends_with("(): ") && Trim(line.substr(at)).size() <= text.size())) {
      continue;
    }
    const std::string_view rest = line.substr(at);
    return std::string(Trim(rest.substr(0, rest.find(" ***"))));
  }
  return {};
}

std::string RustPanic(const Lines& lines, size_t i) {
  const std::string_view rest = After(lines[i], " panicked at ");
  if (rest.empty()) return {};
  if (rest[0] == '\'') return format("panic: {}", rest.substr(1, rest.rfind('\'') - 1));
  return format("panic: {}", Trim(LineAt(lines, i + 1)));  // since 1.73 the message is below
}

/// Mesa's SPIR-V front end, ACO and NIR's validator.
std::string Mesa(const Lines& lines, size_t i) {
  const std::string_view line = lines[i];
  for (const auto& [mark, name] :
       {std::pair<std::string_view, std::string_view>{"SPIR-V parsing FAILED:", "SPIR-V parsing"},
        {"ACO ERROR:", "ACO"},
        {"ACO FAILED:", "ACO"}}) {
    if (line.find(mark) == kNone) continue;
    const bool placed = Trim(LineAt(lines, i + 1)).starts_with("In file");
    return format("{}: {}", name, Trim(LineAt(lines, i + (placed ? 2 : 1))));
  }
  if (line.find("nir_validate.c") != kNone) {
    const std::string_view error = After(line, "error: ");
    if (!error.empty()) return format("NIR: {}", error.substr(0, error.rfind(" (")));
  }
  return {};
}

/// "../src/Pipeline/Foo.cpp:512 ABORT: no handler for opcode 81" of SwiftShader; lines that begin
/// with "fatal".
std::string Fatal(const Lines& lines, size_t i) {
  const std::string_view line = Trim(lines[i]);
  for (const std::string_view mark :
       {" ABORT: ", " ABORT:", " UNREACHABLE: ", " UNIMPLEMENTED: "}) {
    const std::string_view rest = After(line, mark);
    if (!rest.empty()) return format("{} {}", Trim(mark), rest);
  }
  for (const std::string_view mark : {"fatal error:", "fatal:", "fatal ",
                                      "internal error:", "internal compiler error:", "panic:"}) {
    if (StartsWithNoCase(line, mark) && !Trim(line.substr(mark.size())).empty() &&
        line.find("fatal signal") == kNone) {
      return std::string(line);
    }
  }
  const std::string_view abort_message = After(line, "Abort message: ");
  return std::string(abort_message);
}

std::string OutOfMemory(const Lines& lines, size_t i) {
  for (const std::string_view text :
       {"std::bad_alloc", "killed: memory limit", "Out of memory: "}) {
    if (lines[i].find(text) != kNone) return "out of memory";
  }
  return {};
}

std::string DeviceLost(const Lines& lines, size_t i) {
  if (lines[i].find("VK_ERROR_DEVICE_LOST") != kNone) return "VK_ERROR_DEVICE_LOST";
  const std::string_view xid = After(lines[i], "NVRM: Xid ");
  if (!xid.empty()) return format("Xid {}", After(xid, "): "));
  const size_t ring = lines[i].find("*ERROR* ring ");
  return ring == kNone ? "" : std::string(lines[i].substr(ring));
}

/// "vkCreateGraphicsPipelines failed: VK_ERROR_UNKNOWN", "Calling vkWaitForFences Timeout"
std::string VulkanCall(const Lines& lines, size_t i) {
  const std::string_view line = lines[i];
  const std::string_view amber = After(line, "Calling vk");
  if (amber.ends_with(" Timeout") || amber.ends_with(" Fail")) return format("vk{}", amber);
  const size_t call = line.find("vk"), code = line.find("VK_ERROR_");
  if (code == kNone) return {};
  const auto word = [&](size_t at) {
    size_t end = at;
    while (end < line.size() &&
           (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_')) {
      ++end;
    }
    return line.substr(at, end - at);
  };
  return call < code ? format("{} {}", word(call), word(code)) : std::string(word(code));
}

std::string WrongImage(const Lines& lines, size_t i) {
  for (const std::string_view text : {"is greater than tolerance", "Buffers have different values",
                                      "Probe failed at", "DIFFERENT under rule"}) {
    if (lines[i].find(text) != kNone) return "picture";
  }
  return {};
}

std::string Hang(const Lines& lines, size_t i) {
  for (const std::string_view text :
       {"no answer within ", "did not end within ", "fence timeout"}) {
    if (lines[i].find(text) != kNone) return "time limit";
  }
  return {};
}

/// "ERROR: x.frag:31: 'foo' : undeclared identifier" of glslang.
std::string Glslang(const Lines& lines, size_t i) {
  const std::string_view rest = AfterAtStart(lines[i], "ERROR: ");
  const size_t colon = rest.find(':');
  if (colon == kNone || colon + 1 >= rest.size()) return {};
  size_t end = colon + 1;
  while (end < rest.size() && std::isdigit(static_cast<unsigned char>(rest[end])) != 0) ++end;
  const bool placed = end > colon + 1 && rest.substr(end).starts_with(":");
  return placed ? std::string(Trim(rest.substr(end + 1))) : "";
}

std::string SpirvCross(const Lines& lines, size_t i) {
  const std::string_view rest = After(lines[i], "SPIRV-Cross threw an exception: ");
  return std::string(rest);
}

/// "error: line 47: Block 12 ..." of spirv-val, -opt and -as, with or without the file in front;
/// "x.hlsl:3:4: error: ..." of compilers.
std::string CompilerError(const Lines& lines, size_t i) {
  std::string_view rest = After(lines[i], "error: ");
  if (rest.empty()) return {};
  const size_t at = lines[i].find("error: ");
  if (at != 0 && lines[i].substr(0, at).find(':') == kNone) return {};
  if (rest.starts_with("line ")) {
    const size_t colon = rest.find(": ");
    if (colon != kNone) rest = rest.substr(colon + 2);
  }
  size_t digits = 0;
  while (digits < rest.size() && std::isdigit(static_cast<unsigned char>(rest[digits])) != 0) {
    ++digits;
  }
  if (digits > 0 && rest.substr(digits).starts_with(": ")) rest = rest.substr(digits + 2);
  return std::string(Trim(rest));
}

std::string AnyError(const Lines& lines, size_t i) {
  const std::string_view line = Trim(lines[i]);
  for (const std::string_view mark : {"error: ", "error ", "error:"}) {
    if (StartsWithNoCase(line, mark)) return std::string(Trim(line.substr(mark.size())));
  }
  return {};
}

struct WordsRule {
  const char* name;
  WordsKind kind;
  FailureClass failure;
  std::string (*find)(const Lines& lines, size_t i);
  bool source_text = false;
};
constexpr WordsRule kRules[] = {
    {"sanitizer", WordsKind::kAbort, FailureClass::kCrash, Sanitizer},
    {"undefined behaviour", WordsKind::kAbort, FailureClass::kCrash, UndefinedBehaviour},
    {"assertion", WordsKind::kAbort, FailureClass::kCrash, Assertion, true},
    {"mesa", WordsKind::kAbort, FailureClass::kCrash, Mesa},
    {"llvm", WordsKind::kAbort, FailureClass::kCrash, Llvm},
    {"terminate", WordsKind::kAbort, FailureClass::kCrash, Terminate},
    {"glibc", WordsKind::kAbort, FailureClass::kCrash, Glibc},
    {"rust panic", WordsKind::kAbort, FailureClass::kCrash, RustPanic},
    {"fatal", WordsKind::kAbort, FailureClass::kCrash, Fatal},
    {"out of memory", WordsKind::kAbort, FailureClass::kCrash, OutOfMemory},
    {"device lost", WordsKind::kFinding, FailureClass::kDeviceLost, DeviceLost},
    {"vulkan call", WordsKind::kFinding, FailureClass::kError, VulkanCall},
    {"wrong image", WordsKind::kFinding, FailureClass::kWrongImage, WrongImage},
    {"hang", WordsKind::kFinding, FailureClass::kHang, Hang},
    {"glslang", WordsKind::kRefusal, FailureClass::kRejected, Glslang},
    {"spirv-cross", WordsKind::kRefusal, FailureClass::kRejected, SpirvCross},
    {"compiler error", WordsKind::kRefusal, FailureClass::kRejected, CompilerError},
    {"any error", WordsKind::kAnyError, FailureClass::kRejected, AnyError},
};

}  // namespace

std::optional<LastWords> FindLastWords(const Lines& lines, WordsKind kind) {
  for (const WordsRule& rule : kRules) {
    if (rule.kind != kind) continue;
    for (size_t i = 0; i < lines.size(); ++i) {
      std::string key = rule.find(lines, i);
      if (key.empty()) continue;
      return LastWords{rule.name, i + 1, rule.failure, std::move(key), rule.source_text};
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, std::min(end, kMaxLine)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace refract
