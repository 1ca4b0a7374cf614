// SPDX-License-Identifier: Apache-2.0
// Shows the progress of long work: on a terminal, one line that is overwritten; in a log or on a
// terminal without escape codes, one line every minute.
#pragma once

#include <string>

#include "cli/console.h"

namespace refract {
inline namespace cli {

class ProgressLine {
 public:
  /// Shows nothing with --quiet.
  explicit ProgressLine(const Console& console);
  /// Removes the line from the terminal.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(const std::string& text);
  /// The same, but also if the last line is not a minute old.
  void ShowNow(const std::string& text);
  /// Removes the line from the terminal, before a message is printed.
  void Clear();

 private:
  bool quiet_, terminal_;
  bool shown_ = false;
  double next_ = 0;
};

}  // namespace cli
}  // namespace refract
