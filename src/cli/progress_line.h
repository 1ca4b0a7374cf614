// SPDX-License-Identifier: Apache-2.0
// How far something long has come: on a terminal one line that is written again and again, in a log
// a line now and then.
#pragma once

#include <string>

#include "cli/console.h"

namespace refract::inline cli {

class ProgressLine {
 public:
  /// Says nothing with --quiet.
  explicit ProgressLine(const Console& console);
  /// Takes the line away.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(const std::string& text);

 private:
  bool quiet_, terminal_;
  bool shown_ = false;
  double next_ = 0;
};

}  // namespace refract::inline cli
