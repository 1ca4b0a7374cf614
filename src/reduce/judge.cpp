// SPDX-License-Identifier: Apache-2.0
#include "reduce/judge.h"

namespace refract {

Result<bool> RepeatedJudge::IsInteresting(const Candidate& candidate) {
  uint32_t yes = 0;
  for (uint32_t asked = 0; yes < wanted_ && wanted_ - yes <= times_ - asked; ++asked) {
    const Result<bool> answer = judge_.IsInteresting(candidate);
    if (!answer) return answer.error();
    if (*answer) ++yes;
  }
  return yes >= wanted_;
}

}  // namespace refract
