// SPDX-License-Identifier: Apache-2.0
#include "engine/validity.h"

#include "base/text.h"
#include "ir/tools.h"

namespace refract {

std::optional<std::string> FindOurFault(const Module&, const std::vector<uint32_t>& words,
                                        const Original& original) {
  if (const auto invalid = FindInvalid(words, original.environment, original.validation)) {
    return format("spirv-val ({}): instruction {}: {}", NameOf(original.environment),
                  invalid->instruction, invalid->message);
  }
  return std::nullopt;
}

}  // namespace refract
