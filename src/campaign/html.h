// SPDX-License-Identifier: Apache-2.0
// Text on its way into a page of the report. Logs, signatures and names of shaders come from
// anywhere: whatever is not written by us goes through here.
#pragma once

#include <string>
#include <string_view>

namespace refract::inline campaign {

/// For text and quoted attributes: & < > " ' are escaped; what is no UTF-8 and control characters
/// but line feeds and tabs (those that turn the direction of text among them) become U+FFFD.
std::string Html(std::string_view text);

/// A relative path as a URL in a quoted attribute: every byte but letters, digits and - _ . ~ / is
/// percent-encoded, so that none of them can leave the attribute or name a scheme.
std::string HtmlPath(std::string_view path);

/// The first and the last bytes of a long text, cut between lines where there are some, with a line
/// that says how much is left out.
std::string Shortened(std::string_view text, size_t limit);

/// "1 h 04 min", "12 min 30 s", "45 s"
std::string DurationText(double seconds);

}  // namespace refract::inline campaign
