// SPDX-License-Identifier: Apache-2.0
// A comparison as web pages, with the source.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "coverage/compare.h"

namespace refract {
inline namespace coverage {

/// Writes index.html and a page for each file with a line that only A or only B ran. `source`: the
/// folder that the names of the files are relative to; empty, or if a file is not there: the pages
/// have only the numbers of lines. `names`: of A and B in the pages.
Status WriteComparisonPages(const CoverageComparison& comparison, const std::string& source,
                            const std::pair<std::string, std::string>& names,
                            const std::string& folder);

}  // namespace coverage
}  // namespace refract
