// SPDX-License-Identifier: Apache-2.0
// Runs the loops of float_lanes.h over rows. Inside this room only.
#pragma once

#include "interp/ops/float_lanes.h"
#include "interp/machine.h"

namespace refract::inline interp {

/// Whether the loops say the same as the general code for an instruction on floats of this type.
inline bool HasFloatLoop(const Machine& machine, Scalar scalar) {
  return scalar == Scalar::kFloat32 && machine.options().perturb == 0;
}

/// As Vulkan and the execution modes have it for 32 bits, and `flags` of the instruction.
FloatRules RulesOf(const Machine& machine, uint8_t flags);

/// Puts down what the loop says of the block from lane `first` on; false if it says nothing of some
/// active invocation.
bool PutBlock(Machine& machine, const FloatBlock& block, uint32_t result, uint32_t first);

/// result = loop(a, b) for the active invocations; `slow(lane)` does it for those that the loop
/// leaves out.
template <class Slow>
void RunFloatLoop(Machine& machine, FloatLoop loop, const FloatRules& rules, uint32_t result,
                  uint32_t a, uint32_t b, Slow slow) {
  static constexpr uint32_t kNothing[kLaneBlock] = {};
  const bool a_shadowed = machine.IsShadowed(a), b_shadowed = machine.IsShadowed(b);
  FloatBlock block;
  if (machine.AllActive()) machine.ClearShadow(result);
  for (uint32_t first = 0; first < machine.lanes(); first += kLaneBlock) {
    if (!machine.active().HasInBlock(first)) continue;
    block.a = machine.Row(a) + first;
    block.b = machine.Row(b) + first;
    block.a_notes = a_shadowed ? machine.ShadowRow(a) + first : kNothing;
    block.b_notes = b_shadowed ? machine.ShadowRow(b) + first : kNothing;
    loop(block, rules);
    if (PutBlock(machine, block, result, first)) continue;
    const uint32_t end = std::min(first + kLaneBlock, machine.lanes());
    for (uint32_t lane = first; lane < end; ++lane) {
      if (block.slow[lane - first] != 0 && machine.active().Has(lane)) slow(lane);
    }
  }
}

}  // namespace refract::inline interp
