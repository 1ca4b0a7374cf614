// SPDX-License-Identifier: Apache-2.0
// Finds a longest common subsequence of the lines of two files.
#pragma once

#include <string_view>
#include <vector>

namespace refract {
inline namespace ir {

/// A flag for each line: true if it is kept. Both sides keep the same lines in the same order.
struct LineMatching {
  std::vector<bool> kept_a, kept_b;
};
LineMatching MatchLines(const std::vector<std::string_view>& a,
                        const std::vector<std::string_view>& b);

}  // namespace ir
}  // namespace refract
