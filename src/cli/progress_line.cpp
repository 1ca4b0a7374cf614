// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_line.h"

#include <unistd.h>

#include <cstdio>

#include "base/clock.h"

namespace refract {
inline namespace cli {
namespace {

// Seconds between two lines.
constexpr double kOnTerminal = 0.1;
constexpr double kInLog = 60;

}  // namespace

ProgressLine::ProgressLine(const Console& console)
    : quiet_(console.quiet), terminal_(isatty(STDERR_FILENO) != 0) {
  next_ = MonotonicSeconds() + (terminal_ ? 0 : kInLog);
}

ProgressLine::~ProgressLine() {
  if (shown_ && terminal_) std::fputs("\r\x1b[K", stderr);
}

void ProgressLine::Show(const std::string& text) {
  const double now = MonotonicSeconds();
  if (quiet_ || now < next_) return;
  next_ = now + (terminal_ ? kOnTerminal : kInLog);
  shown_ = true;
  const std::string line = terminal_ ? format("\r{}\x1b[K", text) : format("{}\n", text);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace cli
}  // namespace refract
