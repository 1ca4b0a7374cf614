// SPDX-License-Identifier: Apache-2.0
// Puts any text into a page in Markdown.
#pragma once

#include <string>
#include <string_view>

namespace refract {
inline namespace folder {

/// Text as code in Markdown, which would take `<id>` for a tag. A grave accent would end the code.
std::string Code(std::string_view text);

/// Text as a cell of a table.
std::string Cell(std::string_view text);

/// Text between fences that are longer than any fence in the text. `language` may be empty.
std::string Fenced(std::string_view text, std::string_view language);

}  // namespace folder
}  // namespace refract
