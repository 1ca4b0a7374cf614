// SPDX-License-Identifier: Apache-2.0
// "did you mean": finds the known name that is closest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace refract {
inline namespace base {

/// Returns how many letters must be inserted, removed, replaced or swapped with their neighbour to
/// change one text into the other.
size_t EditDistance(std::string_view a, std::string_view b);

/// Returns the closest name of `known` if its distance is at most a third of the length of `typed`;
/// the first one if several are equally close. Empty if no name is close enough.
std::string_view ClosestName(std::string_view typed, std::span<const std::string_view> known);

/// Returns "; did you mean 'NAME'?" with the closest name, to append to an error; empty if no name
/// is close enough.
std::string DidYouMean(std::string_view typed, std::span<const std::string_view> known);

}  // namespace base
}  // namespace refract
