// SPDX-License-Identifier: Apache-2.0
// The rules of last_words.h. Each rule gets a log and the number of a line, and returns the message
// of that line, not yet normalised; empty if the line is not of its form.
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

// Messages of programs that crash (dying_words.cpp).
std::string SanitizerWords(const LogLines& lines, size_t i);
std::string SanitizerHeaderWords(const LogLines& lines, size_t i);
std::string ValgrindWords(const LogLines& lines, size_t i);
std::string UndefinedBehaviourWords(const LogLines& lines, size_t i);
std::string AssertionWords(const LogLines& lines, size_t i);
std::string MesaWords(const LogLines& lines, size_t i);
std::string LlvmWords(const LogLines& lines, size_t i);
std::string TerminateWords(const LogLines& lines, size_t i);
std::string GlibcWords(const LogLines& lines, size_t i);
std::string RustPanicWords(const LogLines& lines, size_t i);
std::string PythonWords(const LogLines& lines, size_t i);
std::string FatalWords(const LogLines& lines, size_t i);
std::string OutOfMemoryWords(const LogLines& lines, size_t i);

// Messages of test runners and of the kernel's graphics drivers (finding_words.cpp).
std::string DeviceLostWords(const LogLines& lines, size_t i);
std::string VulkanCallWords(const LogLines& lines, size_t i);
std::string WrongImageWords(const LogLines& lines, size_t i);
std::string HangWords(const LogLines& lines, size_t i);
std::string UnsupportedWords(const LogLines& lines, size_t i);

// Messages of tools that reject their input (refusing_words.cpp).
std::string GlslangWords(const LogLines& lines, size_t i);
std::string SpirvCrossWords(const LogLines& lines, size_t i);
std::string ValidationLayerWords(const LogLines& lines, size_t i);
std::string CompilerErrorWords(const LogLines& lines, size_t i);
std::string NumberedErrorWords(const LogLines& lines, size_t i);
std::string AmberWords(const LogLines& lines, size_t i);
std::string LoaderWords(const LogLines& lines, size_t i);
std::string AnyErrorWords(const LogLines& lines, size_t i);

}  // namespace signature
}  // namespace refract
