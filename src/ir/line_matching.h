// SPDX-License-Identifier: Apache-2.0
// Which lines two files have in common, in order, so that as few as can be differ.
#pragma once

#include <string_view>
#include <vector>

namespace refract::inline ir {

/// For each line whether it stays; as many of both sides do, and in order they are equal.
struct LineMatching {
  std::vector<bool> kept_a, kept_b;
};
LineMatching MatchLines(const std::vector<std::string_view>& a,
                        const std::vector<std::string_view>& b);

}  // namespace refract::inline ir
