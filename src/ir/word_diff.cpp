// SPDX-License-Identifier: Apache-2.0
#include "ir/word_diff.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "ir/line_matching.h"

namespace refract {
inline namespace ir {
namespace {

std::vector<std::string_view> Instructions(std::span<const uint32_t> words) {
  constexpr size_t kHeader = 5;
  std::vector<std::string_view> result;
  for (size_t at = kHeader; at < words.size();) {
    const size_t length = std::clamp<size_t>(words[at] >> 16, 1, words.size() - at);
    result.emplace_back(reinterpret_cast<const char*>(&words[at]), length * sizeof(uint32_t));
    at += length;
  }
  return result;
}

// Removes the common beginning and end of both; a shortest script always keeps them.
void DropCommonEnds(std::vector<std::string_view>* a, std::vector<std::string_view>* b) {
  while (!a->empty() && !b->empty() && a->back() == b->back()) {
    a->pop_back();
    b->pop_back();
  }
  const auto [end_a, end_b] = std::mismatch(a->begin(), a->end(), b->begin(), b->end());
  a->erase(a->begin(), end_a);
  b->erase(b->begin(), end_b);
}

}  // namespace

WordDiff DiffWords(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  std::vector<std::string_view> lines_a = Instructions(a), lines_b = Instructions(b);
  DropCommonEnds(&lines_a, &lines_b);
  const LineMatching matching = MatchLines(lines_a, lines_b);
  const auto gone = [](const std::vector<bool>& kept) {
    return static_cast<size_t>(std::count(kept.begin(), kept.end(), false));
  };
  return {gone(matching.kept_b), gone(matching.kept_a)};
}

}  // namespace ir
}  // namespace refract
