// SPDX-License-Identifier: Apache-2.0
// Constants are rows with the same word for every invocation. Operations on specialisation
// constants run at decode time, with the same handlers as other instructions.
#include "interp/decode/opcode_table.h"
#include "interp/ops/ops_memory.h"
#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {
namespace {

// The value that the inputs give to a specialisation constant; nullopt if not found.
std::optional<uint64_t> SpecialisedValue(const Decoder& decoder, Id constant) {
  const Inst decoration = FindDecoration(decoder.module, constant, spv::Decoration::SpecId);
  if (decoration == Inst::kNone) return std::nullopt;
  for (const BoundConstant& bound : decoder.code.bindings.constants) {
    if (bound.id == decoder.module.Word(decoration, 2)) return bound.bits;
  }
  return std::nullopt;
}

// Its operands are an opcode and the operands of that opcode. It is decoded like that instruction
// and executed immediately.
Status DecodeSpecOp(Decoder& decoder, Inst inst) {
  std::vector<Op> ops;
  std::vector<Op>* const outer = decoder.writer.EmitTo(&ops);
  Status status = DecodeConstantOperation(decoder, inst);
  decoder.writer.EmitTo(outer);
  if (!status) return status;
  Machine& machine = decoder.constants.machine();
  machine.RunConstantOps(ops);
  if (machine.stopped()) return decoder.Cannot(inst, machine.trap()->message);
  const TypeInfo* type = nullptr;
  if (status = decoder.types.TypeOf(decoder.module.Type(inst), &type); !status) return status;
  const uint32_t row = decoder.rows.At(decoder.module.Result(inst));
  for (uint32_t i = 0; i < type->rows; ++i) {
    decoder.constants.Set(row + i, machine.Row(row + i)[0], machine.ShadowOf(row + i, 0));
  }
  return {};
}

}  // namespace

Status DecodeConstant(Decoder& decoder, Inst inst) {
  const Id id = decoder.module.Result(inst);
  const TypeInfo* type = nullptr;
  // The module may have types that no supported shader has values of (events, pipes, ...).
  if (Status status = decoder.types.TypeOf(decoder.module.Type(inst), &type); !status) return {};
  const spv::Op opcode = decoder.module.Opcode(inst);
  if (type->rows > kMaxValueRows) {
    // Such a constant can only initialise a variable.
    if (opcode == spv::Op::OpConstantNull) decoder.constants.AddLargeNull(id);
    return {};
  }
  if (opcode == spv::Op::OpSpecConstantOp) return DecodeSpecOp(decoder, inst);
  const uint32_t row = decoder.rows.Allocate(type->rows);
  decoder.rows.Set(id, row);
  const uint32_t operands = decoder.module.OperandCount(inst);
  switch (opcode) {
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
    case spv::Op::OpSpecConstantTrue:
    case spv::Op::OpSpecConstantFalse: {
      const bool given = opcode == spv::Op::OpConstantTrue || opcode == spv::Op::OpSpecConstantTrue;
      decoder.constants.Set(row,
                            SpecialisedValue(decoder, id).value_or(given ? 1 : 0) != 0 ? 1 : 0);
      RandomiseConstant(decoder, inst, row, *type);
      return {};
    }
    case spv::Op::OpConstant:
    case spv::Op::OpSpecConstant: {
      uint64_t bits = decoder.module.Word(inst, 0);
      if (operands > 1) bits |= uint64_t{decoder.module.Word(inst, 1)} << 32;
      bits = SpecialisedValue(decoder, id).value_or(bits);
      const uint32_t width = WidthOf(type->scalar);
      if (width < 64) bits &= (uint64_t{1} << width) - 1;
      decoder.constants.Set(row, static_cast<uint32_t>(bits));
      if (type->rows == 2) decoder.constants.Set(row + 1, static_cast<uint32_t>(bits >> 32));
      RandomiseConstant(decoder, inst, row, *type);
      return {};
    }
    case spv::Op::OpConstantComposite:
    case spv::Op::OpSpecConstantComposite: {
      uint32_t to = row;
      for (uint32_t i = 0; i < operands; ++i) {
        const TypeInfo* part = nullptr;
        const Id constituent = decoder.module.IdAt(inst, i);
        if (Status status = decoder.types.TypeOf(decoder.module.TypeOf(constituent), &part);
            !status)
          return status;
        const Result<uint32_t> from = decoder.writer.RowOf(inst, constituent);
        if (!from) return from.error();
        decoder.constants.Copy(to, *from, static_cast<uint32_t>(part->rows));
        to += static_cast<uint32_t>(part->rows);
      }
      return {};
    }
    case spv::Op::OpConstantNull:
      for (uint32_t i = 0; i < type->rows; ++i) {
        decoder.constants.Set(row + i, type->scalar == Scalar::kPointer ? kNullPointer : 0);
      }
      return {};
    case spv::Op::OpUndef:
      for (uint32_t i = 0; i < type->rows; ++i) decoder.constants.Set(row + i, 0, kUndefinedBit);
      return {};
    default:
      return decoder.Cannot(inst, "constants of this kind are not supported");
  }
}

}  // namespace interp
}  // namespace refract
