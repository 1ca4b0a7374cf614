// SPDX-License-Identifier: Apache-2.0
#include "campaign/report/html.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/text.h"

namespace refract {
inline namespace campaign {

std::string EscapeUrlPath(std::string_view path) {
  std::string url;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_.~/").find(c) != std::string_view::npos;
    if (plain) {
      url += c;
    } else {
      url += format("%{:02X}", static_cast<uint8_t>(c));
    }
  }
  return url;
}

std::string Shortened(std::string_view text, size_t limit) {
  if (text.size() <= limit) return std::string(text);
  size_t head = limit / 2;
  size_t tail = text.size() - limit / 2;
  const size_t line_end = text.rfind('\n', head);
  if (line_end != std::string_view::npos && line_end > head / 2) head = line_end + 1;
  const size_t line_begin = text.find('\n', tail);
  if (line_begin != std::string_view::npos && line_begin - tail < limit / 4) tail = line_begin + 1;
  return format("{}\n[{} bytes are left out here]\n{}", text.substr(0, head), tail - head,
                text.substr(tail));
}

std::string DurationText(double seconds) {
  const auto whole = static_cast<uint64_t>(std::max(0.0, std::round(seconds)));
  if (whole < 60) return format("{} s", whole);
  if (whole < 3600) return format("{} min {:02} s", whole / 60, whole % 60);
  return format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace campaign
}  // namespace refract
