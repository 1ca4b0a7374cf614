// SPDX-License-Identifier: Apache-2.0
#include "rules/build/bits.h"

#include "ir/types.h"
#include "rules/build/formula.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {

uint64_t LowBits(uint64_t count) {
  return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

int64_t SignExtend(uint64_t bits, uint32_t width) {
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

uint64_t InverseOf(uint64_t odd) {
  uint64_t inverse = odd;
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;  // doubles the number of correct bits
  return inverse;
}

std::optional<uint64_t> LiteralInAllComponents(const View& view, Inst inst, uint32_t operand) {
  const std::optional<uint64_t> value = SplatLiteral(view, view.module().IdAt(inst, operand));
  if (value) view.DependOn(inst, operand);
  return value;
}

CheckResult MayUseBitFields(const Module& module, Id type) {
  if (!HasCapability(module, spv::Capability::Shader)) {
    return No("the module does not declare the Shader capability");
  }
  // Vulkan, VUID-StandaloneSpirv-Base-04781.
  if (Width(module, ScalarType(module, type)) != 32) {
    return No("bit field instructions require 32-bit operands");
  }
  return Yes();
}

}  // namespace rules
}  // namespace refract
