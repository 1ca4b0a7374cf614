// SPDX-License-Identifier: Apache-2.0
// Myers 1986, "An O(ND) difference algorithm and its variations", in the linear-space version.
// Lines that occur in only one file are removed first; this keeps D small and the script shortest.
#include "ir/line_matching.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/check.h"

namespace refract {
inline namespace ir {
namespace {

/// A line as a number (equal lines have equal numbers), and its original position.
struct Line {
  uint32_t text;
  uint32_t place;
};

/// Finds the lines that are kept on both sides and marks them in `kept_a` and `kept_b`, equally
/// many in each.
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

  /// The progress of the search from one end: reach[k] is the furthest x on diagonal k (x - y = k).
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

  /// Advances `front` by one edit. Returns true if it meets `other` (the search from the opposite
  /// end), at (*x, *y) counted from the start of `front`. `equal(x, y)` compares lines with the
  /// same counting.
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

  /// A point in the middle of a shortest script. The first lines of the two sides differ and so do
  /// the last lines, so the script has at least two edits and the point is not an end.
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

/// The lines that the other side has too; only these can be kept.
std::vector<Line> Candidates(const std::vector<uint32_t>& lines,
                             const std::vector<bool>& in_other) {
  std::vector<Line> result;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (in_other[lines[i]]) result.push_back({lines[i], static_cast<uint32_t>(i)});
  }
  return result;
}

}  // namespace

LineMatching MatchLines(const std::vector<std::string_view>& a,
                        const std::vector<std::string_view>& b) {
  std::unordered_map<std::string_view, uint32_t> numbers;  // never iterated over
  const auto number = [&](const std::vector<std::string_view>& lines) {
    std::vector<uint32_t> result;
    for (const std::string_view line : lines) {
      result.push_back(numbers.emplace(line, static_cast<uint32_t>(numbers.size())).first->second);
    }
    return result;
  };
  const auto numbers_a = number(a), numbers_b = number(b);
  std::vector<bool> in_a(numbers.size()), in_b(numbers.size());
  for (const uint32_t line : numbers_a) in_a[line] = true;
  for (const uint32_t line : numbers_b) in_b[line] = true;

  LineMatching matching{std::vector<bool>(a.size()), std::vector<bool>(b.size())};
  const auto candidates_a = Candidates(numbers_a, in_b), candidates_b = Candidates(numbers_b, in_a);
  Matcher(&matching.kept_a, &matching.kept_b).Match(candidates_a, candidates_b);
  return matching;
}

}  // namespace ir
}  // namespace refract
