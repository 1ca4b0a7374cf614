// SPDX-License-Identifier: Apache-2.0
// DisassemblyDiff: the shortest edit script between two disassemblies, an instruction a line.
// Myers 1986, "An O(ND) difference algorithm and its variations", in its linear-space form; what
// occurs in one file only is set aside first, which keeps the script shortest and D small.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/check.h"
#include "base/text.h"
#include "ir/tools.h"

namespace refract {
namespace {

/// Lines of a disassembly; a line break inside a string literal does not end one.
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

/// A line as a number (equal lines, equal numbers) and where it stood.
struct Line {
  uint32_t text;
  uint32_t place;
};

/// Finds which lines of both sides stay: marks them in `kept_a` and `kept_b`, in equal number.
class Matcher {
 public:
  Matcher(std::vector<bool>* kept_a, std::vector<bool>* kept_b)
      : kept_a_(kept_a), kept_b_(kept_b) {}

  void Match(std::span<const Line> a, std::span<const Line> b) {
    while (!a.empty() && !b.empty() && a.front().text == b.front().text) {
      Keep(a.front(), b.front());
      a = a.subspan(1);
      b = b.subspan(1);
    }
    while (!a.empty() && !b.empty() && a.back().text == b.back().text) {
      Keep(a.back(), b.back());
      a = a.first(a.size() - 1);
      b = b.first(b.size() - 1);
    }
    if (a.empty() || b.empty()) return;
    const auto [x, y] = Middle(a, b);
    Match(a.first(x), b.first(y));
    Match(a.subspan(x), b.subspan(y));
  }

 private:
  void Keep(const Line& a, const Line& b) {
    (*kept_a_)[a.place] = true;
    (*kept_b_)[b.place] = true;
  }

  /// How far the search from one end has come: reach[k] is the furthest x on diagonal k (x - y =
  /// k).
  struct Front {
    std::vector<int64_t> reach;
    int64_t skip_low = 0, skip_high = 0;  ///< diagonals that have left the rectangle

    explicit Front(int64_t diagonals) : reach(static_cast<size_t>(2 * diagonals + 1), -1) {}
    int64_t diagonals() const { return static_cast<int64_t>(reach.size()) / 2; }
    int64_t& At(int64_t k) { return reach[static_cast<size_t>(k + diagonals())]; }
    int64_t Start(int64_t k, int64_t d) {
      if (d == 0) return 0;
      return k == -d || (k != d && At(k - 1) < At(k + 1)) ? At(k + 1) : At(k - 1) + 1;
    }
  };

  /// Advances `front` by one edit; true when it meets `other` (the search from the far end), at
  /// (*x, *y) as counted from this front's end. `equal(x, y)` compares lines so counted.
  template <class Equal>
  static bool Advance(Front* front, Front* other, int64_t d, bool may_meet, int64_t n, int64_t m,
                      const Equal& equal, int64_t* x, int64_t* y) {
    for (int64_t k = -d + front->skip_low; k <= d - front->skip_high; k += 2) {
      *x = front->Start(k, d);
      while (*x < n && *x - k < m && equal(*x, *x - k)) ++*x;
      *y = *x - k;
      front->At(k) = *x;
      if (*x > n) {
        front->skip_high += 2;
      } else if (*y > m) {
        front->skip_low += 2;
      } else if (may_meet && std::abs(n - m - k) <= other->diagonals()) {
        const int64_t theirs = other->At(n - m - k);
        if (theirs >= 0 && *x >= n - theirs) return true;
      }
    }
    return false;
  }

  /// A point in the middle of a shortest script. Both sides differ in their first and in their last
  /// lines, so the script has two edits at least and the point is neither beginning nor end.
  static std::pair<size_t, size_t> Middle(std::span<const Line> a, std::span<const Line> b) {
    const auto n = static_cast<int64_t>(a.size()), m = static_cast<int64_t>(b.size());
    Front forward(n + m + 1), backward(n + m + 1);
    const bool odd = (n - m) % 2 != 0;
    const auto equal = [&](int64_t x, int64_t y) { return a[x].text == b[y].text; };
    const auto equal_from_end = [&](int64_t x, int64_t y) {
      return a[n - 1 - x].text == b[m - 1 - y].text;
    };
    int64_t x = 0, y = 0;
    for (int64_t d = 0;; ++d) {
      CHECK(d <= n + m);
      if (Advance(&forward, &backward, d, odd, n, m, equal, &x, &y)) break;
      if (Advance(&backward, &forward, d, !odd, n, m, equal_from_end, &x, &y)) {
        x = n - x;
        y = m - y;
        break;
      }
    }
    CHECK(x >= 0 && y >= 0 && x <= n && y <= m && x + y > 0 && x + y < n + m);
    return {static_cast<size_t>(x), static_cast<size_t>(y)};
  }

  std::vector<bool>* kept_a_;
  std::vector<bool>* kept_b_;
};

/// Lines that the other side has, too: the others cannot stay.
std::vector<Line> Candidates(const std::vector<uint32_t>& lines,
                             const std::vector<bool>& in_other) {
  std::vector<Line> result;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (in_other[lines[i]]) result.push_back({lines[i], static_cast<uint32_t>(i)});
  }
  return result;
}

struct Edit {
  char mark;  ///< ' ', '-' or '+'
  std::string_view line;
};

/// The whole script in order: at each place removals, then additions.
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

  std::map<std::string_view, uint32_t> numbers;
  const auto number = [&](const std::vector<std::string_view>& lines) {
    std::vector<uint32_t> result;
    for (const std::string_view line : lines) {
      result.push_back(numbers.emplace(line, static_cast<uint32_t>(numbers.size())).first->second);
    }
    return result;
  };
  const auto numbers_a = number(lines_a), numbers_b = number(lines_b);
  std::vector<bool> in_a(numbers.size()), in_b(numbers.size());
  for (const uint32_t line : numbers_a) in_a[line] = true;
  for (const uint32_t line : numbers_b) in_b[line] = true;

  std::vector<bool> kept_a(lines_a.size()), kept_b(lines_b.size());
  const auto candidates_a = Candidates(numbers_a, in_b), candidates_b = Candidates(numbers_b, in_a);
  Matcher(&kept_a, &kept_b).Match(candidates_a, candidates_b);

  const std::vector<Edit> script = Script(lines_a, kept_a, lines_b, kept_b);
  InstructionDiff diff;
  diff.text = Unified(script, context);
  for (const Edit& edit : script) {
    diff.added += edit.mark == '+';
    diff.removed += edit.mark == '-';
  }
  return diff;
}

}  // namespace refract
