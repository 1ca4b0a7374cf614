// SPDX-License-Identifier: Apache-2.0
// Errors in texts that people write (GLSL, assembly, JSON), in the form that compilers use:
//
//     shader.frag:3:14: error: 'x' : undeclared identifier
//         3 |   float y = x;
//           |             ^
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace refract {
inline namespace base {

/// Returns one diagnostic, without a newline at the end. `line` and `column` start at 1, and
/// columns count bytes. Column 0 means unknown: the caret then points at the first character of the
/// line that is not a space. If `source` does not have the line, the diagnostic does not show it.
/// Of a long line, it shows only the part around the column. Control characters become '?', because
/// the source may be of unknown origin.
std::string FormatDiagnostic(std::string_view file, std::string_view source, size_t line,
                             size_t column, std::string_view text);

/// Returns the same error, but each line of its message that begins with "FILE:LINE: " or
/// "FILE:LINE:COLUMN: " becomes a diagnostic. Diagnostics and other lines do not change.
Error WithSource(Error error, std::string_view file, std::string_view source);

/// Returns the position of the word "error" in a message that begins with a diagnostic; npos for
/// any other message.
size_t FindDiagnostic(std::string_view message);

/// Returns line `line` of `source` (starting at 1), without its end; empty if there is no such
/// line.
std::string_view SourceLine(std::string_view source, size_t line);

}  // namespace base
}  // namespace refract
