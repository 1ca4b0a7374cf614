// SPDX-License-Identifier: Apache-2.0
// Terminators that end a function and that are put where nothing runs: OpReturn, OpReturnValue,
// OpUnreachable, and those that end an invocation (EndsInvocation). Their effect does not matter
// there; only their validity does.
#pragma once

#include "ir/edit/editor.h"
#include "message/values.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// An instruction without operands that ends the invocation: OpKill, OpTerminateInvocation,
/// OpIgnoreIntersectionKHR and OpTerminateRayKHR.
bool EndsInvocation(spv::Op opcode);

/// Checks that a block of the function of `where` may end with this exit. The returned value must
/// be available before `where`.
CheckResult MayExit(const View& view, const message::Exit& exit, Inst where);
/// True if the stage of each entry point that reaches the function allows the instruction.
bool StagesAllow(const Module& module, spv::Op opcode, Function function);
/// The opcode and operands of an exit that passes MayExit. ExitArgs declares the null value if
/// needed.
spv::Op ExitOpcode(const Module& module, const message::Exit& exit, Function function);
Args ExitArgs(Editor& editor, const message::Exit& exit, Function function);

/// An exit that returns nothing, or null if the function returns a value.
message::Exit PlainReturn(const Module& module, Function function);
/// Picks an exit that the module allows. If the function returns a value, the exit returns a value
/// near `where`, or null.
message::Exit PickExit(Proposer& proposer, Inst where);

/// Checks that control may stop reaching the end of `block`. No block may then precede its
/// dominator in the function, and no switch may become unreachable, because spirv-val 2023.1
/// falsely rejects that (docs/validator-quirks.md, case_exit_by_depth).
CheckResult MayCutOff(const View& view, Block block);
/// Like MayCutOff, where the edges from the end of `block` are removed too: a block without other
/// predecessors must be named by a header, which keeps it in the structure, and must have no phis.
CheckResult MayRemoveEndEdges(const View& view, Block block);

}  // namespace rules
}  // namespace refract
