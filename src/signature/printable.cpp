// SPDX-License-Identifier: Apache-2.0
// Removes what terminals and locales add to the output of programs.
#include <algorithm>

#include "base/text.h"
#include "signature/normalise.h"

namespace refract {
inline namespace signature {

std::string WithoutColours(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("\x1b[")) {
      at = std::min(text.find_first_not_of("0123456789;", at + 2), text.size());
    } else if (rest.starts_with("\u2018") || rest.starts_with("\u2019")) {
      result += '\'';
      at += 2;
    } else {
      result += text[at];
    }
  }
  return result;
}

std::string Printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    const unsigned char code = static_cast<unsigned char>(c);
    const char kept = blank ? ' ' : code < 0x20 || code > 0x7e ? '?' : c;
    const bool run = !result.empty() && result.back() == kept && (kept == ' ' || kept == '?');
    if (!run) result += kept;
  }
  return std::string(Trim(result));
}

}  // namespace signature
}  // namespace refract
