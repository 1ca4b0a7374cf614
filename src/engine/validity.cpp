// SPDX-License-Identifier: Apache-2.0
#include "engine/validity.h"

#include "base/text.h"
#include "ir/tools.h"
#include "ir/validity/validity.h"

namespace refract::inline engine {

namespace {

std::optional<ValidationError> AskValidator(const std::vector<uint32_t>& words,
                                            const Original& original) {
  if (words == original.words) return std::nullopt;  // it was asked when that was loaded
  return original.is_heavy ? FindInvalidWithin(words, original.environment, original.validation)
                           : FindInvalid(words, original.environment, original.validation);
}

}  // namespace

std::optional<Error> FindOurFault(const Module& module, const std::vector<uint32_t>& words,
                                  const Original& original) {
  const auto fault = [](std::string what) { return Error{std::move(what), ErrorKind::kFailed}; };
  if (const auto invalid = AskValidator(words, original)) {
    if (invalid->unfinished) return Error{invalid->message};
    return fault(format("spirv-val ({}): instruction {}: {}", NameOf(original.environment),
                        invalid->instruction, invalid->message));
  }
  // Stricter than spirv-val in places: an original that our rules do not fit is left to the latter.
  const Status ours = CheckModule(module);
  if (!ours && CheckModule(original.context.module)) {
    return fault(format("our own rules: {}", ours.error().message));
  }
  return std::nullopt;
}

}  // namespace refract::inline engine
