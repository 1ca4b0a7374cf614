// SPDX-License-Identifier: Apache-2.0
// The rules of message_rules.h. Each rule gets a log and the number of a line, and returns the
// message of that line, not yet normalised; empty if the line is not of its form.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace refract {
inline namespace signature {

using LogLines = std::vector<std::string_view>;

/// The text after `mark` in the line; empty if `mark` does not occur.
inline std::string_view After(std::string_view line, std::string_view mark) {
  const size_t at = line.find(mark);
  return at == std::string_view::npos ? std::string_view() : Trim(line.substr(at + mark.size()));
}
/// The text after `mark` if the line begins with it; else empty.
inline std::string_view AfterAtStart(std::string_view line, std::string_view mark) {
  line = Trim(line);
  return line.starts_with(mark) ? Trim(line.substr(mark.size())) : std::string_view();
}
inline std::string_view LineAt(const LogLines& lines, size_t i) {
  return i < lines.size() ? lines[i] : std::string_view();
}
inline bool StartsWithNoCase(std::string_view text, std::string_view beginning) {
  return text.size() >= beginning.size() &&
         std::equal(beginning.begin(), beginning.end(), text.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}
inline std::string_view FileOf(std::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}
inline bool IsDigitAt(std::string_view text, size_t at) {
  return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

// Messages of programs that crash (crash_patterns.cpp).
std::string MatchSanitizer(const LogLines& lines, size_t i);
std::string MatchSanitizerHeader(const LogLines& lines, size_t i);
std::string MatchValgrind(const LogLines& lines, size_t i);
std::string MatchUndefinedBehaviour(const LogLines& lines, size_t i);
std::string MatchAssertion(const LogLines& lines, size_t i);
std::string MatchMesa(const LogLines& lines, size_t i);
std::string MatchLlvm(const LogLines& lines, size_t i);
std::string MatchTerminate(const LogLines& lines, size_t i);
std::string MatchGlibc(const LogLines& lines, size_t i);
std::string MatchRustPanic(const LogLines& lines, size_t i);
std::string MatchPython(const LogLines& lines, size_t i);
std::string MatchFatal(const LogLines& lines, size_t i);
std::string MatchOutOfMemory(const LogLines& lines, size_t i);

// Messages of test runners and of the kernel's graphics drivers (failure_reports.cpp).
std::string MatchDeviceLost(const LogLines& lines, size_t i);
std::string MatchVulkanCall(const LogLines& lines, size_t i);
std::string MatchWrongImage(const LogLines& lines, size_t i);
std::string MatchHang(const LogLines& lines, size_t i);
std::string MatchUnsupported(const LogLines& lines, size_t i);

// Messages of tools that reject their input (rejection_messages.cpp).
std::string MatchGlslang(const LogLines& lines, size_t i);
std::string MatchSpirvCross(const LogLines& lines, size_t i);
std::string MatchValidationLayer(const LogLines& lines, size_t i);
std::string MatchCompilerError(const LogLines& lines, size_t i);
std::string MatchNumberedError(const LogLines& lines, size_t i);
std::string MatchAmber(const LogLines& lines, size_t i);
std::string MatchLoader(const LogLines& lines, size_t i);
std::string MatchAnyError(const LogLines& lines, size_t i);

}  // namespace signature
}  // namespace refract
