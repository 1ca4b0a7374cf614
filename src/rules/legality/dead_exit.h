// SPDX-License-Identifier: Apache-2.0
// Edges that are never taken and lead out of the constructs around a block; shared by
// add_dead_break and add_dead_continue. The header of a construct structurally dominates its merge
// block and continue target whether or not such an edge exists (SPIR-V 2.11: headers have
// structural edges to both). Therefore the new edge changes neither structural dominance nor any
// construct. If no branch reached the target before, the target and the blocks after it become
// reachable, and are dead.
#pragma once

#include <vector>

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// The merge blocks that `block` may branch to by the exit rules (SPIR-V 2.11.2): those of its
/// innermost construct, of the innermost switch and of the innermost loop, unless another loop or a
/// continue construct lies between. For a back-edge block, the merge block of its loop. Innermost
/// first, without duplicates.
std::vector<Block> BreakTargets(const ControlFlow& flow, Block block);
/// The continue target that `block` may branch to; none outside loops and inside continue
/// constructs.
Block ContinueTarget(const ControlFlow& flow, Block block);

/// True if the OpBranch at the end of `block` leaves a construct. A block that may break or
/// continue may also do so conditionally (SPIR-V 2.16.2).
bool LeavesConstruct(const ControlFlow& flow, Block block);

/// Checks that edges can be added to functions of this module.
CheckResult MayAddEdges(const Module& module);
/// Checks that edges can be added that begin at `from`, or at blocks that it dominates.
CheckResult MayAddEdges(const Module& module, Block from);
/// Checks that `from` ends with an OpBranch that can become conditional.
CheckResult MayBecomeConditional(const View& view, Block from);
/// Records a dependency on the step that made the construct of this header; the header may be none.
void DependOnConstruct(const View& view, Block header);
/// Checks that the branch at the end of `from` can become `if (true) old successor else to`. The
/// caller has checked the exit rules.
CheckResult MayAddDeadExit(const Module& module, Block from, Block to);
/// Makes that branch conditional. The new edge is never taken.
void AddDeadExit(ContextEditor& editor, Block from, Block to, Name condition);

}  // namespace rules
}  // namespace refract
