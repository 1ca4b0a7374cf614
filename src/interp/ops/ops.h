// SPDX-License-Identifier: Apache-2.0
// Finds the handler of an instruction. Each function returns nullptr for an instruction that is not
// in its group. Private to this library.
#pragma once

#include <spirv/unified1/spirv.hpp11>

#include "interp/code.h"

namespace refract {
inline namespace interp {

/// The types of the operands and of the result. They differ only for conversions.
struct OpKey {
  spv::Op opcode = spv::Op::OpNop;
  Scalar operand = Scalar::kInt32;
  Scalar result = Scalar::kInt32;
};

/// Arithmetic, bit operations, comparisons and conversions of integers and booleans: a, b, c and d
/// are the first rows of the operands, `count` is the number of components. OpSelect: a is the
/// condition (one component if `flags` has kScalarCondition).
Handler IntegerHandler(const OpKey& key);
Handler LogicalHandler(const OpKey& key);
/// Instructions with two results, whose rows follow each other: OpIAddCarry and so on.
Handler ExtendedHandler(const OpKey& key);
/// The same for floats.
Handler FloatHandler(const OpKey& key);
/// Instructions of GLSL.std.450 by number; `key.opcode` is ignored.
Handler GlslHandler(uint32_t number, const OpKey& key);

constexpr uint8_t kScalarCondition = 8;

// Handlers that the decoder uses by name.
void CopyRows(Machine& machine, const Op& op);       ///< `count` rows from a
void MakeUndefined(Machine& machine, const Op& op);  ///< `count` rows
void ZeroRows(Machine& machine, const Op& op);       ///< `count` rows
/// Converts `b` components of type Scalar c in row a to `count` components of `scalar`.
void BitcastRows(Machine& machine, const Op& op);
void SelectRows(Machine& machine, const Op& op);  ///< `count` rows: a (one row) ? b : c
/// Marks values that do not fit into 16 bits as approximate.
void RelaxIntegers(Machine& machine, const Op& op);
void GatherMoves(Machine& machine, const Op& op);  ///< words[list...]: the `count` rows to copy
/// a: the rows of the vector; b: the index; `d`: number of components.
void ExtractDynamic(Machine& machine, const Op& op);
void InsertDynamic(Machine& machine, const Op& op);  ///< a: vector, b: component, c: index
/// True if Machine::SetBuiltIns supports the built-in.
bool IsKnownBuiltIn(spv::BuiltIn built_in);
void CallFunction(Machine& machine, const Op& op);

}  // namespace interp
}  // namespace refract
