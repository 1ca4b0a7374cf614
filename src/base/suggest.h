// SPDX-License-Identifier: Apache-2.0
// "did you mean": the known name that a mistyped one is closest to.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace refract::inline base {

/// How many letters have to be inserted, left out, replaced or swapped with their neighbour to make
/// one text of the other.
size_t EditDistance(std::string_view a, std::string_view b);

/// The closest of `known`, if its distance is at most a third of the length of `typed`; of several
/// equally close the first. Empty if there is none.
std::string_view ClosestName(std::string_view typed, std::span<const std::string_view> known);

/// "; did you mean 'NAME'?" with the closest name, to append to an error; empty if there is none.
std::string DidYouMean(std::string_view typed, std::span<const std::string_view> known);

}  // namespace refract::inline base
