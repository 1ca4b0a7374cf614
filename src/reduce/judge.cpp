// SPDX-License-Identifier: Apache-2.0
#include "reduce/judge.h"

#include "engine/validity.h"

namespace refract {
inline namespace reduce {

Result<bool> RepeatedJudge::IsInteresting(const Candidate& candidate) {
  uint32_t yes = 0;
  for (uint32_t asked = 0; yes < wanted_ && wanted_ - yes <= times_ - asked; ++asked) {
    const Result<bool> answer = judge_.IsInteresting(candidate);
    if (!answer) return answer.error();
    if (*answer) ++yes;
  }
  return yes >= wanted_;
}

Result<bool> ValidatingJudge::IsInteresting(const Candidate& candidate) {
  const bool valid = candidate.context == nullptr ||
                     !FindOurFault(candidate.context->module, candidate.words, original_);
  return valid ? judge_.IsInteresting(candidate) : Result<bool>(false);
}

}  // namespace reduce
}  // namespace refract
