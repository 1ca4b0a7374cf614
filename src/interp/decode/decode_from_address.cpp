// SPDX-License-Identifier: Apache-2.0
#include "interp/decode/decode_from_address.h"

#include "interp/ops/ops_address.h"

namespace refract {
inline namespace interp {
namespace {

bool IsInteger(Scalar scalar) {
  return scalar == Scalar::kInt8 || scalar == Scalar::kInt16 || scalar == Scalar::kInt32 ||
         scalar == Scalar::kInt64;
}

// The first operand that must be exact: a divisor, an amount of a shift, the place of bits.
uint32_t FirstFixed(spv::Op opcode) {
  using enum spv::Op;
  switch (opcode) {
    case OpUDiv:
    case OpSDiv:
    case OpUMod:
    case OpShiftLeftLogical:
    case OpShiftRightLogical:
    case OpShiftRightArithmetic:
    case OpBitFieldSExtract:
    case OpBitFieldUExtract:
      return 1;
    case OpBitFieldInsert:
      return 2;
    default:
      return UINT32_MAX;
  }
}

// Whether the result is undefined for other operands than those in `FirstFixed`: for negative ones.
bool NeedsPositive(spv::Op opcode) {
  return opcode == spv::Op::OpSRem || opcode == spv::Op::OpSMod;
}

class FromAddressWriter {
 public:
  FromAddressWriter(Decoder& decoder, const Operation& operation)
      : decoder_(decoder), operation_(operation) {}

  // Returns false if an operand or result is not an integer.
  Result<bool> Run() {
    const uint32_t fixed = FirstFixed(operation_.opcode);
    for (uint32_t i = 0; i < operation_.operand_count; ++i) {
      // The number of a GLSL instruction is no operand (DecodeGlsl).
      const Result<const TypeInfo*> type = decoder_.writer.OperandType(operation_, i);
      if (!type) return type.error();
      const Result<uint32_t> row = decoder_.writer.OperandRow(operation_, i);
      if (!row) return row.error();
      if (!IsInteger((*type)->scalar)) return false;
      firsts_.push_back(static_cast<uint32_t>(code.operands.size()));
      AddParts(*row, **type, &code.operands);
      for (size_t k = firsts_.back(); k < code.operands.size() && i >= fixed; ++k) {
        code.fixed.push_back(static_cast<uint32_t>(k));
      }
    }
    return AddResults();
  }

  FromAddressCode code;

 private:
  static void AddParts(uint32_t row, const TypeInfo& type, std::vector<ScalarRow>* parts) {
    for (uint32_t i = 0; i < type.parts; ++i) {
      parts->push_back({row + i * RowsOf(type.scalar), type.scalar});
    }
  }

  Result<bool> AddResults() {
    const TypeInfo* type = nullptr;
    uint32_t row = 0;
    if (Status status = decoder_.writer.ResultRows(operation_, &row, &type); !status) {
      return status.error();
    }
    const TypeInfo& operand = **decoder_.writer.OperandType(operation_, 0);
    if (type->opcode == spv::Op::OpTypeStruct) {
      // Two results of the type of the operands.
      AddParts(row, operand, &code.results);
      AddParts(row + static_cast<uint32_t>(operand.rows), operand, &code.results);
    } else {
      if (!IsInteger(type->scalar) && type->scalar != Scalar::kBool) return false;
      AddParts(row, *type, &code.results);
    }
    for (uint32_t i = 0; i < code.results.size(); ++i) code.needs.push_back(NeedsOf(i, operand));
    return true;
  }

  // The operands that a result depends on: the components with its number, or the bits in its
  // place.
  std::vector<uint32_t> NeedsOf(uint32_t result, const TypeInfo& operand) const {
    std::vector<uint32_t> needs;
    if (operation_.opcode == spv::Op::OpBitcast) {
      const uint32_t width = WidthOf(code.results[result].scalar), from = WidthOf(operand.scalar);
      for (uint32_t k = 0; k < operand.parts; ++k) {
        const bool meets = k * from < (result + 1) * width && result * width < (k + 1) * from;
        if (meets) needs.push_back(k);
      }
      return needs;
    }
    for (size_t i = 0; i < firsts_.size(); ++i) {
      const size_t end = i + 1 < firsts_.size() ? firsts_[i + 1] : code.operands.size();
      needs.push_back(firsts_[i] + result % static_cast<uint32_t>(end - firsts_[i]));
    }
    return needs;
  }

  Decoder& decoder_;
  const Operation& operation_;
  std::vector<uint32_t> firsts_;  // by operand: its first part in code.operands
};

}  // namespace

Status EmitFromAddress(Decoder& decoder, const Operation& operation) {
  if (!decoder.code.has_addresses || NeedsPositive(operation.opcode)) return {};
  FromAddressWriter writer(decoder, operation);
  const Result<bool> fits = writer.Run();
  if (!fits) return fits.error();
  Op op = decoder.writer.Last();
  if (!*fits || (op.flags & kRelaxed) != 0) return {};
  writer.code.op = op;
  writer.code.opcode = operation.opcode;
  const bool compares = writer.code.results[0].scalar == Scalar::kBool;
  op.run = compares ? CorrectComparison : CorrectFromAddresses;
  op.list = static_cast<uint32_t>(decoder.code.from_addresses.size());
  decoder.code.from_addresses.push_back(std::move(writer.code));
  decoder.writer.Emit(op);
  return {};
}

}  // namespace interp
}  // namespace refract
