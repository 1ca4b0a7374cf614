// SPDX-License-Identifier: Apache-2.0
// Shows the progress of a campaign on stderr. On a terminal, it is the full-screen status, or one
// line with --plain. In a log, it is a line after the first test and one every minute. With
// --quiet, nothing is shown.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "campaign/status.h"
#include "cli/campaign/progress_line.h"
#include "cli/campaign/terminal_screen.h"
#include "cli/console.h"

namespace refract {
inline namespace cli {

class CampaignDisplay {
 public:
  CampaignDisplay(const std::string& folder, bool plain, Console& console);
  /// The last numbers of the screen stay on the terminal.
  ~CampaignDisplay();
  CampaignDisplay(const CampaignDisplay&) = delete;
  CampaignDisplay& operator=(const CampaignDisplay&) = delete;

  /// Shows the numbers and the messages of `now`. The messages stay on the terminal at the end.
  void Show(const CampaignProgress& now);

 private:
  void ShowScreen();

  Console& console_;
  CampaignStatus status_;
  std::optional<TerminalScreen> screen_;
  ProgressLine line_;
  bool begin_shown_ = false;
  bool tests_shown_ = false;
  double next_ = 0;
  TerminalScreen::Size size_;
};

/// The progress as one line.
std::string ProgressText(const CampaignProgress& now);

}  // namespace cli
}  // namespace refract
