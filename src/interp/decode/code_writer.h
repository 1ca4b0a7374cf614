// SPDX-License-Identifier: Apache-2.0
// Emits ops. Private to this library.
#pragma once

#include <vector>

#include "interp/code.h"
#include "interp/decode/operation.h"
#include "interp/decode/pointer_table.h"

namespace refract {
inline namespace interp {

class CodeWriter {
 public:
  CodeWriter(const DecodeSource& source, Program::Code& code, RowTable& rows,
             ConstantTable& constants, TypeTable& types, MemoryLayout& layout,
             PointerTable& pointers, Function entry)
      : source_(source),
        code_(code),
        rows_(rows),
        constants_(constants),
        types_(types),
        layout_(layout),
        pointers_(pointers),
        entry_(entry) {}

  /// Emits to `ops` from now on. Returns the vector to which it emitted before.
  std::vector<Op>* EmitTo(std::vector<Op>* ops);
  /// Appends ops to the code; returns the index of the first one.
  uint32_t Append(const std::vector<Op>& ops);
  /// Appends a list to Code::words; returns the index of its first word.
  uint32_t AddWords(const std::vector<uint32_t>& words);

  // --- rows and types of operands and results
  /// The rows of a value. Rows are allocated before the value is decoded if it is used earlier.
  Result<uint32_t> RowOf(Inst user, Id value);
  Result<uint32_t> OperandRow(const Operation& operation, uint32_t index) {
    return RowOf(operation.inst, operation.IdAt(index));
  }
  Result<const TypeInfo*> OperandType(const Operation& operation, uint32_t index);
  Result<const TypeInfo*> ResultType(const Operation& operation);
  Status ResultRows(const Operation& operation, uint32_t* row, const TypeInfo** type);

  // --- ops
  /// The flags of the op are those of the result's decorations.
  Op MakeOp(Inst inst, Handler handler) const;
  void Emit(const Op& op) { ops_->push_back(op); }
  size_t size() const { return ops_->size(); }
  Op& At(size_t index) { return (*ops_)[index]; }
  /// The last op that is not a RelaxIntegers op.
  Op& Last();
  /// Removes a RelaxIntegers op from the end.
  void DropRelax();
  void DropLast() { ops_->pop_back(); }
  /// Emits an op for an instruction with a result and up to four operands, all with the same number
  /// of components. Their rows go to a, b, c and d. A RelaxIntegers op may follow it.
  Status EmitSimple(const Operation& operation, Handler handler);
  /// Emits an op that copies these rows to the result.
  Status EmitGather(const Operation& operation, const std::vector<uint32_t>& rows);
  /// Makes the result an alias of these rows, without any op, unless it needs separate rows.
  Status Alias(const Operation& operation, uint32_t row);

  // --- memory
  /// Emits an op that requires that all invocations access the same descriptor through the pointer
  /// in operand `index`, unless the operand is NonUniform or no descriptor is selected at run time.
  void CheckDescriptor(const Operation& operation, uint32_t index, const PointerInfo& pointer);
  /// The same for an image or a sampled image, whose rows begin at `row`.
  void CheckDescriptor(const Operation& operation, uint32_t index, uint32_t row, uint32_t rows);
  /// An op with the address of the pointer in a and b.
  Op MakePointerOp(Inst inst, Handler handler, const PointerInfo& pointer) const;
  Status EmitLoad(Inst inst, const PointerInfo& pointer, uint32_t row);
  Status EmitStore(Inst inst, const PointerInfo& pointer, uint32_t row);

 private:
  void Relax(Inst inst, uint32_t row, const TypeInfo& type);
  Status AddScalars(Inst inst, const PointerInfo& pointer, Op* op);

  const DecodeSource& source_;
  Program::Code& code_;
  RowTable& rows_;
  ConstantTable& constants_;
  TypeTable& types_;
  MemoryLayout& layout_;
  PointerTable& pointers_;
  const Function entry_;  // the function of the entry point
  std::vector<Op>* ops_ = nullptr;
};

}  // namespace interp
}  // namespace refract
