// SPDX-License-Identifier: Apache-2.0
#include "interp/decode/code_writer.h"

#include "interp/ops/ops.h"
#include "interp/ops/ops_memory.h"
#include "ir/decorations.h"

namespace refract {
inline namespace interp {

std::vector<Op>* CodeWriter::EmitTo(std::vector<Op>* ops) {
  return std::exchange(ops_, ops);
}

uint32_t CodeWriter::Append(const std::vector<Op>& ops) {
  const uint32_t first = static_cast<uint32_t>(code_.ops.size());
  code_.ops.insert(code_.ops.end(), ops.begin(), ops.end());
  return first;
}

uint32_t CodeWriter::AddWords(const std::vector<uint32_t>& words) {
  const uint32_t first = static_cast<uint32_t>(code_.words.size());
  code_.words.insert(code_.words.end(), words.begin(), words.end());
  return first;
}

// --- rows and types of operands and results

Result<uint32_t> CodeWriter::RowOf(Inst user, Id value) {
  if (rows_.Has(value)) return rows_.At(value);
  const Inst definition = source_.module.Definition(value);
  const TypeInfo* type = nullptr;
  Status status = types_.ValueType(definition, source_.module.Type(definition), &type);
  if (!status) return status.error();
  if (type->opcode == spv::Op::OpTypePointer) return pointers_.RowOf(user, value);
  if (source_.module.FunctionOf(definition) == Function::kNone) {
    return source_.Cannot(definition, "shaders cannot use this value");
  }
  return rows_.AtOrAllocate(value, type->rows);
}

Result<const TypeInfo*> CodeWriter::OperandType(const Operation& operation, uint32_t index) {
  const TypeInfo* type = nullptr;
  const Id operand = operation.IdAt(index);
  Status status = types_.ValueType(operation.inst, source_.module.TypeOf(operand), &type);
  if (!status) return status.error();
  return type;
}

Result<const TypeInfo*> CodeWriter::ResultType(const Operation& operation) {
  const TypeInfo* type = nullptr;
  Status status = types_.ValueType(operation.inst, source_.module.Type(operation.inst), &type);
  if (!status) return status.error();
  return type;
}

Status CodeWriter::ResultRows(const Operation& operation, uint32_t* row, const TypeInfo** type) {
  const Result<const TypeInfo*> found = ResultType(operation);
  if (!found) return found.error();
  *type = *found;
  *row = rows_.AtOrAllocate(source_.module.Result(operation.inst), (*type)->rows);
  return {};
}

// --- ops

Op CodeWriter::MakeOp(Inst inst, Handler handler) const {
  Op op;
  op.run = handler;
  op.instruction = inst;
  if (const Id result = source_.module.Result(inst); result != Id::kNone) {
    if (FindDecoration(source_.module, result, spv::Decoration::NoContraction) != Inst::kNone) {
      op.flags |= kNoContraction;
    }
    if (FindDecoration(source_.module, result, spv::Decoration::RelaxedPrecision) != Inst::kNone) {
      op.flags |= kRelaxed;
    }
  }
  return op;
}

Status CodeWriter::EmitSimple(const Operation& operation, Handler handler) {
  Op op = MakeOp(operation.inst, handler);
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(operation, &op.result, &type); !status) return status;
  uint32_t* const operands[] = {&op.a, &op.b, &op.c, &op.d};
  for (uint32_t i = 0; i < operation.operand_count && i < 4; ++i) {
    const Result<uint32_t> row = OperandRow(operation, i);
    if (!row) return row.error();
    *operands[i] = *row;
  }
  op.count = type->opcode == spv::Op::OpTypeVector ? type->parts : 1;
  op.scalar = type->scalar;
  Emit(op);
  Relax(operation.inst, op.result, *type);
  return {};
}

// Integers with reduced precision may have only 16 bits (SPIR-V 2.15).
void CodeWriter::Relax(Inst inst, uint32_t row, const TypeInfo& type) {
  if (type.scalar != Scalar::kInt32 && type.scalar != Scalar::kInt64) return;
  Op op = MakeOp(inst, RelaxIntegers);
  if ((op.flags & kRelaxed) == 0) return;
  op.result = row;
  op.scalar = type.scalar;
  op.count = type.opcode == spv::Op::OpTypeVector ? type.parts : 1;
  if (type.is_signed) op.flags |= kSigned;
  Emit(op);
}

Op& CodeWriter::Last() {
  Op& last = ops_->back();
  return last.run == RelaxIntegers ? (*ops_)[ops_->size() - 2] : last;
}

void CodeWriter::DropRelax() {
  if (ops_->back().run == RelaxIntegers) ops_->pop_back();
}

Status CodeWriter::EmitGather(const Operation& operation, const std::vector<uint32_t>& rows) {
  Op op = MakeOp(operation.inst, GatherMoves);
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(operation, &op.result, &type); !status) return status;
  if (rows.size() != type->rows) {
    return source_.Cannot(operation.inst, "the number of its parts does not match its type");
  }
  op.list = AddWords(rows);
  op.count = static_cast<uint32_t>(rows.size());
  Emit(op);
  return {};
}

