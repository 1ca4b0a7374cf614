// SPDX-License-Identifier: Apache-2.0
// Subsets of a recording's steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace refract::inline reduce {

/// Places of steps in their recording, ascending.
using Subset = std::vector<uint32_t>;

Subset Union(const Subset& a, const Subset& b);
Subset Intersection(const Subset& a, const Subset& b);
Subset Without(const Subset& a, const Subset& b);
/// The first so many of `all`.
Subset Beginning(const Subset& all, size_t count);
/// Without its elements from `begin` to before `end`, counted from 0.
Subset WithoutRange(const Subset& all, size_t begin, size_t end);

}  // namespace refract::inline reduce
