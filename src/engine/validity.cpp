// SPDX-License-Identifier: Apache-2.0
#include "engine/validity.h"

#include "base/text.h"
#include "ir/tools.h"
#include "ir/validity/validity.h"

namespace refract {
inline namespace engine {

namespace {

std::optional<ValidationError> ValidateVariant(const std::vector<uint32_t>& words,
                                               const Original& original) {
  if (words == original.words) return std::nullopt;  // validated when the original was loaded
  return original.is_slow_to_validate
             ? FindInvalidWithin(words, original.environment, original.validation)
             : FindInvalid(words, original.environment, original.validation);
}

}  // namespace

std::optional<Error> FindValidityError(const Module& module, const std::vector<uint32_t>& words,
                                       const Original& original) {
  if (const auto invalid = ValidateVariant(words, original)) {
    if (invalid->unfinished) return Error{invalid->message};
    return Error{format("spirv-val ({}): instruction {}: {}", NameOf(original.environment),
                        invalid->instruction, invalid->message),
                 ErrorKind::kFailed};
  }
  return FindStructuralError(module, original);
}

std::optional<Error> FindStructuralError(const Module& module, const Original& original) {
  // Our rules are stricter than spirv-val in places. If the original breaks one, only spirv-val
  // counts.
  const Status ours = CheckModule(module);
  if (ours || !CheckModule(original.context.module)) return std::nullopt;
  return Error{format("structural checker: {}", ours.error().message), ErrorKind::kFailed};
}

}  // namespace engine
}  // namespace refract