Status CodeWriter::Alias(const Operation& operation, uint32_t row) {
  const Id result = source_.module.Result(operation.inst);
  if (rows_.CanShare(result)) {
    rows_.Set(result, row);
    return {};
  }
  // Rows that already exist (a phi was decoded before) are filled, and so are rows of audited
  // values, because an audit may overwrite them.
  Op op = MakeOp(operation.inst, CopyRows);
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(operation, &op.result, &type); !status) return status;
  op.a = row;
  op.count = static_cast<uint32_t>(type->rows);
  Emit(op);
  return {};
}

// --- memory

Op CodeWriter::MakePointerOp(Inst inst, Handler handler, const PointerInfo& pointer) const {
  Op op = MakeOp(inst, handler);
  if (pointer.fixed) {
    op.flags |= kFixedPointer;
    op.a = pointer.shared ? pointer.object : pointer.address;
    op.b = pointer.address;
  } else {
    op.a = pointer.row;
    op.b = pointer.row + 1;
  }
  return op;
}

void CodeWriter::CheckDescriptor(const Operation& operation, uint32_t index,
                                 const PointerInfo& pointer) {
  if (pointer.fixed && pointer.storage != spv::StorageClass::Image) return;
  switch (pointer.storage) {
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
      return CheckDescriptor(operation, index, pointer.row, 1);
    case spv::StorageClass::Image:
      return CheckDescriptor(operation, index, pointer.row + 1, 1);
    default:
      return;
  }
}

// Vulkan, VUID-RuntimeSpirv-NonUniform-06274: the operand that is the resource must be NonUniform
// if the descriptor is not dynamically uniform.
void CodeWriter::CheckDescriptor(const Operation& operation, uint32_t index, uint32_t row,
                                 uint32_t rows) {
  if (!code_.has_descriptor_arrays || FindDecoration(source_.module, operation.IdAt(index),
                                                     spv::Decoration::NonUniform) != Inst::kNone) {
    return;
  }
  Op op = MakeOp(operation.inst, RequireOneDescriptor);
  op.a = row;
  op.count = rows;
  op.d = kNoComparison;
  const Function function = source_.module.FunctionOf(operation.inst);
  const Block block = source_.module.BlockOf(operation.inst);
  // An invocation executes an instruction outside loops once at most, so all invocations of a draw
  // execute the same dynamic instance of it.
  const bool is_draw = !code_.is_compute && function == entry_;
  if (is_draw && source_.module.Flow(function).InnermostLoop(block) == nullptr) {
    op.d = code_.compared_descriptors;
    code_.compared_descriptors += rows;
  }
  Emit(op);
}

// Adds the scalars that LoadShared and StoreShared access.
Status CodeWriter::AddScalars(Inst inst, const PointerInfo& pointer, Op* op) {
  std::vector<MemoryScalar> scalars;
  Status status = layout_.LayOut(inst, pointer.pointee, 0, pointer.matrix, &scalars);
  op->list = static_cast<uint32_t>(code_.scalars.size());
  op->count = static_cast<uint32_t>(scalars.size());
  code_.scalars.insert(code_.scalars.end(), scalars.begin(), scalars.end());
  return status;
}

Status CodeWriter::EmitLoad(Inst inst, const PointerInfo& pointer, uint32_t row) {
  const TypeInfo* type = nullptr;
  if (Status status = types_.ValueType(inst, pointer.pointee, &type); !status) return status;
  Op op;
  if (pointer.shared) {
    op = MakePointerOp(inst, LoadShared, pointer);
    if (Status status = AddScalars(inst, pointer, &op); !status) return status;
  } else {
    const bool plain = pointer.fixed && pointer.address < kFirstSparseRow;
    op = MakeOp(inst, plain ? CopyRows : LoadRows);
    op.a = plain           ? pointer.address
           : pointer.fixed ? constants_.RowOfWord(pointer.address)
                           : pointer.row;
    op.count = static_cast<uint32_t>(type->rows);
  }
  op.result = row;
  Emit(op);
  return {};
}

Status CodeWriter::EmitStore(Inst inst, const PointerInfo& pointer, uint32_t row) {
  const TypeInfo* type = nullptr;
  if (Status status = types_.ValueType(inst, pointer.pointee, &type); !status) return status;
  Op op;
  if (pointer.shared) {
    op = MakePointerOp(inst, StoreShared, pointer);
    if (Status status = AddScalars(inst, pointer, &op); !status) return status;
    op.c = row;
  } else if (pointer.fixed && pointer.address < kFirstSparseRow) {
    op = MakeOp(inst, CopyRows);
    op.result = pointer.address;
    op.a = row;
    op.count = static_cast<uint32_t>(type->rows);
  } else {
    op = MakeOp(inst, StoreRows);
    op.a = pointer.fixed ? constants_.RowOfWord(pointer.address) : pointer.row;
    op.c = row;
    op.count = static_cast<uint32_t>(type->rows);
  }
  Emit(op);
  return {};
}

}  // namespace interp
}  // namespace refract
