// SPDX-License-Identifier: Apache-2.0
// Replaces instructions that cannot be donated unchanged. The replacements use the same operands
// where possible, so that the data flow remains.
#include "donate/function_translator.h"
#include "ir/types.h"
#include "rules/build/declare.h"

namespace refract {
inline namespace donate {
namespace {

using message::DonatedOperand;
using message::Type;
using Kind = DonatedOperand::Kind;

// The operation that an atomic applies to the value in memory and its operand. For minimum and
// maximum, it is the comparison that chooses one of them.
struct Atomic {
  spv::Op atomic, operation;
  bool chooses;
};
constexpr Atomic kAtomics[] = {
    {spv::Op::OpAtomicIIncrement, spv::Op::OpIAdd, false},
    {spv::Op::OpAtomicIDecrement, spv::Op::OpISub, false},
    {spv::Op::OpAtomicIAdd, spv::Op::OpIAdd, false},
    {spv::Op::OpAtomicISub, spv::Op::OpISub, false},
    {spv::Op::OpAtomicFAddEXT, spv::Op::OpFAdd, false},
    {spv::Op::OpAtomicAnd, spv::Op::OpBitwiseAnd, false},
    {spv::Op::OpAtomicOr, spv::Op::OpBitwiseOr, false},
    {spv::Op::OpAtomicXor, spv::Op::OpBitwiseXor, false},
    {spv::Op::OpAtomicSMin, spv::Op::OpSLessThan, true},
    {spv::Op::OpAtomicUMin, spv::Op::OpULessThan, true},
    {spv::Op::OpAtomicSMax, spv::Op::OpSGreaterThan, true},
    {spv::Op::OpAtomicUMax, spv::Op::OpUGreaterThan, true},
    {spv::Op::OpAtomicFMinEXT, spv::Op::OpFOrdLessThan, true},
    {spv::Op::OpAtomicFMaxEXT, spv::Op::OpFOrdGreaterThan, true},
};

DonatedOperand Local(uint32_t local) {
  return {Kind::kLocal, local, {}, {}};
}

bool IsNumbers(const Type& type) {
  const Type& scalar = type.kind == Type::Kind::kVector ? type.parts[0] : type;
  return scalar.kind == Type::Kind::kInt || scalar.kind == Type::Kind::kFloat;
}

}  // namespace

// Replaces the instruction by others with the same effect. Returns false if no such instructions
// exist.
bool FunctionTranslator::Replace(Inst inst) {
  const Id result = module_.Result(inst);
  switch (module_.Opcode(inst)) {
    case spv::Op::OpCopyMemory:
      CopyMemory(inst);
      return true;
    case spv::Op::OpCopyObject:
      if (!IsPointer(module_, module_.Type(inst)) || IsInexpressible(module_.IdAt(inst, 0)))
        return false;
      locals_[result] = LocalOf(module_.IdAt(inst, 0));
      return true;
    case spv::Op::OpCopyLogical: {
      const std::optional<Type> type = types_.TypeOf(module_.Type(inst));
      if (!type || type != types_.TypeOf(module_.TypeOf(module_.IdAt(inst, 0)))) return false;
      Emit(spv::Op::OpCopyObject, LocalOf(result), *type, {Value(module_.IdAt(inst, 0))});
      return true;
    }
    case spv::Op::OpArrayLength: {
      const Id block = ElementType(module_, module_.TypeOf(module_.IdAt(inst, 0)));
      const Type type = *types_.TypeOf(module_.Type(inst));
      const uint32_t length = types_.PartsOf(PartType(module_, block, module_.Word(inst, 1)));
      Emit(spv::Op::OpCopyObject, LocalOf(result), type,
           {{Kind::kConstant, 0, ScalarConstant(type, length), {}}});
      return true;
    }
    default:
      return ReplaceAtomic(inst);
  }
}

void FunctionTranslator::CopyMemory(Inst inst) {
  const Id to = module_.IdAt(inst, 0), from = module_.IdAt(inst, 1);
  const std::optional<Type> type = types_.TypeOf(ElementType(module_, module_.TypeOf(to)));
  if (IsInexpressible(to) || IsInexpressible(from) || !type ||
      type != types_.TypeOf(ElementType(module_, module_.TypeOf(from)))) {
    return;
  }
  const uint32_t value = next_++;
  Emit(spv::Op::OpLoad, value, *type, {Value(from)});
  Emit(spv::Op::OpStore, next_++, {}, {Value(to), Local(value)});
}

// Replaces an atomic instruction by a load, an operation and a store.
bool FunctionTranslator::ReplaceAtomic(Inst inst) {
  const spv::Op opcode = module_.Opcode(inst);
  const Id result = module_.Result(inst);
  if (opcode == spv::Op::OpAtomicStore) {
    if (IsInexpressible(module_.IdAt(inst, 0)) || IsInexpressible(module_.IdAt(inst, 3)))
      return false;
    Emit(spv::Op::OpStore, next_++, {},
         {Value(module_.IdAt(inst, 0)), Value(module_.IdAt(inst, 3))});
    return true;
  }
  const Atomic* row = nullptr;
  for (const Atomic& atomic : kAtomics) {
    if (atomic.atomic == opcode) row = &atomic;
  }
  const bool loads = opcode == spv::Op::OpAtomicLoad || opcode == spv::Op::OpAtomicExchange ||
                     opcode == spv::Op::OpAtomicCompareExchange;
  if (row == nullptr && !loads) return false;
  const std::optional<Type> type = types_.TypeOf(module_.Type(inst));
  if (!type || UsesInexpressible(inst)) return false;
  const Id pointer = module_.IdAt(inst, 0);
  const uint32_t old = LocalOf(result);
  Emit(spv::Op::OpLoad, old, *type, {Value(pointer)});
  if (opcode == spv::Op::OpAtomicLoad) return true;
  if (opcode == spv::Op::OpAtomicCompareExchange) {
    ReplaceCompareExchange(inst, *type);
    return true;
  }
  const DonatedOperand given =
      module_.OperandCount(inst) > 3
          ? Value(module_.IdAt(inst, 3))
          : DonatedOperand{Kind::kConstant, 0, ScalarConstant(*type, 1), {}};
  DonatedOperand now = given;
  if (row != nullptr && row->chooses) {
    const uint32_t chosen = next_++;
    Emit(row->operation, chosen, BoolType(), {given, Local(old)});
    now = Local(next_++);
    Emit(spv::Op::OpSelect, now.word, *type, {Local(chosen), given, Local(old)});
  } else if (row != nullptr) {
    now = Local(next_++);
    Emit(row->operation, now.word, *type, {Local(old), given});
  }
  Emit(spv::Op::OpStore, next_++, {}, {Value(pointer), now});
  return true;
}

void FunctionTranslator::ReplaceCompareExchange(Inst inst, const Type& type) {
  const uint32_t old = LocalOf(module_.Result(inst));
  const uint32_t equal = next_++, now = next_++;
  Emit(spv::Op::OpIEqual, equal, BoolType(), {Local(old), Value(module_.IdAt(inst, 5))});
  Emit(spv::Op::OpSelect, now, type, {Local(equal), Value(module_.IdAt(inst, 4)), Local(old)});
  Emit(spv::Op::OpStore, next_++, {}, {Value(module_.IdAt(inst, 0)), Local(now)});
}

// Replaces the remaining instructions by anything of the same type: one of their operands, what a
// pointer operand points to, components of a vector operand, or a constant.
void FunctionTranslator::Substitute(Inst inst) {
  const Id result = module_.Result(inst);
  if (result == Id::kNone) return;
  const std::optional<Type> type = types_.TypeOf(module_.Type(inst));
  if (!type || type->kind == Type::Kind::kVoid) {
    inexpressible_.insert(result);
    return;
  }
  const uint32_t local = LocalOf(result);
  if (type->kind == Type::Kind::kPointer) return AddVariable(local, *type, {});
  for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
    const Id operand = module_.IsId(inst, i) ? module_.IdAt(inst, i) : Id::kNone;
    if (operand == Id::kNone || module_.TypeOf(operand) == Id::kNone || IsInexpressible(operand) ||
        module_.OpcodeOf(operand) == spv::Op::OpFunction) {
      continue;
    }
    const std::optional<Type> given = types_.TypeOf(module_.TypeOf(operand));
    if (!given) continue;
    if (given == type) return Emit(spv::Op::OpCopyObject, local, *type, {Value(operand)});
    if (given->kind == Type::Kind::kPointer && given->parts[0] == *type) {
      return Emit(spv::Op::OpLoad, local, *type, {Value(operand)});
    }
    if (given->kind != Type::Kind::kVector || !IsNumbers(*given)) continue;
    if (given->parts[0] == *type) {
      return Emit(spv::Op::OpCompositeExtract, local, *type,
                  {Value(operand), {Kind::kLiteral, 0, {}, {}}});
    }
    if (type->kind != Type::Kind::kVector || given->parts[0] != type->parts[0]) continue;
    Operands operands{Value(operand), Value(operand)};
    for (uint32_t c = 0; c < type->count; ++c) {
      operands.push_back({Kind::kLiteral, c % given->count, {}, {}});
    }
    return Emit(spv::Op::OpVectorShuffle, local, *type, std::move(operands));
  }
  Emit(spv::Op::OpCopyObject, local, *type,
       {{Kind::kConstant, 0, DonatedTypes::SomeValue(*type), {}}});
}

}  // namespace donate
}  // namespace refract
