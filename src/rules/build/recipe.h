// SPDX-License-Identifier: Apache-2.0
// Recipes: a few operations in a row that compute, from values that are there, one that is wanted.
// The tables of the transformations that use integer and boolean identities are made of them; what
// makes a recipe right (widths, literals, what is defined) is for those who hold the table.
#pragma once

#include <cstdint>
#include <span>

#include "message/values.h"
#include "rules/context_editor.h"

namespace refract::inline rules {

/// What an operation of a recipe takes.
enum class Term : uint8_t {
  kNone,
  // The values that it begins with.
  kX,
  kY,
  kZ,
  kW,
  // What earlier operations gave.
  kT0,
  kT1,
  kT2,
  kT3,
  // Numbers of the type of x, the same in each component.
  kZero,
  kOne,
  kOnes,  ///< all bits
  kTop,   ///< the highest bit alone
  kA,     ///< RecipeSetting::numbers
  kB,
  kC,
  // Likewise, but always one unsigned int of 32 bits.
  kZeroCount,
  kCountA,
  kCountB,
  // Booleans, as many as x has components.
  kFalse,
  kTrue,
  // Conditions of an OpSelect that chooses x as a whole.
  kChooseFirst,
  kChooseSecond,
};

/// Of what type the result of an operation is.
enum class Shape : uint8_t {
  kResult,  ///< what the recipe is to yield
  kOfX,
  kBool,  ///< booleans, as many as x has components
  kWide,  ///< RecipeSetting::wide
};

struct RecipeStep {
  spv::Op op = spv::Op::OpNop;  ///< OpNop: the recipe has ended
  Term operands[3] = {};
  Shape shape = Shape::kResult;
  uint32_t glsl = 0;  ///< of OpExtInst: the number in GLSL.std.450
};

struct RecipeSetting {
  Id values[4] = {};      ///< kX to kW, as far as there are
  Id result = Id::kNone;  ///< type of what is wanted
  message::Type of_x;     ///< type of x, by value
  message::Type wide;     ///< by value; of no kind if there is none
  uint64_t numbers[3] = {};
};

/// A type like `type`, a scalar or vector, of other scalars.
message::Type WithScalar(const message::Type& type, const message::Type& scalar);
/// The scalar type itself, or what a vector is of.
const message::Type& ScalarOf(const message::Type& type);
/// A constant whose components all are `bits`.
message::Constant SplatConstant(const message::Type& type, uint64_t bits);
/// Ints of `width` bits, as many as `type` has, signed if wanted and if the module may have such.
message::Type IntsLike(const Module& module, const message::Type& type, uint32_t width,
                       bool is_signed);

/// Whether all constants and types of the recipe are there or can be declared, and the set of
/// extended instructions is imported if it is used. The operations themselves are not judged.
bool IsPossible(const Module& module, std::span<const RecipeStep> recipe,
                const RecipeSetting& setting);
/// Puts the operations before `before`; requires IsPossible. The last is named `result`, those
/// before it by `role` and their number.
Id Follow(ContextEditor& editor, Inst before, std::span<const RecipeStep> recipe,
          const RecipeSetting& setting, Name result, uint64_t role);

/// The bits of a constant that is the same in each component; nullopt for others, for spec
/// constants and for irrelevant ones.
std::optional<uint64_t> SplatLiteral(const View& view, Id constant);

}  // namespace refract::inline rules
