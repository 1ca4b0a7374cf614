// SPDX-License-Identifier: Apache-2.0
#include "interp/float_blocks.h"

#include "interp/float_formats.h"

namespace refract {

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
  const uint32_t* mask = machine.ActiveMask() + first;
  uint32_t* to = machine.Row(result) + first;
  uint32_t noted = 0, slow = 0;
  for (uint32_t i = 0; i < kLaneBlock; ++i) {
    to[i] = (block.result[i] & mask[i]) | (to[i] & ~mask[i]);
    noted |= block.notes[i] & mask[i];
    slow |= block.slow[i] & mask[i];
  }
  if (noted != 0 || machine.IsShadowed(result)) {
    uint32_t* notes = machine.MakeShadowed(result) + first;
    for (uint32_t i = 0; i < kLaneBlock; ++i) {
      notes[i] = (block.notes[i] & mask[i]) | (notes[i] & ~mask[i]);
    }
  }
  return slow == 0;
}

}  // namespace refract
