// SPDX-License-Identifier: Apache-2.0
// An edge that is never taken out of the constructs around a block: what add_dead_break and
// add_dead_continue have in common. A merge block or continue target is structurally dominated by
// its header whether or not such an edge is there (SPIR-V 2.11: headers have structural edges to
// both), so the new edge changes neither structural dominance nor any construct. Where no branch
// has led there yet, what is behind becomes reachable, and is dead.
#pragma once

#include <vector>

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// Merge blocks that `block` may branch to by the exit rules (SPIR-V 2.11.2): of its innermost
/// construct, of the innermost switch and the innermost loop, as long as neither is left through
/// another loop or a continue construct; of the back-edge block the loop's. Innermost first, each
/// once.
std::vector<Block> BreakTargets(const ControlFlow& flow, Block block);
/// The continue target that `block` may branch to; none outside loops and in continue constructs.
Block ContinueTarget(const ControlFlow& flow, Block block);

/// Whether the OpBranch at the end of `block` leaves a construct: whoever may break or continue
/// there may do so on a condition (SPIR-V 2.16.2).
bool LeavesConstruct(const ControlFlow& flow, Block block);

/// Whether the function's shape lets edges be added at all.
Verdict MayAddEdges(const Module& module);
/// Whether `from` ends with an OpBranch that may become conditional.
Verdict MayBecomeConditional(const View& view, Block from);
/// What is asked rests on the construct of this header (may be none): notes the step that made it.
void CountOnConstruct(const View& view, Block header);
/// Whether the branch at the end of `from` can become `if (true) old successor else to`; the exit
/// rules have been asked.
Verdict MayAddDeadExit(const Module& module, Block from, Block to);
/// Does it.
void AddDeadExit(ContextEditor& editor, Block from, Block to, Name condition);

}  // namespace refract::inline rules
