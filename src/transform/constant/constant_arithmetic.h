// SPDX-License-Identifier: Apache-2.0
// Operations on constants of integer and boolean type whose result is known to the bit, and how to
// find one that gives a wanted value.
#pragma once

#include <optional>
#include <vector>

#include "message/values.h"
#include "rules/rule.h"

namespace refract::inline transform {

/// One of these operations.
struct ConstantOperation {
  spv::Op op;
  message::Type::Kind kind;  ///< of result and operands
  bool is_unary = false;
};
/// The operation with that opcode; nullptr if it is none.
const ConstantOperation* ConstantOperationOf(uint32_t opcode);

/// The bits of an integer or boolean constant by value, as many as it is wide; nullopt for others.
std::optional<uint64_t> BitsOf(const message::Constant& constant, message::Type::Kind kind);

/// What the operation gives for these operands where the result is of type `result`; nullopt where
/// it does not take them (SPIR-V 3.42.13, 3.42.14) or is undefined. With a unary operation `right`
/// is empty.
std::optional<uint64_t> Evaluate(const ConstantOperation& operation, const message::Type& result,
                                 const message::Constant& left, const message::Constant& right);

/// An operation with its operands.
struct ConstantFormula {
  uint32_t operation = 0;
  message::Constant left, right;
};
/// One that gives `wanted`, if some tries find any; operands from `known` are preferred.
std::optional<ConstantFormula> PickFormula(Proposer& proposer, const message::Constant& wanted,
                                           const std::vector<message::Constant>& known);

}  // namespace refract::inline transform
