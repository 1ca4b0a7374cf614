// SPDX-License-Identifier: Apache-2.0
// The structural passes: each says where a module could be made smaller, and how. They look at
// form alone; whether what comes out is valid is asked of each candidate, so they may be bold.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/edit/editor.h"

namespace refract::inline shrink {

/// One change. False, and nothing changed, where the module is no longer as it was when the change
/// was found. It may leave a function in disorder: unreachable blocks, phis without an input for an
/// edge, uses that nothing dominates (repair.h mends all that).
using Edit = std::function<bool(Editor&)>;

struct Pass {
  std::string_view name;
  /// Changes of the module, or of the function `only`; those that belong together next to one
  /// another, what stands on others before them.
  std::vector<Edit> (*find)(const Module& module, Function only);
  bool for_functions = true;  ///< also of use within one function
};

/// All of them, in the order in which to try them: what takes most away comes first.
std::span<const Pass> Passes();

// --- flow_passes.cpp
std::vector<Edit> EmptyFunctions(const Module& module, Function only);
std::vector<Edit> SkipConstructs(const Module& module, Function only);
std::vector<Edit> EndFunctionsEarlier(const Module& module, Function only);
std::vector<Edit> TakeOneSide(const Module& module, Function only);
std::vector<Edit> OpenLoops(const Module& module, Function only);
std::vector<Edit> RemoveCases(const Module& module, Function only);
std::vector<Edit> RedirectEdges(const Module& module, Function only);
std::vector<Edit> MergeBlocks(const Module& module, Function only);
// --- value_passes.cpp
std::vector<Edit> RemoveInstructions(const Module& module, Function only);
std::vector<Edit> ForwardOperands(const Module& module, Function only);
std::vector<Edit> PlainOperands(const Module& module, Function only);
std::vector<Edit> OlderOperands(const Module& module, Function only);
std::vector<Edit> PlainLiterals(const Module& module, Function only);
// --- declaration_passes.cpp
std::vector<Edit> RemoveUnused(const Module& module, Function only);
std::vector<Edit> RemoveEntryPoints(const Module& module, Function only);
std::vector<Edit> MoveEntryPoints(const Module& module, Function only);
std::vector<Edit> RemoveParameters(const Module& module, Function only);
std::vector<Edit> ReturnNothing(const Module& module, Function only);
std::vector<Edit> ShortenArrays(const Module& module, Function only);
std::vector<Edit> PlainConstants(const Module& module, Function only);
// --- member_pass.cpp
std::vector<Edit> RemoveMembers(const Module& module, Function only);

/// Calls `visit(Function)` for `only`, or for each function if there is none.
template <class Visit>
void ForEachFunctionOf(const Module& module, Function only, Visit visit) {
  ForEachFunction(module, [&](Function function) {
    if (only == Function::kNone || only == function) visit(function);
  });
}

/// Whether it is still what it was when a change was found.
inline bool IsStillThere(const Module& module, Inst inst, spv::Op opcode) {
  return !module[inst].removed && module.Opcode(inst) == opcode;
}

/// All operands, to be changed and set again.
Args ArgsOf(const Module& module, Inst inst);

}  // namespace refract::inline shrink
