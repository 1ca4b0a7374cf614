// SPDX-License-Identifier: Apache-2.0
#include "cli/campaign/progress_line.h"

#include <cstdio>

#include "base/clock.h"
#include "cli/campaign/terminal_screen.h"

namespace refract {
inline namespace cli {
namespace {

// Seconds between two lines.
constexpr double kOnTerminal = 0.1;
constexpr double kInLog = 60;

}  // namespace

ProgressLine::ProgressLine(const Console& console) : quiet_(console.quiet), terminal_(HasScreen()) {
  next_ = MonotonicSeconds() + (terminal_ ? 0 : kInLog);
}

ProgressLine::~ProgressLine() {
  Clear();
}

void ProgressLine::Clear() {
  if (shown_ && terminal_) std::fputs("\r\x1b[K", stderr);
}

void ProgressLine::Show(const std::string& text) {
  if (MonotonicSeconds() >= next_) ShowNow(text);
}

void ProgressLine::ShowNow(const std::string& text) {
  if (quiet_) return;
  next_ = MonotonicSeconds() + (terminal_ ? kOnTerminal : kInLog);
  shown_ = true;
  const std::string line = terminal_ ? format("\r{}\x1b[K", text) : format("{}\n", text);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace cli
}  // namespace refract
