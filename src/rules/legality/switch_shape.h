// SPDX-License-Identifier: Apache-2.0
// What selections between two ways and switches have in common, and where they differ: what
// transformations that turn one into the other, or add cases, ask (SPIR-V 1.6 revision 2, 2.11).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/control_flow.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// The blocks that the header's construct has beside the header, in the order they are listed.
std::vector<Block> BlocksInside(const ControlFlow& flow, Block header, Block merge);

/// An OpSwitch taken apart.
struct SwitchCase {
  uint64_t value = 0;  ///< as many low bits as the selector has, others zero
  Block target = Block::kNone;
};
struct Switch {
  Block header = Block::kNone, merge = Block::kNone;
  Block default_target = Block::kNone;
  uint32_t width = 0;  ///< of the selector
  std::vector<SwitchCase> cases;
};
/// nullopt if the instruction is no OpSwitch of a selection.
std::optional<Switch> ParseSwitch(const Module& module, Inst inst);
/// The operands of such an OpSwitch.
Args SwitchArgs(const Module& module, Id selector, const Switch& parts);
/// Which target the cases of `target` fall into; none.
Block FallsInto(const ControlFlow& flow, const Switch& parts, Block target);

/// The target (not `target` itself) whose cases fall into the case of `target`; none.
Block FallenFrom(const ControlFlow& flow, const Switch& parts, Block target);
/// Which target's case `block` is in, in no other switch; none.
Block CaseAround(const ControlFlow& flow, const Switch& parts, Block block);
/// Whether the cases of target `from` may begin to fall into those of target `to`: neither is the
/// merge block; one case falls into one, and stands before it, a default that is not listed apart.
Verdict MayFallInto(const ControlFlow& flow, const Switch& parts, Block from, Block to);
/// Whether `block` is a target of the switch.
bool IsTarget(const Switch& parts, Block block);

/// Whether the selection that begins at `header` with an OpBranchConditional may be a switch with
/// the same targets.
Verdict MayBeSwitch(const Module& module, Block header);
/// Whether the switch may be a selection with the same targets, which are two.
Verdict MayBeSelection(const Module& module, const Switch& parts);

}  // namespace refract::inline rules
