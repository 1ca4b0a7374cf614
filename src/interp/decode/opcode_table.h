// SPDX-License-Identifier: Apache-2.0
// The functions that decode instructions, by opcode. Private to this library.
#pragma once

#include <span>

#include "interp/decode/decoder.h"
#include "interp/decode/operation.h"

namespace refract {
inline namespace interp {

using DecodeFunction = Status (*)(Decoder& decoder, const Operation& operation);

struct OpcodeRow {
  spv::Op opcode = spv::Op::OpNop;
  DecodeFunction decode = nullptr;
};

/// Decodes an instruction of a block, except for terminators.
Status DecodeInstruction(Decoder& decoder, Inst inst);
/// Decodes the operation of an OpSpecConstantOp.
Status DecodeConstantOperation(Decoder& decoder, Inst inst);
/// The error for an instruction that no table has.
Status DecodeUnsupported(Decoder& decoder, const Operation& operation);

// The rows of each file. Operations on values may be in an OpSpecConstantOp; the others may not.
std::span<const OpcodeRow> ArithmeticOpcodes();  ///< on values
std::span<const OpcodeRow> CompositeOpcodes();   ///< on values
std::span<const OpcodeRow> LinearOpcodes();      ///< on values
std::span<const OpcodeRow> AtomicOpcodes();
std::span<const OpcodeRow> CallOpcodes();
std::span<const OpcodeRow> CollectiveOpcodes();
std::span<const OpcodeRow> ImageOpcodes();
std::span<const OpcodeRow> MemoryOpcodes();
std::span<const OpcodeRow> SubgroupOpcodes();

/// The instruction `number` of GLSL.std.450. The operands are those after the number.
Status DecodeGlsl(Decoder& decoder, const Operation& operation, uint32_t number);
/// OpBitcast, and instructions of GLSL.std.450 with the same effect.
Status DecodeBitcast(Decoder& decoder, const Operation& operation);

}  // namespace interp
}  // namespace refract
