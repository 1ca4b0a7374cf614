// SPDX-License-Identifier: Apache-2.0
// Errors in texts that people write (GLSL, assembly, JSON), shown as compilers show them:
//
//     shader.frag:3:14: error: 'x' : undeclared identifier
//         3 |   float y = x;
//           |             ^
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace refract::inline base {

/// One diagnostic, without a newline at the end. `line` and `column` count from 1, columns in
/// bytes. Column 0: not known; then the first letter of the line is pointed at. A line that
/// `source` does not have is not shown. Of a long line only the part around the column is shown;
/// what is no printable letter is shown as '?', since a source may come from anywhere.
std::string FormatDiagnostic(std::string_view file, std::string_view source, size_t line,
                             size_t column, std::string_view text);

/// The same error, with every line of its message that begins with "FILE:LINE: " or
/// "FILE:LINE:COLUMN: " made such a diagnostic. Diagnostics and other lines stay as they are.
Error WithSource(Error error, std::string_view file, std::string_view source);

/// Where the word "error" stands in a message that begins with a diagnostic; npos in any other.
size_t FindDiagnostic(std::string_view message);

/// Line `line` (from 1) of `source`, without its end; empty if there is none.
std::string_view SourceLine(std::string_view source, size_t line);

}  // namespace refract::inline base
