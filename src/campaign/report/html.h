// SPDX-License-Identifier: Apache-2.0
// Escapes text for the pages of the report. Logs, signatures and names of shaders may contain
// anything, so all text that Refract did not write itself must go through these functions, or
// through EscapeHtml.
#pragma once

#include <string>
#include <string_view>

namespace refract {
inline namespace campaign {

/// Makes a URL for a quoted attribute from a relative path. Every byte except letters, digits and -
/// _ . ~ / is percent-encoded, so that no byte can end the attribute or start a scheme.
std::string EscapeUrlPath(std::string_view path);

/// Shortens a text of more than `limit` bytes to its first and last bytes, cut between lines where
/// possible, with a line that says how many bytes are left out.
std::string Shortened(std::string_view text, size_t limit);

/// "1 h 04 min", "12 min 30 s", "45 s"
std::string DurationText(double seconds);

}  // namespace campaign
}  // namespace refract
