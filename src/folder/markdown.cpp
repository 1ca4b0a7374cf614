// SPDX-License-Identifier: Apache-2.0
#include "folder/markdown.h"

#include <algorithm>

#include "base/text.h"

namespace refract {
inline namespace folder {

std::string Code(std::string_view text) {
  std::string code = "`";
  for (const char c : text) code += c == '`' ? '\'' : c == '\n' || c == '|' ? ' ' : c;
  return code + "`";
}

std::string Cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '\\') cell += '\\';
    cell += c == '\n' ? ' ' : c;
  }
  return cell;
}

std::string Fenced(std::string_view text, std::string_view language) {
  size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const char* end = text.empty() || text.ends_with('\n') ? "" : "\n";
  return format("{}{}\n{}{}{}\n", fence, language, text, end, fence);
}

}  // namespace folder
}  // namespace refract
