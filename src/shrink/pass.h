// SPDX-License-Identifier: Apache-2.0
// The shrink passes. Each says where a module could be made smaller, and how. They look only at the
// structure. Each candidate is validated afterwards, so they may offer changes that are not valid.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/edit/editor.h"

namespace refract {
inline namespace shrink {

/// One change. Returns false and changes nothing if the module is no longer what it was when the
/// change was found. It may break a function: unreachable blocks, phis without an input for an
/// edge, uses that no definition dominates. Repair (repair.h) mends all of these.
using Edit = std::function<bool(Editor&)>;

/// For which failures a pass is worth its tries.
enum class PassUse : uint8_t {
  kAlways,
  kWrongOutputs,  ///< it keeps more of what the module computes than other passes do
  kOtherFailures  ///< it makes outputs undefined
};

/// A shrink pass: its name and the function that finds its changes.
struct ShrinkPass {
  std::string_view name;
  /// Returns the changes for the module, or for the function `only`. Changes that belong together
  /// are next to each other, and a change comes after those that depend on it.
  std::vector<Edit> (*find)(const Module& module, Function only);
  bool for_functions = true;  ///< the pass can also be used on one function
  PassUse use = PassUse::kAlways;
  bool repeats =
      true;  ///< false: a pass that finds no more than what failed before is not repeated
};

/// Returns all passes in the order in which to try them: those that remove most come first.
std::span<const ShrinkPass> ShrinkPasses();

// --- flow_passes.cpp
/// Shorten or remove blocks that are not reachable.
std::vector<Edit> RemoveUnreachableCode(const Module& module, Function only);
/// Make functions return at once.
std::vector<Edit> EmptyFunctions(const Module& module, Function only);
/// Make headers branch to their merge blocks.
std::vector<Edit> SkipConstructs(const Module& module, Function only);
/// Make blocks end the function.
std::vector<Edit> EndFunctionsEarlier(const Module& module, Function only);
/// Replace conditional branches and switches by branches to one of their targets.
std::vector<Edit> TakeOneSide(const Module& module, Function only);
/// Make back edges leave their loops, which then run once.
std::vector<Edit> OpenLoops(const Module& module, Function only);
/// Remove cases of switches.
std::vector<Edit> RemoveCases(const Module& module, Function only);
/// Make edges lead to merge blocks, continue targets or other successors of the block.
std::vector<Edit> RedirectEdges(const Module& module, Function only);
/// Merge a block with its successor.
std::vector<Edit> MergeBlocks(const Module& module, Function only);
// --- value_passes.cpp
std::vector<Edit> RemoveInstructions(const Module& module, Function only);
/// Replace instructions by one of the values that they are computed from.
std::vector<Edit> ForwardOperands(const Module& module, Function only);
/// Replace instructions by undefined values.
std::vector<Edit> UndefinedValues(const Module& module, Function only);
/// Replace operands by plain values (plain_values.h).
std::vector<Edit> PlainOperands(const Module& module, Function only);
/// Replace scalar operands by one or true.
std::vector<Edit> OneOperands(const Module& module, Function only);
/// Replace loads by the value that was last stored to the same pointer.
std::vector<Edit> ForwardStores(const Module& module, Function only);
/// Replace operands by values that are defined earlier.
std::vector<Edit> OlderOperands(const Module& module, Function only);
/// Remove or clear literals, such as control masks and memory operands.
std::vector<Edit> PlainLiterals(const Module& module, Function only);
// --- declaration_passes.cpp
std::vector<Edit> RemoveUnused(const Module& module, Function only);
std::vector<Edit> RemoveEntryPoints(const Module& module, Function only);
/// Make another function the entry point.
std::vector<Edit> MoveEntryPoints(const Module& module, Function only);
/// Give arrays one element.
std::vector<Edit> ShortenArrays(const Module& module, Function only);
/// Make constants zero or one.
std::vector<Edit> PlainConstants(const Module& module, Function only);
// --- signature_passes.cpp
std::vector<Edit> RemoveParameters(const Module& module, Function only);
/// Make functions return void.
std::vector<Edit> ReturnNothing(const Module& module, Function only);
// --- member_pass.cpp
std::vector<Edit> RemoveMembers(const Module& module, Function only);

/// Calls `visit(Function)` for `only`, or for each function without `only`.
template <class Visit>
void ForEachFunctionOf(const Module& module, Function only, Visit visit) {
  ForEachFunction(module, [&](Function function) {
    if (only == Function::kNone || only == function) visit(function);
  });
}

/// True if the instruction is still what it was when a change was found.
inline bool IsStillThere(const Module& module, Inst inst, spv::Op opcode) {
  return !module[inst].removed && module.Opcode(inst) == opcode;
}

/// Returns all operands, to be changed and set again.
Args ArgsOf(const Module& module, Inst inst);

}  // namespace shrink
}  // namespace refract
