// SPDX-License-Identifier: Apache-2.0
// Files of coverage for the byte fuzzer: data in all formats that Refract reads, files of block
// counters, source maps.
#pragma once

#include <optional>
#include <string>

#include "base/random.h"

namespace refract::fuzz {

/// A good file of any format.
std::string AnyCoverageFile(Random& random);

/// Lets every reader of coverage read the bytes. Returns what is wrong: an error that does not name
/// the file, or data that change when they are written. `*accepted`: one of the readers took them.
std::optional<std::string> ReadCoverageFile(const std::string& bytes, bool* accepted);

}  // namespace refract::fuzz
