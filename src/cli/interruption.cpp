// SPDX-License-Identifier: Apache-2.0
#include "cli/interruption.h"

#include "cli/campaign/terminal_screen.h"

namespace refract {
inline namespace cli {
namespace {

void Die(int signal) {
  TerminalScreen::Restore();
  ::signal(signal, SIG_DFL);
  ::raise(signal);  // takes effect when this function returns
}

void AskToStop(int signal) {
  Interruption::asked = true;
  ::signal(signal, Die);
}

}  // namespace

std::atomic<bool> Interruption::asked{false};

Interruption::Interruption() {
  asked = false;
  struct sigaction action {};
  action.sa_handler = AskToStop;
  ::sigaction(SIGINT, &action, &interrupt_);
  ::sigaction(SIGTERM, &action, &terminate_);
}

Interruption::~Interruption() {
  ::sigaction(SIGINT, &interrupt_, nullptr);
  ::sigaction(SIGTERM, &terminate_, nullptr);
}

}  // namespace cli
}  // namespace refract
