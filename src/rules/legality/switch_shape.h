// SPDX-License-Identifier: Apache-2.0
// Common properties of two-way selections and switches, and their differences: checks for
// transformations that turn one into the other or add cases (SPIR-V 1.6 revision 2, 2.11).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/control_flow.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// The blocks of the header's construct, except the header, in the order of the function.
std::vector<Block> BlocksInside(const ControlFlow& flow, Block header, Block merge);

/// The parts of an OpSwitch.
struct SwitchCase {
  uint64_t value = 0;  ///< only as many low bits as the selector has can be set
  Block target = Block::kNone;
};
struct Switch {
  Block header = Block::kNone, merge = Block::kNone;
  Block default_target = Block::kNone;
  uint32_t width = 0;  ///< of the selector, in bits
  std::vector<SwitchCase> cases;
};
/// nullopt if the instruction is not an OpSwitch with a selection merge.
std::optional<Switch> ParseSwitch(const Module& module, Inst inst);
/// The operands of an OpSwitch with these parts.
Args SwitchArgs(const Module& module, Id selector, const Switch& parts);
/// The target whose case the case of `target` falls through to; none if it does not fall through.
Block FallThroughTarget(const ControlFlow& flow, const Switch& parts, Block target);

/// The target (other than `target`) whose case falls through to the case of `target`; none if
/// not found.
Block FallThroughSource(const ControlFlow& flow, const Switch& parts, Block target);
/// The target whose case contains `block`; none if no case contains it.
Block CaseContaining(const ControlFlow& flow, const Switch& parts, Block block);
/// Checks that the case of target `from` can begin to fall through to the case of target `to`.
/// Neither is the merge block. A case falls through to at most one case, and at most one case falls
/// through to it. The cases must be adjacent in this order, except for a default that is not
/// listed.
CheckResult MayFallThrough(const ControlFlow& flow, const Switch& parts, Block from, Block to);
/// True if `block` is a target of the switch.
bool IsTarget(const Switch& parts, Block block);

/// Checks that the selection with this header, which ends with an OpBranchConditional, can become a
/// switch with the same targets.
CheckResult MayBeSwitch(const Module& module, Block header);
/// Checks that the switch, which has two targets, can become a selection with the same targets.
CheckResult MayBeSelection(const Module& module, const Switch& parts);

}  // namespace rules
}  // namespace refract
