// SPDX-License-Identifier: Apache-2.0
#include "cli/console.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace refract {
namespace {

bool MayColour(int descriptor) {
  // https://no-color.org: present and not empty means no.
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && isatty(descriptor) != 0;
}

void Line(bool colour, const char* escape, const char* kind, std::string_view line) {
  // One write, so that lines of several processes do not mix.
  std::string text = colour ? format("refract: \x1b[{}m{}:\x1b[0m {}\n", escape, kind, line)
                            : format("refract: {}: {}\n", kind, line);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

void Console::Print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void Console::Say(std::string_view line) {
  if (quiet) return;
  const std::string text = format("{}\n", line);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Console::Warn(std::string_view line) {
  Line(ColourTalk(), "33", "warning", line);
}
void Console::Complain(std::string_view line) {
  Line(ColourTalk(), "31", "error", line);
}

bool Console::ColourTalk() const {
  return !no_colour && MayColour(STDERR_FILENO);
}
bool Console::ColourData() const {
  return !no_colour && MayColour(STDOUT_FILENO);
}

Status Console::Flush() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  return Error{format("standard output: cannot write: {}", std::strerror(errno)),
               ErrorKind::kFailed};
}

std::string ShellLine(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    const bool plain =
        !argument.empty() && argument.find_first_not_of(
                                 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "_-+=./,:@%") == std::string::npos;
    if (plain) {
      line += argument;
      continue;
    }
    line += '\'';
    for (const char c : argument) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace refract
