// SPDX-License-Identifier: Apache-2.0
// The step types that dedup ignores, because they say nothing about a bug by themselves:
// data/ignored_types.txt, or a user's list of the same form.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace refract {
inline namespace dedup {

/// The text of data/ignored_types.txt when the executable was built; written by cmake/dedup.cmake.
extern const std::string_view kIgnoredTypes;

/// Parses a list. Each line has a type and then any text. Empty lines and lines that begin with "#"
/// are skipped. An unknown type is an error with file and line.
Result<std::set<std::string>> ParseIgnoredTypes(const std::string& file, std::string_view text);

}  // namespace dedup
}  // namespace refract
