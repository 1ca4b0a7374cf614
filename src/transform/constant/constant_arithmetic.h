// SPDX-License-Identifier: Apache-2.0
// Operations on integer and boolean constants whose results are exactly known, and a search for an
// operation that yields a wanted value.
#pragma once

#include <optional>
#include <vector>

#include "message/values.h"
#include "rules/rule.h"

namespace refract {
inline namespace transform {

/// One row of the table of operations.
struct ConstantOperation {
  spv::Op op;
  message::Type::Kind kind;  ///< of the result and the operands
  bool is_unary = false;
};
/// The row for this opcode; nullptr if not found.
const ConstantOperation* ConstantOperationOf(uint32_t opcode);

/// The bits of an integer or boolean constant, as many as its type has. Nullopt for other
/// constants.
std::optional<uint64_t> BitsOf(const message::Constant& constant, message::Type::Kind kind);

/// The result of the operation on these operands, of type `result`. Nullopt if the operand types
/// are not allowed (SPIR-V 3.42.13, 3.42.14) or the result is undefined. For a unary operation,
/// `right` is empty.
std::optional<uint64_t> Evaluate(const ConstantOperation& operation, const message::Type& result,
                                 const message::Constant& left, const message::Constant& right);

/// An operation with its operands.
struct ConstantFormula {
  uint32_t operation = 0;
  message::Constant left, right;
};
/// Picks an operation with operands that yields `wanted`. Operands from `known` are preferred.
/// Nullopt if a few tries find none.
std::optional<ConstantFormula> PickFormula(Proposer& proposer, const message::Constant& wanted,
                                           const std::vector<message::Constant>& known);

}  // namespace transform
}  // namespace refract
