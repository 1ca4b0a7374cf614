// SPDX-License-Identifier: Apache-2.0
// Where in memory pointers lead, and whether what an access saw there is still there later.
#pragma once

#include <optional>
#include <vector>

#include "transform/rule.h"

namespace refract {

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

/// What a load or store accesses, and with which value; of others all is kNone.
struct ValueAccess {
  Id pointer = Id::kNone, value = Id::kNone;
  bool is_store = false;
  explicit operator bool() const { return pointer != Id::kNone; }
};
ValueAccess ValueAccessOf(const Module& module, Inst inst);

/// Whether what is loaded from there may be another value than what is stored: RelaxedPrecision.
bool MayBeRounded(const Module& module, Id pointer);

/// Whether steps may store what they like where the pointer leads: it is irrelevant, a parameter
/// that may come to point to what is, or not known.
bool MayBeOverwritten(const View& view, Id pointer);

/// Whether, whenever `before` is reached, the memory still holds what `access` (a load or store)
/// loaded or stored when it last ran: it has run, and nothing since may have written there. Memory
/// of others is never sure to.
Verdict StillHolds(const Module& module, Inst access, Inst before);

}  // namespace refract
