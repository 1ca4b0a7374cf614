// SPDX-License-Identifier: Apache-2.0
#include "reduce/interestingness.h"

#include "engine/validity.h"

namespace refract {
inline namespace reduce {

Result<bool> RepeatedTest::IsInteresting(const Candidate& candidate) {
  uint32_t yes = 0;
  for (uint32_t asked = 0; yes < wanted_ && wanted_ - yes <= times_ - asked; ++asked) {
    const Result<bool> answer = test_.IsInteresting(candidate);
    if (!answer) return answer.error();
    if (*answer) ++yes;
  }
  return yes >= wanted_;
}

Result<bool> ValidatingTest::IsInteresting(const Candidate& candidate) {
  const bool valid = candidate.context == nullptr ||
                     !FindValidityError(candidate.context->module, candidate.words, original_);
  return valid ? test_.IsInteresting(candidate) : Result<bool>(false);
}

}  // namespace reduce
}  // namespace refract
