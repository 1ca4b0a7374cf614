// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "interp/decode/decode.h"
#include "interp/describe.h"
#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {

Decoder::Form Decoder::FormOf(Inst inst) const {
  const uint32_t operands = module_.OperandCount(inst);
  if (module_.Opcode(inst) != spv::Op::OpSpecConstantOp) {
    return {inst, module_.Opcode(inst), 0, operands};
  }
  return {inst, static_cast<spv::Op>(module_.Word(inst, 0)), 1, operands - 1};
}

Op Decoder::MakeOp(Inst inst, Handler handler) const {
  Op op;
  op.run = handler;
  op.instruction = inst;
  if (const Id result = module_.Result(inst); result != Id::kNone) {
    const Inst first = Inst::kNone;
    if (FindDecoration(module_, result, spv::Decoration::NoContraction) != first) {
      op.flags |= kNoContraction;
    }
    if (FindDecoration(module_, result, spv::Decoration::RelaxedPrecision) != first) {
      op.flags |= kRelaxed;
    }
  }
  return op;
}

Result<uint32_t> Decoder::RowOf(Inst user, Id value) {
  if (const uint32_t row = rows_[Index(value)]; row != 0) return row - 1;
  const Inst definition = module_.Definition(value);
  const TypeInfo* type = nullptr;
  if (Status status = ValueType(definition, module_.Type(definition), &type); !status) {
    return status.error();
  }
  if (type->opcode == spv::Op::OpTypePointer) return PointerRows(user, value);
  if (module_.FunctionOf(definition) == Function::kNone) {
    return Cannot(definition, "it is not a value of a shader");
  }
  const uint32_t row = NewRows(type->rows);
  rows_[Index(value)] = row + 1;
  return row;
}

Status Decoder::ResultRows(const Form& form, uint32_t* row, const TypeInfo** type) {
  if (Status status = ValueType(form.inst, module_.Type(form.inst), type); !status) return status;
  const Id result = module_.Result(form.inst);
  if (rows_[Index(result)] == 0) rows_[Index(result)] = NewRows((*type)->rows) + 1;
  *row = rows_[Index(result)] - 1;
  return {};
}

Result<const TypeInfo*> Decoder::OperandType(const Form& form, uint32_t index) {
  const TypeInfo* type = nullptr;
  Status status = ValueType(form.inst, module_.TypeOf(OperandId(form, index)), &type);
  if (!status) return status.error();
  return type;
}

Status Decoder::DecodeInstruction(Inst inst) {
  const Form form = FormOf(inst);
  switch (form.opcode) {
    case spv::Op::OpLabel:
    case spv::Op::OpVariable:  // initialised where the function begins
    case spv::Op::OpPhi:       // done on the edges
    case spv::Op::OpSelectionMerge:
    case spv::Op::OpLoopMerge:
    case spv::Op::OpLine:
    case spv::Op::OpNoLine:
    case spv::Op::OpNop:
      return {};
    case spv::Op::OpFunctionCall:
      return DecodeCall(inst);
    case spv::Op::OpExtInst:
      return DecodeExtInst(inst);
    default:
      break;
  }
  bool done = false;
  if (Status status = DecodeMemory(form, &done); !status || done) return status;
  if (Status status = DecodeAtomic(form, &done); !status || done) return status;
  if (Status status = DecodeCollective(form, &done); !status || done) return status;
  if (Status status = DecodeImage(form, &done); !status || done) return status;
  return DecodeValue(inst);
}

Status Decoder::DecodeValue(Inst inst) {
  const Form form = FormOf(inst);
  bool done = false;
  if (Status status = DecodeComposite(form, &done); !status || done) return status;
  if (Status status = DecodeLinear(form, &done); !status || done) return status;
  if (Status status = DecodeArithmetic(form, &done); !status || done) return status;
  return Cannot(inst, "this instruction is not supported");
}

