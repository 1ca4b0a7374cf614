// SPDX-License-Identifier: Apache-2.0
// Which values and types the transformations of data may copy, compose and store, and values to
// try them on.
#pragma once

#include <vector>

#include "message/values.h"
#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// Whether the module has the capability: declared, or implied by one that is.
bool HasCapability(const Module& module, spv::Capability capability);

/// Whether values of the type may be computed with, copied and composed: storable, and its narrow
/// scalars have their capability. Without it values of 8 and 16 bits may only be loaded, stored and
/// converted (SPIR-V 3.31, StorageBuffer16BitAccess and the like).
bool IsOrdinary(const Module& module, Id type);
/// Scalars in a value of the type; of very large types some number above kMaxScalars.
uint64_t ScalarCount(const Module& module, Id type);
constexpr uint32_t kMaxScalars = 256;
/// Whether one more variable of class Function or Private may hold the type: an ordinary one
/// without decorations (a block or a type with a memory layout has its own storage classes) and of
/// at most kMaxScalars scalars.
bool MayBeVariable(const Module& module, Id type);
/// The same for a type by value, which then is declarable, too.
bool MayBeVariable(const Module& module, const message::Type& type);
/// The storage classes that new variables may have; Private needs a shader (SPIR-V 3.7).
bool MayHaveVariables(const Module& module, uint32_t storage);
/// The same of a variable for a function to store to. One that may be called anywhere has no
/// private ones: where it is inlined a call of it could come between a store and a load.
bool MayHaveVariables(const View& view, uint32_t storage, Function function);
/// Whether the type can be declared where it is not there: as IsDeclarable, with the rules for
/// kernels (matrices need a capability, ints have no sign).
bool IsDeclarableHere(const Module& module, const message::Type& type);
/// The same for a constant.
bool IsDeclarableHere(const Module& module, const message::Constant& constant);

/// Whether a second value may be known to equal this one. Not where the value is not one value
/// (OpUndef), where another would do as well, or where a decoration says more of it than we know.
Verdict MayHaveSynonym(const View& view, Id value);

/// The pointer type; made if need be.
Id DeclarePointer(Editor& editor, spv::StorageClass storage, Id pointee);
/// A new variable. Of class Function: the first of its function; of class Private: the last
/// declaration. `initializer` may be kNone.
Id AddVariable(Editor& editor, spv::StorageClass storage, Function function, Id pointee, Name name,
               Id initializer);

/// Values of ordinary types that may be used before `where`, nearest first: what the instructions
/// there and before it, up the dominator tree, use and make. A sample for Propose, at most `limit`.
std::vector<Id> ValuesNear(const Module& module, Inst where, size_t limit);

/// Where to propose that `opcode` is put instead of before `where`: of the next few places in the
/// block the one before the oldest instruction, so that fewer steps rest on one another. What one
/// step has put in a row counts as one place.
Inst OldestPlaceFrom(const Module& module, spv::Op opcode, Inst where);

/// Whether it stands in the midst of a long row that one step has put into a block. Such rows offer
/// more places than all else; Propose passes most of them by, so that less rests on one step.
bool IsInLongRow(const Module& module, Inst inst);

/// Whether each entry point that reaches `function` uses the global variable already, so that one
/// more use there changes nothing in how the shader meets the outside (interfaces, descriptors).
bool IsUsedByEntriesReaching(const Module& module, Id variable, Function function);

}  // namespace refract::inline rules
