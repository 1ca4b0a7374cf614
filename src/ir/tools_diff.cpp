// SPDX-License-Identifier: Apache-2.0
// DisassemblyDiff: the shortest edit script between two disassemblies, one line for each
// instruction.
#include <algorithm>
#include <map>

#include "base/check.h"
#include "base/text.h"
#include "ir/line_matching.h"
#include "ir/tools.h"

namespace refract {
inline namespace ir {
namespace {

/// The lines of a disassembly. A line break inside a string literal does not end a line.
std::vector<std::string_view> Instructions(std::string_view text) {
  std::vector<std::string_view> result;
  size_t begin = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (text[i] == '\n' && !in_string) {
      result.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  if (begin < text.size()) result.push_back(text.substr(begin));
  return result;
}

struct Edit {
  char mark;  ///< ' ', '-' or '+'
  std::string_view line;
};

/// The whole script in order: at each position removals, then additions.
std::vector<Edit> Script(const std::vector<std::string_view>& a, const std::vector<bool>& kept_a,
                         const std::vector<std::string_view>& b, const std::vector<bool>& kept_b) {
  std::vector<Edit> script;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && !kept_a[i]) {
      script.push_back({'-', a[i++]});
    } else if (j < b.size() && !kept_b[j]) {
      script.push_back({'+', b[j++]});
    } else {
      CHECK(i < a.size() && j < b.size() && a[i] == b[j]);
      script.push_back({' ', a[i++]});
      ++j;
    }
  }
  return script;
}

std::string Unified(const std::vector<Edit>& script, size_t context) {
  std::string text;
  size_t line_a = 1, line_b = 1, done = 0;
  for (size_t i = 0; i < script.size(); ++i) {
    if (script[i].mark == ' ') continue;
    const size_t begin = std::max(done, i > context ? i - context : 0);
    size_t end = i + 1;  // one past the last edit of this hunk
    for (size_t k = end; k < script.size() && k <= end + 2 * context; ++k) {
      if (script[k].mark != ' ') end = k + 1;
    }
    end = std::min(script.size(), end + context);
    line_a += begin - done;
    line_b += begin - done;
    size_t count_a = 0, count_b = 0;
    std::string body;
    for (size_t k = begin; k < end; ++k) {
      count_a += script[k].mark != '+';
      count_b += script[k].mark != '-';
      body += format("{}{}\n", script[k].mark, script[k].line);
    }
    text += format("@@ -{},{} +{},{} @@\n", line_a - (count_a == 0), count_a,
                   line_b - (count_b == 0), count_b);
    text += body;
    line_a += count_a;
    line_b += count_b;
    done = end;
    i = end - 1;
  }
  return text;
}

}  // namespace

Result<InstructionDiff> DisassemblyDiff(std::span<const uint32_t> a, std::span<const uint32_t> b,
                                        size_t context) {
  const Result<std::string> text_a = Disassemble(a);
  if (!text_a) return text_a.error();
  const Result<std::string> text_b = Disassemble(b);
  if (!text_b) return text_b.error();
  const auto lines_a = Instructions(*text_a), lines_b = Instructions(*text_b);

  const auto [kept_a, kept_b] = MatchLines(lines_a, lines_b);
  const std::vector<Edit> script = Script(lines_a, kept_a, lines_b, kept_b);
  InstructionDiff diff;
  diff.text = Unified(script, context);
  for (const Edit& edit : script) {
    diff.added += edit.mark == '+';
    diff.removed += edit.mark == '-';
  }
  return diff;
}

}  // namespace ir
}  // namespace refract
