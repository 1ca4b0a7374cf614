// SPDX-License-Identifier: Apache-2.0
// Which handler runs an instruction. Each family returns nullptr for what is not its own. Inside
// this room only.
#pragma once

#include <spirv/unified1/spirv.hpp11>

#include "interp/code.h"

namespace refract::inline interp {

/// `scalar` is that of the operands (of conversions: of the operand; the result's in `result`).
struct OpKey {
  spv::Op opcode = spv::Op::OpNop;
  Scalar operand = Scalar::kInt32;
  Scalar result = Scalar::kInt32;
};

/// Arithmetic, bits, comparisons and conversions of integers and booleans: a, b, c and d are the
/// operands' first rows, `count` the number of components. OpSelect: a the condition (of one
/// component where `flags` has kScalarCondition).
Handler IntegerHandler(const OpKey& key);
Handler LogicalHandler(const OpKey& key);
/// Two results, one row group after the other: OpIAddCarry and the like.
Handler ExtendedHandler(const OpKey& key);
/// The same of floats.
Handler FloatHandler(const OpKey& key);
/// Instructions of GLSL.std.450 by number; `key.opcode` does not count.
Handler GlslHandler(uint32_t number, const OpKey& key);

constexpr uint8_t kScalarCondition = 8;

// Handlers that the decoder names itself.
void CopyRows(Machine& machine, const Op& op);       ///< `count` rows from a
void MakeUndefined(Machine& machine, const Op& op);  ///< `count` rows
void ZeroRows(Machine& machine, const Op& op);       ///< `count` rows
/// a: `b` components of Scalar c as `count` components of `scalar`.
void BitcastRows(Machine& machine, const Op& op);
void SelectRows(Machine& machine, const Op& op);     ///< `count` rows: a (one row) ? b : c
void RelaxIntegers(Machine& machine, const Op& op);  ///< what does not fit 16 bits: approximate
void GatherMoves(Machine& machine, const Op& op);    ///< words[list...]: `count` rows to copy
/// a: the vector's rows, b: the index; `d`: number of components.
void ExtractDynamic(Machine& machine, const Op& op);
void InsertDynamic(Machine& machine, const Op& op);  ///< a: vector, b: component, c: index
/// Whether Machine::SetBuiltIns knows it.
bool IsKnownBuiltIn(spv::BuiltIn built_in);
void CallFunction(Machine& machine, const Op& op);

}  // namespace refract::inline interp
