// SPDX-License-Identifier: Apache-2.0
// Formulas: short sequences of operations that compute a wanted value from existing values. The
// transformations that use integer and boolean identities have tables of formulas. The owner of a
// table is responsible for the correctness of its formulas (widths, literals, definedness).
#pragma once

#include <cstdint>
#include <span>

#include "message/values.h"
#include "rules/context_editor.h"

namespace refract {
inline namespace rules {

/// An operand of an operation in a formula.
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
  kA,     ///< from FormulaInputs::numbers
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
enum class FormulaType : uint8_t {
  kResult,  ///< the type of the result of the formula
  kOfX,
  kBool,  ///< booleans, as many as x has components
  kWide,  ///< the type FormulaInputs::wide
};

struct FormulaOp {
  spv::Op op = spv::Op::OpNop;  ///< OpNop: the end of the formula
  Term operands[3] = {};
  FormulaType shape = FormulaType::kResult;
  uint32_t glsl = 0;  ///< for OpExtInst: the number in GLSL.std.450
};

/// An instruction of GLSL.std.450.
constexpr FormulaOp Glsl(uint32_t number, Term a, Term b = Term::kNone, Term c = Term::kNone) {
  return {spv::Op::OpExtInst, {a, b, c}, FormulaType::kResult, number};
}

struct FormulaInputs {
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

/// True if all constants and types of the formula exist or can be declared, and the extended
/// instruction set is imported if it is used. Does not check the operations.
bool IsFormulaPossible(const Module& module, std::span<const FormulaOp> formula,
                       const FormulaInputs& setting);
/// Inserts the operations before `before`; requires IsFormulaPossible. The last one is named
/// `result`; the others are named by `role` and their number. Returns the result.
Id EmitFormula(ContextEditor& editor, Inst before, std::span<const FormulaOp> formula,
               const FormulaInputs& setting, Name result, uint64_t role);

/// The bits of a constant that has the same value in each component. Nullopt for others, for
/// specialization constants and for irrelevant constants.
std::optional<uint64_t> SplatLiteral(const View& view, Id constant);

}  // namespace rules
}  // namespace refract
