// SPDX-License-Identifier: Apache-2.0
// Calls, instructions of extended sets, and instructions without an op.
#include "interp/decode/opcode_table.h"
#include "interp/ops/ops.h"
#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"

namespace refract {
inline namespace interp {
namespace {

Status DecodeNothing(Decoder&, const Operation&) {
  return {};
}

Status DecodeCall(Decoder& decoder, const Operation& operation) {
  const Function callee = decoder.module.FunctionOfId(operation.IdAt(0));
  const auto found = decoder.functions.find(callee);
  if (found == decoder.functions.end()) {
    return decoder.Cannot(operation.inst, "the called function has no body");
  }
  Op op = decoder.writer.MakeOp(operation.inst, CallFunction);
  op.a = found->second;
  std::vector<uint32_t> arguments;
  for (uint32_t i = 1; i < operation.operand_count; ++i) {
    const Result<uint32_t> row = decoder.writer.OperandRow(operation, i);
    if (!row) return row.error();
    arguments.push_back(*row);
  }
  op.list = decoder.writer.AddWords(arguments);
  const TypeInfo* type = nullptr;
  if (Status status = decoder.writer.ResultRows(operation, &op.result, &type); !status) {
    return status;
  }
  decoder.writer.Emit(op);
  return {};
}

Status DecodeExtInst(Decoder& decoder, const Operation& operation) {
  if (IsDebugInstruction(decoder.module, operation.inst)) return {};
  if (ExtInstSetOf(decoder.module, operation.inst) != ExtInstSet::kGlsl) {
    return decoder.Cannot(operation.inst, "only the instruction set GLSL.std.450 is supported");
  }
  Operation arguments = operation;
  arguments.first_operand += 2;
  arguments.operand_count -= 2;
  return DecodeGlsl(decoder, arguments, operation.WordAt(1));
}

}  // namespace

std::span<const OpcodeRow> CallOpcodes() {
  using enum spv::Op;
  static constexpr OpcodeRow kRows[] = {
      {OpLabel, DecodeNothing},
      {OpVariable, DecodeNothing},  // initialised where the function begins
      {OpPhi, DecodeNothing},       // done on the edges
      {OpSelectionMerge, DecodeNothing},
      {OpLoopMerge, DecodeNothing},
      {OpLine, DecodeNothing},
      {OpNoLine, DecodeNothing},
      {OpNop, DecodeNothing},
      {OpFunctionCall, DecodeCall},
      {OpExtInst, DecodeExtInst},
  };
  return kRows;
}

}  // namespace interp
}  // namespace refract
