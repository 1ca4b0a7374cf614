// SPDX-License-Identifier: Apache-2.0
// Recipes: short sequences of operations that compute a wanted value from existing values. The
// transformations that use integer and boolean identities have tables of recipes. The owner of a
// table is responsible for the correctness of its recipes (widths, literals, definedness).
#pragma once

#include <cstdint>
#include <span>

#include "message/values.h"
#include "rules/context_editor.h"

namespace refract {
inline namespace rules {

/// An operand of an operation in a recipe.
enum class Term : uint8_t {
  kNone,
  // The given values.
  kX,
  kY,
  kZ,
  kW,
  // The results of earlier operations.
  kT0,
  kT1,
  kT2,
  kT3,
  // Numbers of the type of x, the same in each component.
  kZero,
  kOne,
  kOnes,  ///< all bits
  kTop,   ///< the highest bit alone
  kA,     ///< from RecipeSetting::numbers
  kB,
  kC,
  // Likewise, but always one 32-bit unsigned int.
  kZeroCount,
  kCountA,
  kCountB,
  // Booleans, as many as x has components.
  kFalse,
  kTrue,
  // Conditions of an OpSelect that selects x as a whole.
  kChooseFirst,
  kChooseSecond,
};

/// The type of the result of an operation.
enum class Shape : uint8_t {
  kResult,  ///< the type of the result of the recipe
  kOfX,
  kBool,  ///< booleans, as many as x has components
  kWide,  ///< the type RecipeSetting::wide
};

struct RecipeStep {
  spv::Op op = spv::Op::OpNop;  ///< OpNop: the end of the recipe
  Term operands[3] = {};
  Shape shape = Shape::kResult;
  uint32_t glsl = 0;  ///< for OpExtInst: the number in GLSL.std.450
};

struct RecipeSetting {
  Id values[4] = {};      ///< kX to kW, as many as there are
  Id result = Id::kNone;  ///< type of the wanted value
  message::Type of_x;     ///< type of x
  message::Type wide;     ///< of kind kNone if not found
  uint64_t numbers[3] = {};
};

/// A type like `type`, a scalar or vector, but with other scalars.
message::Type WithScalar(const message::Type& type, const message::Type& scalar);
/// The type itself if it is a scalar, or the component type of a vector.
const message::Type& ScalarOf(const message::Type& type);
/// A constant all of whose components are `bits`.
message::Constant SplatConstant(const message::Type& type, uint64_t bits);
/// Ints of `width` bits, with as many components as `type`. They are signed only if requested and
/// if the module allows it.
message::Type IntsLike(const Module& module, const message::Type& type, uint32_t width,
                       bool is_signed);

/// True if all constants and types of the recipe exist or can be declared, and the extended
/// instruction set is imported if it is used. Does not check the operations.
bool IsPossible(const Module& module, std::span<const RecipeStep> recipe,
                const RecipeSetting& setting);
/// Inserts the operations before `before`; requires IsPossible. The last one is named `result`; the
/// others are named by `role` and their number. Returns the result.
Id Follow(ContextEditor& editor, Inst before, std::span<const RecipeStep> recipe,
          const RecipeSetting& setting, Name result, uint64_t role);

/// The bits of a constant that has the same value in each component. Nullopt for others, for
/// specialization constants and for irrelevant constants.
std::optional<uint64_t> SplatLiteral(const View& view, Id constant);

}  // namespace rules
}  // namespace refract
