// SPDX-License-Identifier: Apache-2.0
// Where in memory pointers lead, and whether what an access saw there is still there later.
#pragma once

#include <optional>
#include <vector>

#include "rules/rule.h"

namespace refract::inline rules {

/// The part of a variable, or of what a parameter points to, that a pointer leads to.
struct Place {
  Id root = Id::kNone;
  std::vector<Id> path;  ///< indices
};
/// Looks through access chains and copies; nullopt of other pointers.
std::optional<Place> PlaceOf(const Module& module, Id pointer);

/// Whether two pointers lead to one place wherever both are available: the same indices, or equal
/// constants, from the same root.
bool IsSamePlace(const Module& module, Id a, Id b);
/// Whether two pointers into one variable lead to different parts: where their ways part, the one
/// index and the other are constants.
bool AreDisjoint(const Module& module, Id a, Id b);

/// Some pointers that IsSamePlace says the same of, available before `before`; for Propose.
std::vector<Id> OtherPointersTo(const Module& module, Id pointer, Inst before);

/// What a load or store accesses, and with which value; of others all is kNone.
struct ValueAccess {
  Id pointer = Id::kNone, value = Id::kNone;
  bool is_store = false;
  explicit operator bool() const { return pointer != Id::kNone; }
};
ValueAccess ValueAccessOf(const Module& module, Inst inst);

/// Whether the decoration is, or may be, said of what the pointer leads to: of the variable, of a
/// member on the way, or of one in it.
bool IsPlaceDecorated(const Module& module, Id pointer, spv::Decoration decoration);
/// Whether what is loaded from there may be another value than what is stored: RelaxedPrecision.
bool MayBeRounded(const Module& module, Id pointer);

/// Whether steps may store what they like where the pointer leads: it is irrelevant, a parameter
/// that may come to point to what is, or not known.
bool MayBeOverwritten(const View& view, Id pointer);

/// Whether, whenever `before` is reached, the memory still holds what `access` (a load or store)
/// loaded or stored when it last ran: it has run, and nothing since may have written there. Memory
/// of others is never sure to.
Verdict StillHolds(const Module& module, Inst access, Inst before);

/// Whether a load through `pointer` before `before` may be added and is sure to give what `access`
/// loaded or stored, and values that equal that may be known.
Verdict MayLoadAgain(const View& view, Inst access, Id pointer, Inst before);
/// For Propose: somewhere behind the access, in its block or in one that it dominates. It may be no
/// place to put an instruction.
Inst PickPlaceBehind(Proposer& proposer, Inst access);

}  // namespace refract::inline rules
