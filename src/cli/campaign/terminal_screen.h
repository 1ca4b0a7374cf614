// SPDX-License-Identifier: Apache-2.0
// Shows lines on the whole terminal. It uses the alternate screen, so that the terminal is as
// before when it ends. What the process writes to stderr meanwhile would disturb the lines: it is
// collected and written to the terminal at the end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/campaign/campaign_screen.h"

namespace refract {
inline namespace cli {

/// Whether stderr is a terminal that knows escape codes.
bool HasScreen();

/// At most one object may exist at a time. The terminal is also restored when a signal ends the
/// process, before a failed CHECK ends it, and while ^Z stops it.
class TerminalScreen {
 public:
  /// `styles`: headings are bold and warnings yellow.
  static Result<TerminalScreen> Begin(bool styles);
  TerminalScreen(TerminalScreen&& other) noexcept;
  TerminalScreen& operator=(TerminalScreen&&) = delete;
  ~TerminalScreen();

  /// The size of the terminal, which may change at any time.
  struct Size {
    size_t width = 80, height = 24;
    bool operator==(const Size&) const = default;
  };
  Size size() const;
  void Draw(const std::vector<ScreenLine>& lines);
  /// The last lines that were written to stderr, oldest first.
  std::vector<std::string> Messages() const;

  /// Restores the terminal, if there is a screen. A signal handler may call it.
  static void Restore();

 private:
  explicit TerminalScreen(bool styles) : styles_(styles) {}
  bool styles_;
  bool active_ = true;
};

}  // namespace cli
}  // namespace refract
