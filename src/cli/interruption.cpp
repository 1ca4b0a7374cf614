// SPDX-License-Identifier: Apache-2.0
#include "cli/interruption.h"

namespace refract {
inline namespace cli {
namespace {

void AskToStop(int) {
  Interruption::asked = true;
}

}  // namespace

std::atomic<bool> Interruption::asked{false};

Interruption::Interruption() {
  asked = false;
  struct sigaction action {};
  action.sa_handler = AskToStop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, &interrupt_);
  ::sigaction(SIGTERM, &action, &terminate_);
}

Interruption::~Interruption() {
  ::sigaction(SIGINT, &interrupt_, nullptr);
  ::sigaction(SIGTERM, &terminate_, nullptr);
}

}  // namespace cli
}  // namespace refract
