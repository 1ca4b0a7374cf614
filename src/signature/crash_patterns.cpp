// SPDX-License-Identifier: Apache-2.0
// The crash patterns: messages of sanitisers, assertions, compilers and libraries when a program
// dies.
#include "signature/characters.h"
#include "signature/frames.h"
#include "signature/match_functions.h"
#include "signature/normalise.h"

namespace refract {
inline namespace signature {
namespace {

/// The kind of a report, "data race" or "heap-use-after-free": the words before the first place in
/// the code.
std::string SanitizerKind(std::string_view what) {
  std::string kind;
  while (!(what = Trim(what)).empty()) {
    const std::string_view word = what.substr(0, what.find(' '));
    const bool place = word.find_first_of("/\\:+<(") != kNone;
    if (place || word == "on" || word == "in") break;
    kind += (kind.empty() ? "" : " ") + std::string(word);
    what.remove_prefix(word.size());
  }
  return kind;
}

/// The key of an assertion: its expression and, if known, where it failed.
std::string Assertion(std::string_view expression, std::string_view where) {
  return where.empty() ? format("assertion '{}'", expression)
                       : format("assertion '{}' in {}", expression, where);
}

/// "prog: ../x.cpp:88: void f(int): Assertion `x' failed."; libstdc++ writes 'x'.
std::string GlibcAssertion(std::string_view line) {
  size_t mark = line.find(": Assertion `");
  if (mark == kNone) mark = line.find(": Assertion '");
  if (mark == kNone) return {};
  const std::string_view expression = line.substr(mark + 13, line.rfind('\'') - mark - 13);
  const std::string_view before = line.substr(0, mark);
  // The function is after "file:line: ", so after the last number between two colons.
  size_t begin = 0;
  for (size_t at = before.find(": "); at != kNone; at = before.find(": ", at + 1)) {
    if (at > 0 && IsDigitAt(before, at - 1)) begin = at + 2;
  }
  return Assertion(expression, FunctionName(before.substr(begin)));
}

/// "Assertion failed: (x), function f, file x.cpp, line 12." (macOS), "Assertion failed: x, file
/// x.cpp, line 12" (Windows), "Assertion failed: x (x.c: f: 12)" (musl).
std::string OtherAssertion(std::string_view rest) {
  if (const size_t function = rest.find(", function "); function != kNone) {
    const std::string_view name = rest.substr(function + 11);
    return Assertion(rest.substr(0, function), name.substr(0, name.find(',')));
  }
  if (const size_t file = rest.find(", file "); file != kNone) {
    const std::string_view name = rest.substr(file + 7);
    return Assertion(rest.substr(0, file), FileOf(name.substr(0, name.find(','))));
  }
  const size_t open = rest.rfind(" ("), first = rest.find(": ", open), last = rest.rfind(": ");
  if (open == kNone || first == kNone || first == last || !rest.ends_with(")")) {
    return Assertion(rest, "");
  }
  return Assertion(rest.substr(0, open), rest.substr(first + 2, last - first - 2));
}

/// "FILE:LINE (FUNCTION): x" or "FUNCTION (FILE:LINE): x".
std::string PlacedAssertion(std::string_view rest) {
  const size_t open = rest.find(" ("), close = rest.find("): ", open);
  if (open == kNone || close == kNone) return format("assertion at {}", rest);
  const std::string_view inside = rest.substr(open + 2, close - open - 2);
  const bool place = inside.find(':') != kNone && IsDigitAt(inside, inside.size() - 1);
  return Assertion(rest.substr(close + 3), place ? rest.substr(0, open) : inside);
}

/// The message of LLVM's verifier. It is above the fatal error, and above the values and the
/// function that it quotes.
std::string VerifierMessageAbove(const LogLines& lines, size_t i) {
  for (size_t at = i; at > 0 && i - at < 12;) {
    const std::string_view line = lines[--at];
    if (Trim(line).empty() || line.find_first_of("%@") != kNone) continue;
    if (line.starts_with("in function ")) continue;
    return std::string(Trim(line));
  }
  return {};
}

}  // namespace

/// "SUMMARY: AddressSanitizer: heap-buffer-overflow /src/x.cc:120:9 in fold::Widen(int)".
std::string MatchSanitizer(const LogLines& lines, size_t i) {
  const std::string_view rest = AfterAtStart(lines[i], "SUMMARY: ");
  const size_t colon = rest.find(": ");
  if (colon == kNone || !rest.substr(0, colon).ends_with("Sanitizer")) return {};
  const std::string_view name = rest.substr(0, colon), what = rest.substr(colon + 2);
  const bool leak = what.find("leaked in ") != kNone;
  const std::string kind = leak ? "leak" : SanitizerKind(what);
  if (kind == "undefined-behavior") return {};  // another line says what was undefined
  const TopFrame top = FindTopFrame(FindStack(lines).frames);
  // The stack shows whether the top function belongs to the sanitiser itself.
  std::string where = top.name;
  if (where.empty() && !leak) {
    const size_t in = what.find(" in ");
    where = in != kNone ? FunctionName(what.substr(in + 4))
                        : std::string(FileOf(what.substr(what.rfind(' ') + 1)));
  }
  return format("{} {}{}{}", name, kind, where.empty() ? "" : " ", where);
}

/// "==12==ERROR: AddressSanitizer: heap-use-after-free on address ...", for reports without a
/// summary.
std::string MatchSanitizerHeader(const LogLines& lines, size_t i) {
  for (const std::string_view mark : {"ERROR: ", "WARNING: "}) {
    const std::string_view rest = After(lines[i], mark);
    const size_t colon = rest.find(": ");
    if (colon == kNone || !rest.substr(0, colon).ends_with("Sanitizer")) continue;
    std::string_view what = rest.substr(colon + 2);
    if (what.starts_with("attempting ")) what.remove_prefix(11);
    const std::string where = FindTopFrame(FindStack(lines).frames).name;
    return format("{} {}{}{}", rest.substr(0, colon), SanitizerKind(what), where.empty() ? "" : " ",
                  where);
  }
  return {};
}

/// "==77== Invalid read of size 8" of valgrind.
std::string MatchValgrind(const LogLines& lines, size_t i) {
  const std::string_view line = Trim(lines[i]);
  if (!line.starts_with("==") || line.find("== ") == kNone) return {};
  const std::string_view rest = After(line, "== ");
  for (const std::string_view text :
       {"Invalid read", "Invalid write", "Invalid free()", "Mismatched free()",
        "Jump to the invalid", "Conditional jump or move depends on", "Use of uninitialised value",
        "Process terminating"}) {
    if (!rest.starts_with(text)) continue;
    const std::string where = FindTopFrame(FindStack(lines).frames).name;
    return format("valgrind {}{}{}", rest, where.empty() ? "" : " in ", where);
  }
  return {};
}

/// "/src/x.cc:12:3: runtime error: shift exponent 32 is too large" of UBSan.
std::string MatchUndefinedBehaviour(const LogLines& lines, size_t i) {
  const size_t mark = lines[i].find(": runtime error: ");
  if (mark == kNone || mark == 0 || !IsDigitAt(lines[i], mark - 1)) return {};
  // A path such as "C:\x.cc:12:3" contains another colon.
  const std::string_view place = FileOf(lines[i].substr(0, mark));
  return format("runtime error in {}: {}", place.substr(0, place.find(':')),
                Trim(lines[i].substr(mark + 17)));
}

std::string MatchAssertion(const LogLines& lines, size_t i) {
  const std::string_view line = lines[i];
  if (std::string glibc = GlibcAssertion(line); !glibc.empty()) return glibc;
  if (const std::string_view rest = After(line, "Assertion failed: "); !rest.empty()) {
    return OtherAssertion(rest);
  }
  // "x.cc:12] Check failed: a == b (1 vs. 2)" of glog, Chromium and many others.
  if (std::string_view rest = After(line, "Check failed: "); !rest.empty()) {
    const size_t values = rest.find(" vs. ");
    rest = rest.substr(0, values == kNone ? values : rest.rfind(" (", values));
    while (rest.ends_with(".") || rest.ends_with(" ")) rest.remove_suffix(1);
    return format("check '{}'", rest);
  }
  if (const std::string_view rest = After(line, "internal error: CHECK("); !rest.empty()) {
    return format("check '{}'", rest.substr(0, rest.rfind(") failed at ")));
  }
  // libc++: "/usr/include/c++/v1/vector:12: assertion n < size() failed: out of bounds"
  if (const size_t mark = line.find(": assertion "); mark != kNone && mark > 0) {
    const size_t end = line.find(" failed: ", mark);
    if (end != kNone && IsDigitAt(line, mark - 1)) {
      const std::string_view place = FileOf(line.substr(0, mark));
      return Assertion(line.substr(mark + 12, end - mark - 12), place.substr(0, place.find(':')));
    }
  }
  for (const std::string_view mark : {"Assertion failure at ", "! Assert failed in "}) {
    const std::string_view rest = After(line, mark);
    if (!rest.empty()) return PlacedAssertion(rest);
  }
  if (const std::string_view rest = After(line, "! Unreachable reached: "); !rest.empty()) {
    return format("unreachable in {}", rest.substr(0, rest.find('(')));
  }
  const std::string_view rest = After(line, "ssertion failed at ");
  return rest.empty() ? "" : format("assertion at {}", rest);
}

/// Mesa's SPIR-V front end, ACO, and NIR's validator, which names the pass in an earlier line.
std::string MatchMesa(const LogLines& lines, size_t i) {
  const std::string_view line = lines[i];
  for (const auto& [mark, name] :
       {std::pair<std::string_view, std::string_view>{"SPIR-V parsing FAILED:", "SPIR-V parsing"},
        {"ACO ERROR:", "ACO"},
        {"ACO FAILED:", "ACO"}}) {
    if (line.find(mark) == kNone) continue;
    const bool placed = Trim(LineAt(lines, i + 1)).starts_with("In file");
    return format("{}: {}", name, Trim(LineAt(lines, i + (placed ? 2 : 1))));
  }
  if (line.find("nir_validate.c") == kNone) return {};
  const std::string_view error = After(line, "error: ");
  if (error.empty()) return {};
  std::string_view pass;
  for (size_t at = i; at > 0 && pass.empty();) {
    pass = After(lines[--at], "NIR validation failed after ");
  }
  return format("NIR{}{}: {}", pass.empty() ? "" : " after ", pass,
                error.substr(0, error.rfind(" (")));
}

std::string MatchLlvm(const LogLines& lines, size_t i) {
  const std::string_view line = lines[i];
  if (const std::string_view bad = After(line, "Bad machine code: "); !bad.empty()) {
    return format("LLVM bad machine code: {}", bad.substr(0, bad.rfind(" ***")));
  }
  if (line.find("UNREACHABLE executed") != kNone) {
    return format("LLVM unreachable: {}", i > 0 ? Trim(lines[i - 1]) : Trim(line));
  }
  const std::string_view error = After(line, "LLVM ERROR: ");
  if (error.starts_with("Broken ")) {
    return format("LLVM verifier: {}", VerifierMessageAbove(lines, i));
  }
  if (error.find("machine code error") != kNone) return {};  // an earlier line names the error
  if (!error.empty()) return format("LLVM ERROR: {}", error);
  const std::string_view diagnosis = After(line, "LLVM DIAGNOSIS INFO: ");
  return diagnosis.empty() ? "" : format("LLVM diagnosis: {}", diagnosis);
}

std::string MatchTerminate(const LogLines& lines, size_t i) {
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
  for (const std::string_view mark :
       {"libc++abi: terminating with uncaught exception of type ",
        "libc++abi: terminating due to uncaught exception of type "}) {
    const std::string_view rest = After(lines[i], mark);
    if (!rest.empty()) return format("uncaught {}", rest);
  }
  return {};
}

/// glibc's messages about a damaged heap or stack.
std::string MatchGlibc(const LogLines& lines, size_t i) {
  const std::string_view line = lines[i];
  for (const std::string_view text :
       {"free(): ", "malloc(): ", "realloc(): ", "calloc(): ", "munmap_chunk(): ",
        "malloc_consolidate(): ", "double free or corruption", "corrupted size vs. prev_size",
        "corrupted double-linked list", "stack smashing detected", "buffer overflow detected",
        "longjmp causes uninitialized stack frame",
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

std::string MatchRustPanic(const LogLines& lines, size_t i) {
  const std::string_view rest = After(lines[i], " panicked at ");
  if (rest.empty()) return {};
  if (rest[0] == '\'') return format("panic: {}", rest.substr(1, rest.rfind('\'') - 1));
  return format("panic: {}", Trim(LineAt(lines, i + 1)));  // the next line, since Rust 1.73
}

/// The exception that ends a traceback: the first line after its heading that is not indented.
std::string MatchPython(const LogLines& lines, size_t i) {
  if (!Trim(lines[i]).starts_with("Traceback (most recent call last)")) return {};
  for (size_t at = i + 1; at < lines.size(); ++at) {
    if (lines[at].starts_with(" ") || Trim(lines[at]).empty()) continue;
    return format("uncaught {}", Trim(lines[at]));
  }
  return {};
}

/// "../src/Pipeline/Foo.cpp:512 ABORT: no handler for opcode 81" of SwiftShader; lines that begin
/// with "fatal"; internal errors of compilers.
std::string MatchFatal(const LogLines& lines, size_t i) {
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
  if (const std::string_view rest = After(line, " internal compiler error: "); !rest.empty()) {
    return format("internal compiler error: {}", rest);
  }
  if (line.find("Compiler encountered an internal error") != kNone) {
    return "Compiler encountered an internal error";
  }
  const std::string_view abort_message = After(line, "Abort message: ");
  return std::string(abort_message);
}

std::string MatchOutOfMemory(const LogLines& lines, size_t i) {
  for (const std::string_view text :
       {"std::bad_alloc", "killed: memory limit", "Out of memory: "}) {
    if (lines[i].find(text) != kNone) return "out of memory";
  }
  const std::string_view rust = AfterAtStart(lines[i], "memory allocation of ");
  return rust.ends_with(" bytes failed") ? "out of memory" : "";
}

}  // namespace signature
}  // namespace refract
