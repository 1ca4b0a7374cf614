// SPDX-License-Identifier: Apache-2.0
// Which values and types transformations may copy, compose and store, and values near a place for
// Propose functions to choose from.
#pragma once

#include <string_view>
#include <vector>

#include "message/values.h"
#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// True if the module has the capability, declared or implied by a declared one.
bool HasCapability(const Module& module, spv::Capability capability);

/// True if the module declares the extension.
bool HasExtension(const Module& module, std::string_view name);

/// True if values of the type support arithmetic, copies and composition. The type is storable, and
/// the module has the capabilities of its narrow scalars. Without these, values of 8 and 16 bits
/// may only be loaded, stored and converted (SPIR-V 3.31, StorageBuffer16BitAccess and similar).
bool IsOrdinary(const Module& module, Id type);
/// The number of scalars in a value of the type; for very large types some number above
/// kMaxScalars.
uint64_t ScalarCount(const Module& module, Id type);
constexpr uint32_t kMaxScalars = 256;
/// True if a new variable of class Function or Private may have the type: an ordinary type without
/// decorations (blocks and types with a memory layout belong to other storage classes), of at most
/// kMaxScalars scalars.
bool MayBeVariable(const Module& module, Id type);
/// The same for a type by value. It must be declarable too.
bool MayBeVariable(const Module& module, const message::Type& type);
/// True if new variables may have this storage class. Private requires a shader (SPIR-V 3.7).
bool MayHaveVariables(const Module& module, uint32_t storage);
/// The same for a variable that `function` stores to. A live-safe function cannot store to private
/// variables: after inlining, a call of the function could come between a store and a load.
bool MayHaveVariables(const View& view, uint32_t storage, Function function);
/// True if the type exists or can be declared: like IsDeclarable, with the extra rules for kernels
/// (matrices need a capability, ints have no sign).
bool IsDeclarableHere(const Module& module, const message::Type& type);
/// The same for a constant.
bool IsDeclarableHere(const Module& module, const message::Constant& constant);

/// Checks that another value may become a synonym of this one. Excluded are values that need not be
/// the same at each use (OpUndef, irrelevant values) and values with decorations whose effect is
/// not known.
CheckResult MayHaveSynonym(const View& view, Id value);

/// The pointer type; declared if needed.
Id DeclarePointer(Editor& editor, spv::StorageClass storage, Id pointee);
/// Adds a variable. A variable of class Function becomes the first of its function; one of class
/// Private becomes the last declaration. `initializer` may be kNone.
Id AddVariable(Editor& editor, spv::StorageClass storage, Function function, Id pointee, Name name,
               Id initializer);

/// Values of ordinary types that are available before `where`, nearest first: the operands and
/// results of nearby instructions, going up the dominator tree. A sample for Propose functions, at
/// most `limit` values.
std::vector<Id> ValuesNear(const Module& module, Inst where, size_t limit);

/// Where to propose an insertion of `opcode` instead of before `where`: among the next few places
/// in the block, the one before the oldest instruction, so that fewer steps depend on one another.
/// Consecutive instructions of one step count as one place.
Inst OldestInsertionPoint(const Module& module, spv::Op opcode, Inst where);

/// True if the instruction is inside a long sequence of instructions that one step inserted. Such
/// sequences offer more places than the rest of the module. Propose functions skip most of them, so
/// that fewer steps depend on one step.
bool IsInLongSequence(const Module& module, Inst inst);

/// True if each entry point that reaches `function` already uses the global variable, so that
/// another use in `function` changes no interface or descriptor set.
bool IsUsedByEntriesReaching(const Module& module, Id variable, Function function);

}  // namespace rules
}  // namespace refract
