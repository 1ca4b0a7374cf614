// SPDX-License-Identifier: Apache-2.0
// Runs the loops of float_lanes.h on rows. Private to this library.
#pragma once

#include "interp/machine.h"
#include "interp/ops/float_lanes.h"

namespace refract {
inline namespace interp {

/// True if the loops give the same results as the general code for instructions on floats of this
/// type.
inline bool HasFloatLoop(const Machine& machine, Scalar scalar) {
  return scalar == Scalar::kFloat32 && machine.options().perturb == 0;
}

/// The rules for 32-bit floats from Vulkan, the execution modes and the `flags` of the instruction.
FloatRules RulesOf(const Machine& machine, uint8_t flags);

/// Stores the results of a loop for the block from lane `first` on. Returns false if the general
/// code must compute some active invocation.
bool PutBlock(Machine& machine, const FloatBlock& block, uint32_t result, uint32_t first);

/// Computes result = loop(a, b) for the active invocations. Calls `slow(lane)` for those that the
/// loop does not handle.
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

}  // namespace interp
}  // namespace refract
