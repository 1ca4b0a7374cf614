// SPDX-License-Identifier: Apache-2.0
#include "cli/campaign/campaign_display.h"

#include <cstdio>
#include <utility>

#include "base/clock.h"
#include "base/counted.h"
#include "base/text.h"
#include "cli/campaign/campaign_screen.h"
#include "cli/interruption.h"

namespace refract {
inline namespace cli {
namespace {

constexpr double kRedrawSeconds = 0.5;

// Shorter than ScreenDuration, because it is a part of a line that changes.
std::string RoughDuration(double seconds) {
  const auto whole = static_cast<uint64_t>(seconds);
  if (whole < 120) return format("{} s", whole);
  return whole < 7200 ? format("{} min", whole / 60)
                      : format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace

std::string ProgressText(const CampaignProgress& now) {
  if (now.phase == CampaignPhase::kReferences) {
    return format("checking references: {} of {}, {}", now.checked, now.references,
                  RoughDuration(now.seconds));
  }
  return format("{}: {}, {:.1f}/s, findings: {}{}, to be reduced: {}, {}", TextOf(now.phase),
                Counted(now.tests, "test"), now.tests_per_second, now.findings,
                now.since_new_bucket < 0 || now.findings == 0
                    ? ""
                    : format(" (the last {} ago)", RoughDuration(now.since_new_bucket)),
                now.waiting, RoughDuration(now.seconds));
}

CampaignDisplay::CampaignDisplay(const std::string& folder, bool plain, Console& console)
    : console_(console), line_(console) {
  status_.folder = folder;
  if (console.quiet || plain || !HasScreen()) return;
  Result<TerminalScreen> screen = TerminalScreen::Begin(console.MayColourMessages());
  if (screen) screen_.emplace(std::move(*screen));
}

CampaignDisplay::~CampaignDisplay() {
  if (!screen_) return;
  screen_.reset();
  if (next_ == 0) return;
  status_.state = CampaignStatus::State::kEnded;
  status_.warnings.clear();  // they are on the terminal now
  std::string text;
  for (const ScreenLine& line : CampaignScreen(status_, size_.width, 0)) text += line.text + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void CampaignDisplay::Show(const CampaignProgress& now) {
  if (!now.messages.empty() && !screen_) line_.Clear();
  // The screen collects what is written to stderr, and shows it.
  for (const std::string& message : now.messages) console_.Say(message);
  if (screen_) {
    status_.progress = now;
    return ShowScreen();
  }
  const bool begins = !std::exchange(begin_shown_, true);
  const bool has_tests = now.new_tests > 0 && !std::exchange(tests_shown_, true);
  if (begins || has_tests) {
    line_.ShowNow(ProgressText(now));
  } else {
    line_.Show(ProgressText(now));
  }
}

void CampaignDisplay::ShowScreen() {
  // The size is read again instead of waiting for SIGWINCH, which also reaches another thread.
  const TerminalScreen::Size size = screen_->size();
  const double clock = MonotonicSeconds();
  if (size == size_ && clock < next_) return;
  size_ = size;
  next_ = clock + kRedrawSeconds;
  if (Interruption::asked) status_.state = CampaignStatus::State::kStopping;
  status_.warnings = screen_->Messages();
  screen_->Draw(CampaignScreen(status_, size.width, size.height));
}

}  // namespace cli
}  // namespace refract
