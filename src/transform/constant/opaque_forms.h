// SPDX-License-Identifier: Apache-2.0
// The table of replace_constant_with_opaque_value: operations that yield a constant whatever value
// they are applied to, and how this value is obtained.
#pragma once

#include <optional>
#include <span>

#include "message/replace_constant_with_opaque_value.h"
#include "rules/build/formula.h"
#include "rules/rule.h"

namespace refract {
inline namespace transform {

struct OpaqueForm {
  enum Source : uint8_t { kInt, kUnsigned, kBool, kCoordinate };
  enum Gives : uint8_t { kZero, kOne, kOnes };  ///< for booleans kZero and kOne
  message::ReplaceConstantWithOpaqueValue::Form form;
  Source source;
  Gives gives;
  bool is_bool = false;  ///< whether the result is boolean
  FormulaOp steps[2] = {};
  bool ignores_approximation =
      false;           ///< whether the result is constant even if the value is approximate
  bool twice = false;  ///< whether the value is used twice
};

std::span<const OpaqueForm> OpaqueForms();
/// nullptr if there is no such form.
const OpaqueForm* FindOpaqueForm(message::ReplaceConstantWithOpaqueValue::Form form);
/// True if the form yields a constant of this type (a scalar or vector of ints or booleans) whose
/// components all are `bits`.
bool Gives(const Module& module, const OpaqueForm& form, Id type, uint64_t bits);

/// How the value that a form uses is obtained from the value or variable that a message names.
struct OpaqueSource {
  Id loaded = Id::kNone;  ///< type of the named value, or of the contents of the variable
  bool loads = false;     ///< a variable of class Input is loaded
  bool extracts = false;  ///< one component is extracted
  bool bitcasts = false;  ///< the bits of a float are taken as an int
  message::Type type;     ///< type of the value that the form uses
};
/// Nullopt if that value cannot serve for this form and a constant of type `wanted`. `component` is
/// 0 unless a component is extracted.
std::optional<OpaqueSource> FindOpaqueSource(const Module& module, const OpaqueForm& form, Id named,
                                             uint32_t component, Id wanted);
/// Checks that the form can use the source before `before`: it is defined there, and exact unless
/// the result is constant for approximate values too.
CheckResult CheckOpaqueSource(const View& view, const OpaqueForm& form, const OpaqueSource& source,
                              Id named, Inst before);
/// Inserts the instructions that obtain the value, and returns it. There are at most three, named
/// for `role` and the two numbers after it.
Id MakeOpaqueSource(ContextEditor& editor, const OpaqueSource& source, Id named, uint32_t component,
                    Inst before, uint64_t role);

}  // namespace transform
}  // namespace refract
