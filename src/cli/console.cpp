// SPDX-License-Identifier: Apache-2.0
#include "cli/console.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/diagnostic.h"
namespace refract {
inline namespace cli {
namespace {

bool MayColour(int descriptor) {
  // https://no-color.org: a value that is not empty turns colours off.
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && isatty(descriptor) != 0;
}

std::string Line(bool colour, const char* escape, const char* kind, std::string_view line) {
  return colour ? format("refract: \x1b[{}m{}:\x1b[0m {}\n", escape, kind, line)
                : format("refract: {}: {}\n", kind, line);
}

}  // namespace

void Console::Print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) failed_with_ = errno;
}

void Console::Say(std::string_view line) {
  if (quiet) return;
  WriteMessage(format("{}\n", line));
}

void Console::Warn(std::string_view line) {
  WriteMessage(Line(MayColourMessages(), "33", "warning", line));
}
void Console::PrintError(std::string_view line) {
  if (FindDiagnostic(line) == std::string_view::npos) {
    return WriteMessage(Line(MayColourMessages(), "31", "error", line));
  }
  // Diagnostics begin with the place, as in the output of compilers.
  std::string text;
  for (const std::string& part : Split(line, '\n')) {
    const size_t at = MayColourMessages() ? FindDiagnostic(part) : std::string::npos;
    constexpr size_t kWord = 6;  // "error:"
    text += at == std::string::npos ? part
                                    : format("{}\x1b[31m{}\x1b[0m{}", part.substr(0, at),
                                             part.substr(at, kWord), part.substr(at + kWord));
    text += '\n';
  }
  WriteMessage(text);
}

// Writes a line at once, so that lines of several processes do not mix. Flushes stdout first, so
// that the order is right if both streams go to one file.
void Console::WriteMessage(const std::string& text) {
  if (std::fflush(stdout) != 0) failed_with_ = errno;
  std::fwrite(text.data(), 1, text.size(), stderr);
}

bool Console::MayColourMessages() const {
  return !no_colour && MayColour(STDERR_FILENO);
}

Status Console::Flush() {
  if (std::fflush(stdout) != 0) failed_with_ = errno;
  if (failed_with_ == 0 && std::ferror(stdout) == 0) return {};
  return Error{format("standard output: cannot write: {}", std::strerror(failed_with_)),
               ErrorKind::kFailed};
}

}  // namespace cli
}  // namespace refract
