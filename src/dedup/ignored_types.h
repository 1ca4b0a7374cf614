// SPDX-License-Identifier: Apache-2.0
// The step types that say nothing of a bug by themselves: data/ignored_types.txt, or a user's list of
// the same form.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace refract::inline dedup {

/// data/ignored_types.txt as it was when the executable was built; cmake/dedup.cmake writes it.
extern const std::string_view kIgnoredTypes;

/// Reads a list: a type a line, then anything; lines that are empty or begin with "#" are passed
/// over. What is no type is an error with file and line.
Result<std::set<std::string>> ParseIgnoredTypes(const std::string& file, std::string_view text);

}  // namespace refract::inline dedup
