// SPDX-License-Identifier: Apache-2.0
// Which other ways there are to compute what an integer or boolean operation computes: the table of
// add_arithmetic_synonym.
#pragma once

#include <optional>
#include <span>

#include "message/add_arithmetic_synonym.h"
#include "rules/build/recipe.h"

namespace refract::inline transform {

/// What a form wants of the constants among the operands, and what numbers of a recipe's setting it
/// makes of them; w is the width.
enum class Literals : uint8_t {
  kNone,
  kTwo,         ///< y = 2
  kPowerOfTwo,  ///< y = 1 << a: a, y - 1
  kNumber,      ///< y = (1 << a) + b, not 0: a, b
  kMask,        ///< y = (1 << a) - 1, not 0: a
  kMaskBelow,   ///< likewise, but not all bits: a, y + 1
  kShift,       ///< y < w: y, w - y, 1 << y
  kShiftTop,    ///< y < w: y, the highest bit shifted by y
  kField,       ///< y + z <= w, z not 0: what is left above, w - z
  kInsert,      ///< z + w <= w, w not 0: all bits but those, z, those bits
};

/// What else a form wants.
enum Wants : uint8_t {
  kAnything = 0,
  kUnsigned = 1,   ///< result and x are of one type, without sign
  kBitField = 2,   ///< result and x are of one type, of 32 bits, in a shader
  kSameTypes = 4,  ///< x and y are of the result's type
  kSureValues = 8  ///< operands that are surely defined and exact: the operation may do without one
};

struct Equivalent {
  message::AddArithmeticSynonym::Form form;
  spv::Op op;         ///< what is computed
  uint32_t glsl = 0;  ///< of OpExtInst: its number
  RecipeStep steps[5] = {};
  Literals literals = Literals::kNone;
  uint8_t wants = kAnything;
};

/// All but those that go through wider ints: of operations on ints, and of those with booleans.
std::span<const Equivalent> IntEquivalents();
std::span<const Equivalent> BoolEquivalents();
/// The form for the operation; null if there is none.
const Equivalent* FindEquivalent(message::AddArithmeticSynonym::Form form, spv::Op op,
                                 uint32_t glsl);

/// Whether WidenedForm gives something.
bool MayBeWidened(spv::Op op);
/// How the operation is done with wider ints.
struct Widened {
  std::vector<RecipeStep> steps;
  bool is_signed;  ///< how operands are widened
};
/// `result_is_signed` says how the result is read, if it is an int. Nullopt if that is not possible
/// for the operation.
std::optional<Widened> WidenedForm(spv::Op op, bool result_is_signed);

/// The numbers for a recipe, from the values of y, z and w as far as these are literals; nullopt if
/// they are not as the form wants them.
std::optional<std::array<uint64_t, 3>> NumbersFor(
    Literals literals, std::span<const std::optional<uint64_t>, 4> values, uint32_t width);

}  // namespace refract::inline transform