// The operands have as many components as the result; their rows go to a, b, c and d.
Status Decoder::EmitPlain(const Form& form, Handler handler) {
  Op op = MakeOp(form.inst, handler);
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(form, &op.result, &type); !status) return status;
  uint32_t* const operands[] = {&op.a, &op.b, &op.c, &op.d};
  for (uint32_t i = 0; i < form.operands && i < 4; ++i) {
    const Result<uint32_t> row = RowOf(form.inst, OperandId(form, i));
    if (!row) return row.error();
    *operands[i] = *row;
  }
  op.count = type->opcode == spv::Op::OpTypeVector ? type->parts : 1;
  op.scalar = type->scalar;
  Emit(op);
  Relax(form.inst, op.result, *type);
  return {};
}

// Integers with reduced precision may have only 16 bits (SPIR-V 2.15).
void Decoder::Relax(Inst inst, uint32_t row, const TypeInfo& type) {
  if (type.scalar != Scalar::kInt32 && type.scalar != Scalar::kInt64) return;
  Op op = MakeOp(inst, RelaxIntegers);
  if ((op.flags & kRelaxed) == 0) return;
  op.result = row;
  op.scalar = type.scalar;
  op.count = type.opcode == spv::Op::OpTypeVector ? type.parts : 1;
  if (type.is_signed) op.flags |= kSigned;
  Emit(op);
}

Status Decoder::DecodeArithmetic(const Form& form, bool* done) {
  *done = true;
  if (form.opcode == spv::Op::OpSelect) return DecodeSelect(form);
  if (form.opcode == spv::Op::OpBitcast) return DecodeBitcast(form);
  if (form.operands == 0) {
    *done = false;
    return {};
  }
  const Result<const TypeInfo*> operand = OperandType(form, 0);
  if (!operand) return operand.error();
  const TypeInfo* result = nullptr;
  if (Status status = ValueType(form.inst, module_.Type(form.inst), &result); !status) {
    return status;
  }
  const OpKey key{form.opcode, (*operand)->scalar, result->scalar};
  if (const Handler handler = ExtendedHandler(key)) return DecodeExtended(form, handler);
  if (const Handler handler = LogicalHandler(key)) {
    if (form.opcode != spv::Op::OpAny && form.opcode != spv::Op::OpAll) {
      return EmitPlain(form, handler);
    }
    const Result<uint32_t> row = RowOf(form.inst, OperandId(form, 0));
    if (!row) return row.error();
    Op op = MakeOp(form.inst, handler);
    const TypeInfo* type = nullptr;
    if (Status status = ResultRows(form, &op.result, &type); !status) return status;
    op.a = *row;
    op.count = (*operand)->parts;
    Emit(op);
    return {};
  }
  if (const Handler handler = IntegerHandler(key)) {
    switch (form.opcode) {
      case spv::Op::OpBitFieldInsert:
      case spv::Op::OpBitFieldSExtract:
      case spv::Op::OpBitFieldUExtract:
        return DecodeBitField(form, handler);
      case spv::Op::OpShiftLeftLogical:
      case spv::Op::OpShiftRightLogical:
      case spv::Op::OpShiftRightArithmetic: {
        if (Status status = EmitPlain(form, handler); !status) return status;
        const Result<const TypeInfo*> shift = OperandType(form, 1);
        if (!shift) return shift.error();
        EmittedOp().d = static_cast<uint32_t>((*shift)->scalar);
        return {};
      }
      default:
        return EmitPlain(form, handler);
    }
  }
  if (const Handler handler = FloatHandler(key)) {
    if (Status status = EmitPlain(form, handler); !status) return status;
    // Comparisons and conversions also need the type of their operand.
    if (form.operands == 1 || result->scalar == Scalar::kBool) {
      EmittedOp().d = static_cast<uint32_t>((*operand)->scalar);
    }
    return {};
  }
  *done = false;
  return {};
}

// The op that was just emitted; a RelaxIntegers op may follow it.
Op& Decoder::EmittedOp() {
  Op& last = ops_->back();
  return last.run == RelaxIntegers ? (*ops_)[ops_->size() - 2] : last;
}

