// SPDX-License-Identifier: Apache-2.0
#include "engine/validity.h"

#include "base/text.h"
#include "ir/tools.h"
#include "ir/validity.h"

namespace refract {

std::optional<std::string> FindOurFault(const Module& module, const std::vector<uint32_t>& words,
                                        const Original& original) {
  if (const auto invalid = FindInvalid(words, original.environment, original.validation)) {
    return format("spirv-val ({}): instruction {}: {}", NameOf(original.environment),
                  invalid->instruction, invalid->message);
  }
  // Stricter than spirv-val in places: an original that our rules do not fit is left to the latter.
  const Status ours = CheckModule(module);
  if (!ours && CheckModule(original.context.module)) {
    return format("our own rules: {}", ours.error().message);
  }
  return std::nullopt;
}

}  // namespace refract
