// SPDX-License-Identifier: Apache-2.0
// The text of the full-screen status of a campaign. It depends only on the status and the size of
// the terminal; terminal_screen.h shows it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/status.h"

namespace refract {
inline namespace cli {

struct ScreenLine {
  enum class Style : uint8_t { kPlain, kHeading, kWarning };
  std::string text;
  Style style = Style::kPlain;
};

/// The lines of the status: at most `height` (0: any number), none longer than `width`. If the
/// screen is too small, the least important parts are left out: first messages, then empty lines,
/// then targets.
std::vector<ScreenLine> CampaignScreen(const CampaignStatus& status, size_t width, size_t height);

/// "12 min 05 s".
std::string ScreenDuration(double seconds);
/// "12,345".
std::string ScreenNumber(uint64_t number);
/// `text` in at most `width` columns, without control characters. Ends with "..." if it was cut.
std::string CutToWidth(std::string_view text, size_t width);

}  // namespace cli
}  // namespace refract
