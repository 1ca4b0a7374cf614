// SPDX-License-Identifier: Apache-2.0
// The table of add_arithmetic_synonym: other ways to compute the results of integer and boolean
// operations.
#pragma once

#include <optional>
#include <span>

#include "message/add_arithmetic_synonym.h"
#include "rules/build/formula.h"

namespace refract {
inline namespace transform {

/// What a form requires of its constant operands y, z and w; after the colon, the numbers that its
/// formula gets. N is the width in bits.
enum class Literals : uint8_t {
  kNone,
  kTwo,         ///< y == 2
  kPowerOfTwo,  ///< y == 1 << a: a, y - 1
  kNumber,      ///< y == (1 << a) + b, y != 0: a, b
  kMask,        ///< y == (1 << a) - 1, y != 0: a
  kMaskBelow,   ///< like kMask, but not all bits are set: a, y + 1
  kShift,       ///< y < N: y, N - y, 1 << y
  kShiftTop,    ///< y < N: y, the highest bit shifted right by y
  kField,       ///< offset y, count z != 0, y + z <= N: N - y - z, N - z
  kInsert,      ///< offset z, count w != 0, z + w <= N: ~field mask, z, field mask
};

/// Further requirements of a form.
enum Requirements : uint8_t {
  kAnything = 0,
  kUnsigned = 1,   ///< the result and x have the same unsigned type
  kBitField = 2,   ///< the result and x have the same 32-bit type, in a shader
  kSameTypes = 4,  ///< x and y have the type of the result
  kSureValues = 8  ///< operands certainly defined and exact, because the operation may ignore one
};

struct Equivalent {
  message::AddArithmeticSynonym::Form form;
  spv::Op op;         ///< the operation whose result is computed
  uint32_t glsl = 0;  ///< for OpExtInst: the instruction number
  FormulaOp steps[5] = {};
  Literals literals = Literals::kNone;
  uint8_t requirements = kAnything;
};

/// All forms except those that use wider ints: for operations on ints, and for those that involve
/// booleans.
std::span<const Equivalent> IntEquivalents();
std::span<const Equivalent> BoolEquivalents();
/// The form for the operation; nullptr if not found.
const Equivalent* FindEquivalent(message::AddArithmeticSynonym::Form form, spv::Op op,
                                 uint32_t glsl);

/// True if WidenedForm returns a form.
bool MayBeWidened(spv::Op op);
/// How the operation is computed with wider ints.
struct Widened {
  std::vector<FormulaOp> steps;
  bool is_signed;  ///< whether operands are sign-extended
};
/// The form for the operation; nullopt if not found. `result_is_signed` tells how to interpret
/// the result if it is an int.
std::optional<Widened> WidenedForm(spv::Op op, bool result_is_signed);

/// The numbers for a formula, from the literal values of y, z and w. Nullopt if the form requires
/// other values.
std::optional<std::array<uint64_t, 3>> NumbersFor(
    Literals literals, std::span<const std::optional<uint64_t>, 4> values, uint32_t width);

}  // namespace transform
}  // namespace refract
