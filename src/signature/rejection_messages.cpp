// SPDX-License-Identifier: Apache-2.0
// Messages of tools that reject a module.
#include "signature/characters.h"
#include "signature/match_functions.h"

namespace refract {
inline namespace signature {
namespace {

size_t DigitsAt(std::string_view text, size_t at) {
  size_t end = at;
  while (IsDigitAt(text, end)) ++end;
  return end - at;
}

/// Completes messages that are only a beginning. The message of DXC continues in the next line. The
/// chain of causes of naga ends in the last line that begins with "= ".
std::string WithCause(const LogLines& lines, size_t i, std::string_view message) {
  constexpr size_t kMostLines = 40;
  if (message == "validation errors") {
    const std::string_view next = Trim(LineAt(lines, i + 1));
    const std::string_view placed = After(next, "error: ");
    return format("{}: {}", message, placed.empty() ? next : placed);
  }
  std::string_view cause;
  for (size_t at = i + 1; at < lines.size() && at < i + kMostLines; ++at) {
    const std::string_view line = Trim(lines[at]);
    if (line.empty() || line.find("error") == 0) break;
    if (line.starts_with("= ")) cause = Trim(line.substr(2));
  }
  return cause.empty() ? std::string(message) : format("{}: {}", message, cause);
}

}  // namespace

/// "ERROR: x.frag:31: 'foo' : undeclared identifier" of glslang.
std::string MatchGlslang(const LogLines& lines, size_t i) {
  const std::string_view rest = AfterAtStart(lines[i], "ERROR: ");
  const size_t colon = rest.find(':');
  if (colon == kNone) return {};
  const size_t digits = DigitsAt(rest, colon + 1);
  const bool placed = digits > 0 && rest.substr(colon + 1 + digits).starts_with(":");
  return placed ? std::string(Trim(rest.substr(colon + 2 + digits))) : "";
}

std::string MatchSpirvCross(const LogLines& lines, size_t i) {
  const std::string_view rest = After(lines[i], "SPIRV-Cross threw an exception: ");
  return std::string(rest);
}

/// "Validation Error: [ VUID-... ] Object 0: handle = 0x12 ... | MessageID = 0x1 | vkFoo(): what."
/// of the validation layers.
std::string MatchValidationLayer(const LogLines& lines, size_t i) {
  std::string_view rest = After(lines[i], "Validation Error: [ ");
  const size_t close = rest.find(" ]");
  if (close == kNone) return {};
  const size_t bar = rest.rfind("| ");
  return format("{}{}{}", rest.substr(0, close), bar == kNone ? "" : ": ",
                bar == kNone ? "" : rest.substr(bar + 2));
}

/// "error: line 47: Block 12 ..." of spirv-val, spirv-opt and spirv-as, also with the file before
/// it; "x.hlsl:3:4: error: ..." of compilers.
std::string MatchCompilerError(const LogLines& lines, size_t i) {
  std::string_view rest = After(lines[i], "error: ");
  if (rest.empty()) return {};
  const size_t at = lines[i].find("error: ");
  if (at != 0 && lines[i].substr(0, at).find(':') == kNone) return {};
  if (rest.starts_with("line ")) {
    const size_t colon = rest.find(": ");
    if (colon != kNone) rest = rest.substr(colon + 2);
  }
  // spirv-as prints the line and the column.
  for (size_t digits = DigitsAt(rest, 0); digits > 0 && rest.substr(digits).starts_with(": ");
       digits = DigitsAt(rest, 0)) {
    rest.remove_prefix(digits + 2);
  }
  return WithCause(lines, i, Trim(rest));
}

/// "x.hlsl(12,9-14): error X3004: ..." of FXC and Microsoft's compilers, where the number names the
/// error; "ptxas fatal   : ..." of NVIDIA's assembler.
std::string MatchNumberedError(const LogLines& lines, size_t i) {
  const std::string_view line = lines[i];
  if (const size_t at = line.find(": error "); at != kNone) {
    const std::string_view rest = line.substr(at + 8);
    const size_t colon = rest.find(": ");
    const std::string_view code = rest.substr(0, std::min(colon, rest.size()));
    const bool number = code.size() > 2 && code.size() < 10 && DigitsAt(code, 1) > 0 &&
                        IsDigitAt(code, code.size() - 1) && code.find(' ') == kNone;
    if (colon != kNone && number) return std::string(rest);
  }
  if (!line.starts_with("ptxas ")) return {};
  for (const std::string_view mark : {"fatal   : ", "error   : "}) {
    const std::string_view rest = After(line, mark);
    if (!rest.empty()) return std::string(rest);
  }
  return {};
}

/// "x.amber: 77: cannot bind ..." of Amber.
std::string MatchAmber(const LogLines& lines, size_t i) {
  const std::string_view rest = After(lines[i], ".amber: ");
  const size_t digits = DigitsAt(rest, 0);
  return digits > 0 && rest.substr(digits).starts_with(": ") ? std::string(rest.substr(digits + 2))
                                                             : "";
}

/// The program could not be started.
std::string MatchLoader(const LogLines& lines, size_t i) {
  const std::string_view rest = After(lines[i], "error while loading shared libraries: ");
  return std::string(rest);
}

std::string MatchAnyError(const LogLines& lines, size_t i) {
  const std::string_view line = Trim(lines[i]);
  for (const std::string_view mark : {"error: ", "error ", "error:"}) {
    if (StartsWithNoCase(line, mark)) return std::string(Trim(line.substr(mark.size())));
  }
  return {};
}

}  // namespace signature
}  // namespace refract
