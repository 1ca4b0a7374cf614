// SPDX-License-Identifier: Apache-2.0
#include "interp/ops/float_blocks.h"

#include "interp/math/float_formats.h"

namespace refract {
inline namespace interp {

FloatRules RulesOf(const Machine& machine, uint8_t flags) {
  FloatRules rules;
  rules.relaxed = (flags & kRelaxed) != 0;
  const math::Format& format = math::FormatOf(rules.relaxed ? 16 : 32);
  rules.precision = format.precision;
  rules.lowest = format.min_exponent;
  rules.highest = format.max;
  if (!rules.relaxed && machine.code().preserves_denormals[1]) rules.lowest -= rules.precision - 1;
  return rules;
}

bool PutBlock(Machine& machine, const FloatBlock& block, uint32_t result, uint32_t first) {
  const FloatLoops& loops = FloatLoopsOfThisMachine();
  const uint32_t* mask = machine.ActiveMask() + first;
  const BlockSum sum = loops.sum(block, mask);
  loops.blend(machine.Row(result) + first, block.result, mask);
  if (sum.notes != 0 || machine.IsShadowed(result)) {
    loops.blend(machine.MakeShadowed(result) + first, block.notes, mask);
  }
  return sum.slow == 0;
}

}  // namespace interp
}  // namespace refract
