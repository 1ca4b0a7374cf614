// SPDX-License-Identifier: Apache-2.0
// Operations that give the same whatever the value they are done with, and how that value is had:
// the table of replace_constant_with_opaque_value.
#pragma once

#include <optional>
#include <span>

#include "message/replace_constant_with_opaque_value.h"
#include "rules/build/recipe.h"
#include "rules/rule.h"

namespace refract::inline transform {

struct OpaqueForm {
  enum Source : uint8_t { kInt, kUnsigned, kBool, kCoordinate };
  enum Gives : uint8_t { kZero, kOne, kOnes };  ///< of booleans kZero and kOne
  message::ReplaceConstantWithOpaqueValue::Form form;
  Source source;
  Gives gives;
  bool is_bool = false;  ///< what it gives
  RecipeStep steps[2] = {};
  bool settles = false;  ///< whatever the value is, and were it approximate
  bool twice = false;    ///< the value stands twice
};

std::span<const OpaqueForm> OpaqueForms();
/// Null if there is none.
const OpaqueForm* FindOpaqueForm(message::ReplaceConstantWithOpaqueValue::Form form);
/// Whether the form gives a constant of the type (a scalar or vector of ints or booleans) whose
/// components all are `bits`.
bool Gives(const Module& module, const OpaqueForm& form, Id type, uint64_t bits);

/// How the value that a form is done with is had from what a message names.
struct OpaqueSource {
  Id loaded = Id::kNone;  ///< type of what is named, or of what the variable holds
  bool loads = false;     ///< it is a variable of class Input
  bool extracts = false;  ///< one component is taken
  bool bitcasts = false;  ///< the bits of a float are taken
  message::Type type;     ///< of the value, by value
};
/// Nullopt if no value for that form and a constant of type `wanted` can be had so. `component` is
/// 0 unless one is taken.
std::optional<OpaqueSource> FindOpaqueSource(const Module& module, const OpaqueForm& form, Id named,
                                             uint32_t component, Id wanted);
/// Whether the form can be done with it before `before`: it is defined there, and exact where the
/// operation alone does not settle the result.
Verdict CheckOpaqueSource(const View& view, const OpaqueForm& form, const OpaqueSource& source,
                          Id named, Inst before);
/// The value that the form is done with, behind what has to be done to have it: at most three
/// instructions, named for `role` and the two numbers after it.
Id MakeOpaqueSource(ContextEditor& editor, const OpaqueSource& source, Id named, uint32_t component,
                    Inst before, uint64_t role);

}  // namespace refract::inline transform
