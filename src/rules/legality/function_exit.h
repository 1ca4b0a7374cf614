// SPDX-License-Identifier: Apache-2.0
// Ends of functions that are put where nothing runs: OpReturn, OpReturnValue, OpKill, OpUnreachable
// and OpTerminateInvocation. What they do does not matter there; whether they may stand there does.
#pragma once

#include "ir/edit/editor.h"
#include "message/values.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// Whether a block of `where`'s function may end so. The value that it returns is one that may be
/// used before `where`.
Verdict MayExit(const View& view, const message::Exit& exit, Inst where);
/// Whether each entry point that reaches the function is of a stage that has the instruction.
bool StagesHave(const Module& module, spv::Op opcode, Function function);
/// The terminator of an exit that may be, and its operands; declares a null value if need be.
spv::Op ExitOpcode(const Module& module, const message::Exit& exit, Function function);
Args ExitArgs(Editor& editor, const message::Exit& exit, Function function);

/// A return from the function: of nothing, or of null.
message::Exit PlainReturn(const Module& module, Function function);
/// Some exit; it returns a value near `where`, or null, if the function returns one. What the
/// module does not allow is not picked.
message::Exit PickExit(Proposer& proposer, Inst where);

/// Whether nothing has to come to an end of `block` any more: no block would stand before the one
/// that dominates it then, and no switch would be where no branch leads, which spirv-val 2023.1
/// falsely rejects (docs/validator-quirks.md, case_exit_by_depth).
Verdict MayCutOff(const View& view, Block block);
/// The same where the edges go, too: a block that nothing else leads to is named by a header, which
/// keeps it in the structure, and has no phis.
Verdict MayLoseEnd(const View& view, Block block);

}  // namespace refract::inline rules
