// SPDX-License-Identifier: Apache-2.0
// Constants are rows with the same word for every invocation. Operations on specialisation
// constants run at decode time, with the same handlers as other instructions.
#include "base/text.h"
#include "interp/decode/decode.h"
#include "interp/ops/ops_memory.h"
#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {

Status Decoder::DecodeDeclaration(Inst inst) {
  const spv::Op opcode = module_.Opcode(inst);
  if (IsConstant(opcode) || opcode == spv::Op::OpUndef) return DecodeConstant(inst);
  if (opcode == spv::Op::OpVariable) return DecodeVariable(inst);
  return {};  // types are decoded at their first use
}

// The value that the inputs give to a specialisation constant; nullopt if not found.
std::optional<uint64_t> Decoder::Specialised(Id constant) const {
  const Inst decoration = FindDecoration(module_, constant, spv::Decoration::SpecId);
  if (decoration == Inst::kNone) return std::nullopt;
  for (const BoundConstant& bound : code_->bindings.constants) {
    if (bound.id == module_.Word(decoration, 2)) return bound.bits;
  }
  return std::nullopt;
}

Status Decoder::DecodeConstant(Inst inst) {
  const Id id = module_.Result(inst);
  const TypeInfo* type = nullptr;
  // The module may have types that no supported shader has values of (events, pipes, ...).
  if (Status status = TypeOf(module_.Type(inst), &type); !status) return {};
  const spv::Op opcode = module_.Opcode(inst);
  if (type->rows > kMostRows) {
    // Such a constant can only initialise a variable.
    if (opcode == spv::Op::OpConstantNull) huge_nulls_.push_back(id);
    return {};
  }
  if (opcode == spv::Op::OpSpecConstantOp) return DecodeSpecOp(inst);
  const uint32_t row = NewRows(type->rows);
  rows_[Index(id)] = row + 1;
  const uint32_t operands = module_.OperandCount(inst);
  switch (opcode) {
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
    case spv::Op::OpSpecConstantTrue:
    case spv::Op::OpSpecConstantFalse: {
      const bool given = opcode == spv::Op::OpConstantTrue || opcode == spv::Op::OpSpecConstantTrue;
      SetConstant(row, Specialised(id).value_or(given ? 1 : 0) != 0 ? 1 : 0);
      RandomiseConstant(inst, row, *type);
      return {};
    }
    case spv::Op::OpConstant:
    case spv::Op::OpSpecConstant: {
      uint64_t bits = module_.Word(inst, 0);
      if (operands > 1) bits |= uint64_t{module_.Word(inst, 1)} << 32;
      bits = Specialised(id).value_or(bits);
      const uint32_t width = WidthOf(type->scalar);
      if (width < 64) bits &= (uint64_t{1} << width) - 1;
      SetConstant(row, static_cast<uint32_t>(bits));
      if (type->rows == 2) SetConstant(row + 1, static_cast<uint32_t>(bits >> 32));
      RandomiseConstant(inst, row, *type);
      return {};
    }
    case spv::Op::OpConstantComposite:
    case spv::Op::OpSpecConstantComposite: {
      uint32_t to = row;
      for (uint32_t i = 0; i < operands; ++i) {
        const TypeInfo* part = nullptr;
        const Id constituent = module_.IdAt(inst, i);
        if (Status status = TypeOf(module_.TypeOf(constituent), &part); !status) return status;
        const Result<uint32_t> from = RowOf(inst, constituent);
        if (!from) return from.error();
        CopyConstant(to, *from, static_cast<uint32_t>(part->rows));
        to += static_cast<uint32_t>(part->rows);
      }
      return {};
    }
    case spv::Op::OpConstantNull:
      for (uint32_t i = 0; i < type->rows; ++i) {
        SetConstant(row + i, type->opcode == spv::Op::OpTypePointer ? kNullPointer : 0);
      }
      return {};
    case spv::Op::OpUndef:
      for (uint32_t i = 0; i < type->rows; ++i) SetConstant(row + i, 0, kUndefinedBit);
      return {};
    default:
      return Cannot(inst, "constants of this kind are not supported");
  }
}

void Decoder::CopyConstant(uint32_t to, uint32_t from, uint32_t rows) {
  Machine& machine = ConstantsMachine();
  for (uint32_t i = 0; i < rows; ++i) {
    SetConstant(to + i, machine.Row(from + i)[0], machine.ShadowOf(from + i, 0));
  }
}

// A machine whose rows hold the constants that have been decoded.
Machine& Decoder::ConstantsMachine() {
  if (!constants_machine_) {
    constants_machine_ = std::make_unique<Machine>(*code_, 4, constants_options_);
  }
  constants_machine_->Reserve(code_->rows);
  constants_machine_->SetConstants();
  return *constants_machine_;
}

std::optional<uint64_t> Decoder::ConstantBits(Id constant) {
  if (rows_[Index(constant)] == 0 || !IsConstant(module_.OpcodeOf(constant))) return std::nullopt;
  const TypeInfo* type = nullptr;
  if (Status status = TypeOf(module_.TypeOf(constant), &type); !status) return std::nullopt;
  Machine& machine = ConstantsMachine();
  const uint32_t row = rows_[Index(constant)] - 1;
  if (machine.ShadowOf(row, 0) != 0) return std::nullopt;
  return machine.Get(row, type->scalar, 0);
}

// Its operands are an opcode and the operands of that opcode. It is decoded like that instruction
// and executed immediately.
Status Decoder::DecodeSpecOp(Inst inst) {
  std::vector<Op> ops;
  std::vector<Op>* const outer = ops_;
  ops_ = &ops;
  Status status = DecodeValue(inst);
  ops_ = outer;
  if (!status) return status;
  Machine& machine = ConstantsMachine();
  machine.RunConstantOps(ops);
  if (machine.stopped()) return Cannot(inst, machine.trap()->message);
  const TypeInfo* type = nullptr;
  if (status = TypeOf(module_.Type(inst), &type); !status) return status;
  const uint32_t row = rows_[Index(module_.Result(inst))] - 1;
  for (uint32_t i = 0; i < type->rows; ++i) {
    SetConstant(row + i, machine.Row(row + i)[0], machine.ShadowOf(row + i, 0));
  }
  return {};
}

}  // namespace interp
}  // namespace refract
