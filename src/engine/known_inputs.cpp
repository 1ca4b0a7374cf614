// SPDX-License-Identifier: Apache-2.0
#include "engine/known_inputs.h"

namespace refract {

Result<std::vector<KnownInput>> KnownInputsOf(const Module&, const std::string&, const Inputs&) {
  return std::vector<KnownInput>();
}

}  // namespace refract
