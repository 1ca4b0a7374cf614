// SPDX-License-Identifier: Apache-2.0
#include "interp/decode/opcode_table.h"

#include "base/check.h"

namespace refract {
inline namespace interp {
namespace {

// The functions of some tables, indexed by opcode.
class OpcodeTable {
 public:
  explicit OpcodeTable(std::initializer_list<std::span<const OpcodeRow>> tables) {
    for (const std::span<const OpcodeRow> table : tables) {
      for (const OpcodeRow& row : table) {
        const size_t index = static_cast<size_t>(row.opcode);
        if (index >= functions_.size()) functions_.resize(index + 1, DecodeUnsupported);
        CHECK(functions_[index] == DecodeUnsupported);
        functions_[index] = row.decode;
      }
    }
  }

  Status Decode(Decoder& decoder, const Operation& operation) const {
    const size_t index = static_cast<size_t>(operation.opcode);
    if (index >= functions_.size()) return DecodeUnsupported(decoder, operation);
    return functions_[index](decoder, operation);
  }

 private:
  std::vector<DecodeFunction> functions_;
};

}  // namespace

Operation OperationOf(const Module& module, Inst inst) {
  const spv::Op opcode = module.Opcode(inst);
  const uint32_t operands = module.OperandCount(inst);
  if (opcode != spv::Op::OpSpecConstantOp) return {&module, inst, opcode, 0, operands};
  return {&module, inst, static_cast<spv::Op>(module.Word(inst, 0)), 1, operands - 1};
}

Status DecodeInstruction(Decoder& decoder, Inst inst) {
  static const OpcodeTable kTable({ArithmeticOpcodes(), CompositeOpcodes(), LinearOpcodes(),
                                   AtomicOpcodes(), CallOpcodes(), CollectiveOpcodes(),
                                   ImageOpcodes(), MemoryOpcodes(), SubgroupOpcodes()});
  return kTable.Decode(decoder, OperationOf(decoder.module, inst));
}

Status DecodeConstantOperation(Decoder& decoder, Inst inst) {
  static const OpcodeTable kTable({ArithmeticOpcodes(), CompositeOpcodes(), LinearOpcodes()});
  return kTable.Decode(decoder, OperationOf(decoder.module, inst));
}

Status DecodeUnsupported(Decoder& decoder, const Operation& operation) {
  // A type that is not supported is the better reason.
  if (operation.operand_count != 0) {
    const Result<const TypeInfo*> operand = decoder.writer.OperandType(operation, 0);
    if (!operand) return operand.error();
    const Result<const TypeInfo*> result = decoder.writer.ResultType(operation);
    if (!result) return result.error();
  }
  return decoder.Cannot(operation.inst, "this instruction is not supported");
}

}  // namespace interp
}  // namespace refract
