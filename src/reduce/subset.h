// SPDX-License-Identifier: Apache-2.0
// Subsets of the steps of a recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace refract {
inline namespace reduce {

/// Positions of steps in their recording, ascending.
using Subset = std::vector<uint32_t>;

Subset Union(const Subset& a, const Subset& b);
Subset Intersection(const Subset& a, const Subset& b);
Subset Without(const Subset& a, const Subset& b);
/// Returns the first `count` elements of `all`.
Subset Prefix(const Subset& all, size_t count);
/// Returns `all` without the elements at the positions from `begin` to before `end`.
Subset WithoutRange(const Subset& all, size_t begin, size_t end);

}  // namespace reduce
}  // namespace refract
