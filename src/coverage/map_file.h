// SPDX-License-Identifier: Apache-2.0
// Stores the source map of a build, because making it takes seconds.
#pragma once

#include <string>

#include "base/result.h"
#include "coverage/source_map.h"

namespace refract {
inline namespace coverage {

/// Writes gzip-compressed JSON. `hash` identifies the program.
Status WriteSourceMap(const std::string& file, const std::string& hash, const SourceMap& map);
/// Reads it. A map of another program or of another version of Refract is an error.
Result<SourceMap> ReadSourceMap(const std::string& file, const std::string& hash);

}  // namespace coverage
}  // namespace refract
