// SPDX-License-Identifier: Apache-2.0
// Expressions that equal a float in real arithmetic, but not always bit for bit
// (docs/float-identities.md). Their formulas have x, the value, and y, any other value of its type.
#pragma once

#include <optional>
#include <span>

#include "message/replace_float_with_identity.h"
#include "rules/build/formula.h"

namespace refract {
inline namespace transform {

/// One row of the table of identities.
struct FloatIdentity {
  /// What a row needs in addition to x.
  enum Need : uint8_t {
    kNothing = 0,
    kOther = 1,          ///< the value y
    kLowest = 2,         ///< a number that x is never below, as Term::kA
    kHighest = 4,        ///< a number that x is never above, as Term::kB
    kScalar = 8,         ///< x is no vector
    kAbsolute = 16,      ///< x is the result of FAbs
    kNoContraction = 32  ///< in another order the sum would be rounded: NoContraction, always
  };
  message::ReplaceFloatWithIdentity::Form form;
  uint8_t needs;
  FormulaOp steps[4];
};

/// All rows, in the order of their forms.
std::span<const FloatIdentity> FloatIdentities();
/// The row of this form; nullptr if the form has an unknown value.
const FloatIdentity* FindFloatIdentity(message::ReplaceFloatWithIdentity::Form form);

/// The bits of 2^exponent as a float of 16, 32 or 64 bits that is a normal number.
uint64_t PowerOfTwo(uint32_t width, int exponent);

/// Numbers between which all components of a value certainly are, as bits of its float type.
struct FloatBounds {
  std::optional<uint64_t> lowest, highest;
};
/// The bounds that follow from the instruction that computes `value`, a float or a vector of
/// floats: abs, clamp, min and max with constants, sine, cosine, fract, step, smoothstep.
FloatBounds BoundsOf(const View& view, Id value);

}  // namespace transform
}  // namespace refract