Status Decoder::DecodeBitField(const Form& form, Handler handler) {
  const uint32_t first = form.opcode == spv::Op::OpBitFieldInsert ? 2 : 1;
  std::vector<uint32_t> words;
  for (uint32_t i = first; i < first + 2; ++i) {
    const Result<uint32_t> row = RowOf(form.inst, OperandId(form, i));
    if (!row) return row.error();
    const Result<const TypeInfo*> type = OperandType(form, i);
    if (!type) return type.error();
    words.push_back(*row);
    words.push_back(static_cast<uint32_t>((*type)->scalar));
  }
  Form operands = form;
  operands.operands = first;
  const size_t place = ops_->size();
  if (Status status = EmitPlain(operands, handler); !status) return status;
  (*ops_)[place].list = AddWords(words);
  return {};
}

Status Decoder::DecodeExtended(const Form& form, Handler handler) {
  const Result<const TypeInfo*> operand = OperandType(form, 0);
  if (!operand) return operand.error();
  const size_t place = ops_->size();
  if (Status status = EmitPlain(form, handler); !status) return status;
  Op& op = (*ops_)[place];
  op.count = (*operand)->parts;
  op.scalar = (*operand)->scalar;
  op.c = op.result + static_cast<uint32_t>((*operand)->rows);
  return {};
}

Status Decoder::DecodeSelect(const Form& form) {
  const Result<const TypeInfo*> condition = OperandType(form, 0);
  if (!condition) return condition.error();
  if (Status status = EmitPlain(form, SelectRows); !status) return status;
  Op op = ops_->back();
  if (op.run == RelaxIntegers) ops_->pop_back();
  op = ops_->back();
  const TypeInfo* type = nullptr;
  if (Status status = ValueType(form.inst, module_.Type(form.inst), &type); !status) return status;
  if ((*condition)->opcode != spv::Op::OpTypeVector) {
    ops_->back().count = static_cast<uint32_t>(type->rows);
    return {};
  }
  ops_->pop_back();
  op.count = RowsOf(type->scalar);
  for (uint32_t i = 0; i < (*condition)->parts; ++i) {
    Emit(op);
    ++op.a;
    op.b += op.count;
    op.c += op.count;
    op.result += op.count;
  }
  return {};
}

Status Decoder::DecodeBitcast(const Form& form) {
  const Result<const TypeInfo*> from = OperandType(form, 0);
  if (!from) return from.error();
  if ((*from)->opcode == spv::Op::OpTypePointer) {
    return Cannot(form.inst, "casts of pointers are not supported");
  }
  if (Status status = EmitPlain(form, BitcastRows); !status) return status;
  const TypeInfo* to = nullptr;
  if (Status status = ValueType(form.inst, module_.Type(form.inst), &to); !status) return status;
  if (ops_->back().run == RelaxIntegers) ops_->pop_back();
  Op& op = ops_->back();
  op.b = (*from)->parts;
  op.c = static_cast<uint32_t>((*from)->scalar);
  op.count = to->parts;
  op.scalar = to->scalar;
  return {};
}

Status Decoder::DecodeCall(Inst inst) {
  const Form form = FormOf(inst);
  const Function callee = module_.FunctionOfId(OperandId(form, 0));
  const auto found = functions_.find(callee);
  if (found == functions_.end()) return Cannot(inst, "the called function has no body");
  Op op = MakeOp(inst, CallFunction);
  op.a = found->second;
  std::vector<uint32_t> arguments;
  for (uint32_t i = 1; i < form.operands; ++i) {
    const Result<uint32_t> row = RowOf(inst, OperandId(form, i));
    if (!row) return row.error();
    arguments.push_back(*row);
  }
  op.list = AddWords(arguments);
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(form, &op.result, &type); !status) return status;
  Emit(op);
  return {};
}

Status Decoder::DecodeExtInst(Inst inst) {
  if (IsDebugInstruction(module_, inst)) return {};
  if (ExtInstSetOf(module_, inst) != ExtInstSet::kGlsl) {
    return Cannot(inst, "only the instruction set GLSL.std.450 is supported");
  }
  Form form = FormOf(inst);
  form.first = 2;
  form.operands -= 2;
  return DecodeGlsl(form, module_.Word(inst, 1));
}

}  // namespace interp
}  // namespace refract
