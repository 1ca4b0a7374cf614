// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace refract {
inline namespace base {
namespace {

// Longer texts are not names, and the table below would be large.
constexpr size_t kMaxLength = 100;

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b) {
  // rows[i][j] is the distance between the first i letters of a and the first j letters of b.
  std::vector<std::vector<size_t>> rows(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      const size_t replaced = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[i][j] = std::min({replaced, rows[i - 1][j] + 1, rows[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows[a.size()][b.size()];
}

std::string_view ClosestName(std::string_view typed, std::span<const std::string_view> known) {
  std::string_view closest;
  size_t most = typed.size() / 3;
  if (typed.size() > kMaxLength) return closest;
  for (const std::string_view name : known) {
    if (name.size() > kMaxLength) continue;
    const size_t distance = EditDistance(typed, name);
    if (distance > most || (!closest.empty() && distance == most)) continue;
    closest = name;
    most = distance;
  }
  return closest;
}

std::string DidYouMean(std::string_view typed, std::span<const std::string_view> known) {
  const std::string_view closest = ClosestName(typed, known);
  return closest.empty() ? std::string() : format("; did you mean '{}'?", closest);
}

}  // namespace base
}  // namespace refract
