// SPDX-License-Identifier: Apache-2.0
// Escapes text for HTML. Logs, source code and names of shaders may contain anything.
#pragma once

#include <string>
#include <string_view>

namespace refract {
inline namespace base {

/// Escapes text for HTML and for quoted attributes: & < > " ' are escaped. Bytes that are not
/// UTF-8, and control characters except line feed and tab (also those that change the direction of
/// text), become U+FFFD.
std::string EscapeHtml(std::string_view text);

}  // namespace base
}  // namespace refract
