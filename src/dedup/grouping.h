// SPDX-License-Identifier: Apache-2.0
// Groups of similar things: agglomerative clustering with average linkage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace refract {
inline namespace dedup {

/// Begins with a group for each of `count` things, and joins the two groups that are most similar
/// on average (of equal ones, the first) while their similarity is at least `same`. `similarity(a,
/// b)` must be symmetric. Returns the groups by their first thing, and the things of a group in
/// ascending order. Needs memory for count * count numbers, and time for their number times a small
/// factor.
std::vector<std::vector<size_t>> GroupsOfSimilar(
    size_t count, const std::function<uint32_t(size_t, size_t)>& similarity, uint32_t same);

}  // namespace dedup
}  // namespace refract
