// SPDX-License-Identifier: Apache-2.0
#include "base/escape_html.h"

#include <algorithm>
#include <cstdint>

namespace refract {
inline namespace base {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// The length in bytes of the UTF-8 character at the begin of `text`, and its code point. 0 if the
// bytes are not valid UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
size_t CharacterAt(std::string_view text, uint32_t* code) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) {
    *code = first;
    return 1;
  }
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  *code = first & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (byte(i) & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (*code < kLeast[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)) return 0;
  return length;
}

// Whether a page may contain the character: no control characters, and none that change the
// direction of text.
bool IsShown(uint32_t code) {
  if (code == '\n' || code == '\t') return true;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  if (code >= 0x202a && code <= 0x202e) return false;  // embeddings and overrides of text direction
  if (code >= 0x2066 && code <= 0x2069) return false;  // isolates of text direction
  return code != 0x200e && code != 0x200f && code != 0xfffe && code != 0xffff;
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string html;
  html.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    uint32_t code = 0;
    const size_t length = CharacterAt(text, &code);
    if (length == 0 || !IsShown(code)) {
      html += kReplacement;
    } else if (code == '&') {
      html += "&amp;";
    } else if (code == '<') {
      html += "&lt;";
    } else if (code == '>') {
      html += "&gt;";
    } else if (code == '"') {
      html += "&quot;";
    } else if (code == '\'') {
      html += "&#39;";
    } else {
      html += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return html;
}

}  // namespace base
}  // namespace refract
