// SPDX-License-Identifier: Apache-2.0
// Which place in memory a pointer leads to, and whether that place still holds what an access
// loaded or stored.
#pragma once

#include <optional>
#include <vector>

#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// The part of a variable, or of the memory that a parameter points to, that a pointer leads to.
struct Place {
  Id root = Id::kNone;
  std::vector<Id> path;  ///< indices from the root
};
/// Follows access chains and copies of pointers; nullopt for other pointers.
std::optional<Place> PlaceOf(const Module& module, Id pointer);

/// True if both pointers lead to one place wherever both are available: they have the same root,
/// and the same or equal constant indices.
bool IsSameMemoryPlace(const Module& module, Id a, Id b);
/// True if two pointers into one variable lead to different parts: the first indices that differ
/// are unequal constants.
bool AreDisjoint(const Module& module, Id a, Id b);

/// Some other pointers to the same place (IsSameMemoryPlace), available before `before`. For
/// Propose functions.
std::vector<Id> OtherPointersTo(const Module& module, Id pointer, Inst before);

/// The pointer and the value of a load or store; for other instructions, both are kNone.
struct ValueAccess {
  Id pointer = Id::kNone, value = Id::kNone;
  bool is_store = false;
  explicit operator bool() const { return pointer != Id::kNone; }
};
ValueAccess ValueAccessOf(const Module& module, Inst inst);

/// True if the decoration applies, or may apply, to the memory that the pointer leads to: to the
/// variable, to a member that contains the place, or to a member inside it.
bool IsMemoryPlaceDecorated(const Module& module, Id pointer, spv::Decoration decoration);
/// True if RelaxedPrecision allows a load from there to return another value than the stored one.
bool MayBeRounded(const Module& module, Id pointer);

/// True if steps may store any value where the pointer leads. The memory is irrelevant, or the
/// pointer is a parameter that may get such memory, or the memory is not known.
bool MayBeOverwritten(const View& view, Id pointer);

/// Checks that, whenever `before` is reached, the memory still holds what `access` (a load or
/// store) last loaded or stored. The access has been executed by then, and nothing since may have
/// written there. Fails for memory to which others can write.
CheckResult StillHolds(const Module& module, Inst access, Inst before);

/// Checks that a load through `pointer` can be added before `before`, that it certainly yields what
/// `access` loaded or stored, and that this value may have synonyms.
CheckResult MayLoadAgain(const View& view, Inst access, Id pointer, Inst before);
/// For Propose functions: picks an instruction after the access, in its block or in one that it
/// dominates. An insertion before it may be invalid.
Inst PickInsertionPointAfter(Proposer& proposer, Inst access);

}  // namespace rules
}  // namespace refract
