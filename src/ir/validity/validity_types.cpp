// SPDX-License-Identifier: Apache-2.0
// Types of operands and results (SPIR-V chapter 3) of the instructions that transformations make or
// change.
#include <optional>

#include "ir/types.h"
#include "ir/validity/validity.h"
#include "ir/validity/validity_report.h"

namespace refract {
inline namespace ir {
namespace {

using validity::Violation;

// The kind of the scalars of a type. A scalar counts as one component.
enum class Kind : uint8_t { kNone, kBool, kInt, kFloat };

Kind KindOf(const Module& module, Id type) {
  const Id scalar = type == Id::kNone ? Id::kNone : ScalarType(module, type);
  if (scalar == Id::kNone) return Kind::kNone;
  if (IsBool(module, scalar)) return Kind::kBool;
  return IsInt(module, scalar) ? Kind::kInt : Kind::kFloat;
}

uint32_t Components(const Module& module, Id type) {
  return IsVector(module, type) ? module.Word(module.Definition(type), 1) : 1;
}

class TypeChecker {
 public:
  explicit TypeChecker(const Module& module)
      : module_(module), select_any_(module.version() >= 0x00010400) {}

  Status Check(Inst inst) {
    inst_ = inst;
    status_ = {};
    if (!IsOpaqueMatrix(Result()) && !IsOpaqueMatrix(TypeOf(0))) Dispatch();
    return status_;
  }

 private:
  void Fail(const char* rule, const char* what) {
    if (status_) status_ = Violation(rule, what, module_, inst_);
  }
  void Want(bool good, const char* what) {
    if (!good) Fail("type-operand", what);
  }
  Id Result() const { return module_.Type(inst_); }
  uint32_t Count() const { return module_.OperandCount(inst_); }
  Id Operand(uint32_t i) const {
    return i < Count() && module_.IsId(inst_, i) ? module_.IdAt(inst_, i) : Id::kNone;
  }
  Id TypeOf(uint32_t i) const {
    return Operand(i) == Id::kNone ? Id::kNone : module_.TypeOf(Operand(i));
  }
  bool Is(Id type, Kind kind) const { return type != Id::kNone && KindOf(module_, type) == kind; }
  bool SameShape(Id a, Id b) const { return Components(module_, a) == Components(module_, b); }

  // Cooperative matrices allow arithmetic, with rules of their own, which are not checked.
  bool IsOpaqueMatrix(Id type) const {
    return type != Id::kNone && TypeOpcode(module_, type) == spv::Op::OpTypeCooperativeMatrixNV;
  }

  // The result and all operands must be integers that differ in signedness only.
  void Integers(uint32_t operands) {
    Want(Is(Result(), Kind::kInt), "the result is not an integer or a vector of integers");
    for (uint32_t i = 0; status_ && i < operands; ++i) {
      Want(Is(TypeOf(i), Kind::kInt) && EqualUpToSign(module_, Result(), TypeOf(i)),
           "an operand is not an integer with the shape and width of the result");
    }
  }

  void UnsignedIntegers() {
    Integers(2);
    if (!status_) return;
    for (Id type : {Result(), TypeOf(0), TypeOf(1)}) {
      Want(!IsSigned(module_, ScalarType(module_, type)),
           "the operands and the result must be unsigned");
    }
  }

  void Shift() {
    Want(Is(Result(), Kind::kInt) && Is(TypeOf(0), Kind::kInt) && Is(TypeOf(1), Kind::kInt),
         "the operands and the result of a shift must be integers");
    if (!status_) return;
    Want(EqualUpToSign(module_, Result(), TypeOf(0)) && SameShape(Result(), TypeOf(1)),
         "the types of the operands do not match the result");
  }

  // The result and all operands must have one type of this kind.
  void Alike(Kind kind, uint32_t operands) {
    Want(Is(Result(), kind), "the result type is not allowed for this instruction");
    for (uint32_t i = 0; i < operands; ++i) {
      Want(TypeOf(i) == Result(), "an operand and the result have different types");
    }
  }

  void Compare(Kind kind) {
    Want(Is(Result(), Kind::kBool), "the result of a comparison is not a boolean");
    Want(Is(TypeOf(0), kind) && Is(TypeOf(1), kind),
         "the type of an operand is not allowed for this instruction");
    if (!status_) return;
    Want(SameShape(Result(), TypeOf(0)),
         "the operands and the result have different numbers of components");
    Want(kind == Kind::kInt ? EqualUpToSign(module_, TypeOf(0), TypeOf(1)) : TypeOf(0) == TypeOf(1),
         "the operands have different types");
  }

  void Select() {
    Want(TypeOf(1) == Result() && TypeOf(2) == Result(), "an object does not have the result type");
    Want(Is(TypeOf(0), Kind::kBool), "the condition is not a boolean");
    if (!status_) return;
    const bool scalar_condition = IsBool(module_, TypeOf(0));
    const bool plain = KindOf(module_, Result()) != Kind::kNone;
    if (!scalar_condition) {
      Want(plain && SameShape(Result(), TypeOf(0)),
           "the condition and the result have different numbers of components");
    } else if (!select_any_) {
      Want((plain && !IsVector(module_, Result())) || IsPointer(module_, Result()),
           "before SPIR-V 1.4 a scalar condition selects only scalars");
    }
  }

  // The type that the literal or constant indices from operand `first` on select in `type`.
  Id PartAt(Id type, uint32_t first, bool literals) {
    for (uint32_t i = first; i < Count() && type != Id::kNone; ++i) {
      const spv::Op opcode = TypeOpcode(module_, type);
      if (opcode == spv::Op::OpTypeStruct) {
        std::optional<uint64_t> index;
        if (literals) {
          index = module_.Word(inst_, i);
        } else if (module_.OpcodeOf(Operand(i)) == spv::Op::OpConstant) {
          index = LiteralValue(module_, Operand(i));
        }
        if (!index || *index > 0xffffffffu) return Id::kNone;
        type = PartType(module_, type, static_cast<uint32_t>(*index));
      } else if (literals && PartCount(module_, type)) {
        type = PartType(module_, type, module_.Word(inst_, i));
      } else if (IsVector(module_, type) || opcode == spv::Op::OpTypeMatrix ||
                 opcode == spv::Op::OpTypeArray || opcode == spv::Op::OpTypeRuntimeArray) {
        if (!literals && !IsInt(module_, TypeOf(i))) return Id::kNone;
        type = ElementType(module_, type);
      } else {
        return Id::kNone;
      }
    }
    return type;
  }

  void AccessChain(uint32_t first_index) {
    const bool pointers =
        IsPointer(module_, Result()) && TypeOf(0) != Id::kNone && IsPointer(module_, TypeOf(0));
    Want(pointers, "the base or the result is not a pointer");
    if (!status_) return;
    Want(StorageClassOf(module_, Result()) == StorageClassOf(module_, TypeOf(0)),
         "the base and the result have different storage classes");
    Want(PartAt(ElementType(module_, TypeOf(0)), first_index, false) ==
             ElementType(module_, Result()),
         "the indices do not select the result type");
  }

  void Construct() {
    const std::optional<uint32_t> parts = PartCount(module_, Result());
    if (!parts)
      return Want(TypeOpcode(module_, Result()) == spv::Op::OpTypeArray,
                  "the result type is not a composite");
    if (IsVector(module_, Result())) {
      uint32_t components = 0;
      for (uint32_t i = 0; i < Count(); ++i) {
        const Id type = TypeOf(i);
        Want(type != Id::kNone && ScalarType(module_, type) == ElementType(module_, Result()),
             "a constituent has the wrong type");
        if (!status_) return;
        components += Components(module_, type);
      }
      return Want(components == *parts && Count() >= 2,
                  "the number of components of the constituents does not match the result");
    }
    Want(Count() == *parts, "the number of constituents does not match the result type");
    for (uint32_t i = 0; status_ && i < Count(); ++i) {
      Want(TypeOf(i) == PartType(module_, Result(), i), "a constituent has the wrong type");
    }
  }

  // The constituents must be constants, one for each part.
  void ConstantComposite() {
    const std::optional<uint32_t> parts = PartCount(module_, Result());
    if (!parts) return;  // an array whose length is a specialisation constant
    Want(Count() == *parts, "the number of constituents does not match the result type");
    for (uint32_t i = 0; status_ && i < Count(); ++i) {
      const spv::Op opcode = module_.OpcodeOf(Operand(i));
      Want(IsConstant(opcode) || opcode == spv::Op::OpUndef, "a constituent is not a constant");
      Want(TypeOf(i) == PartType(module_, Result(), i), "a constituent has the wrong type");
    }
  }

  void Shuffle() {
    const bool vectors = IsVector(module_, Result()) && TypeOf(0) != Id::kNone &&
                         IsVector(module_, TypeOf(0)) && TypeOf(1) != Id::kNone &&
                         IsVector(module_, TypeOf(1));
    Want(vectors, "the operands and the result must be vectors");
    if (!status_) return;
    const uint32_t all = Components(module_, TypeOf(0)) + Components(module_, TypeOf(1));
    Want(ElementType(module_, TypeOf(0)) == ElementType(module_, Result()) &&
             ElementType(module_, TypeOf(1)) == ElementType(module_, Result()) &&
             Count() - 2 == Components(module_, Result()),
         "the types of the vectors do not match the result");
    for (uint32_t i = 2; i < Count(); ++i) {
      Want(module_.Word(inst_, i) < all || module_.Word(inst_, i) == 0xffffffffu,
           "a component index is out of range");
    }
  }

  void Load() {
    const Id pointer = TypeOf(0);
    Want(pointer != Id::kNone && IsPointer(module_, pointer), "the operand is not a pointer");
    if (status_)
      Want(ElementType(module_, pointer) == Result(),
           "the pointer does not point to the result type");
  }
  void Store() {
    const Id pointer = TypeOf(0);
    Want(pointer != Id::kNone && IsPointer(module_, pointer), "the first operand is not a pointer");
    // The layouts of structs may differ (relax-struct-store), so they are not checked.
    if (status_ && TypeOpcode(module_, ElementType(module_, pointer)) != spv::Op::OpTypeStruct) {
      Want(ElementType(module_, pointer) == TypeOf(1),
           "the object does not have the type that the pointer points to");
    }
  }

  void Variable() {
    const bool pointer = IsPointer(module_, Result());
    Want(pointer &&
             module_.Word(inst_, 0) == static_cast<uint32_t>(StorageClassOf(module_, Result())),
         "the type is not a pointer with the storage class of the variable");
    if (!status_) return;
    const bool local = module_.FunctionOf(inst_) != Function::kNone;
    Want(local == (module_.Word(inst_, 0) == static_cast<uint32_t>(spv::StorageClass::Function)),
         "the storage class is not allowed here");
    if (Count() > 1 && module_.OpcodeOf(Operand(1)) != spv::Op::OpVariable) {
      Want(TypeOf(1) == ElementType(module_, Result()),
           "the initializer has another type than the variable");
      Want(IsConstant(module_.OpcodeOf(Operand(1))), "the initializer is not a constant");
    }
  }

  void Constant() {
    const uint32_t width = Width(module_, Result());
    Want(width != 0 && Count() == (width + 31) / 32, "the number of words does not match the type");
  }

  void Branch() {
    Want(TypeOf(0) != Id::kNone && IsBool(module_, TypeOf(0)), "the condition is not a boolean");
    Want(Count() == 3 || Count() == 5, "there must be two branch weights or none");
  }

  void Return() {
    const Id wanted = module_.Type(module_[module_.FunctionOf(inst_)].definition);
    if (module_.Opcode(inst_) == spv::Op::OpReturn) {
      Want(TypeOpcode(module_, wanted) == spv::Op::OpTypeVoid,
           "OpReturn is used in a function that does not return void");
    } else {
      Want(TypeOf(0) == wanted, "the value does not have the function's result type");
    }
  }

  void Call() {
    const Inst callee = module_.Definition(Operand(0));
    Want(module_.Opcode(callee) == spv::Op::OpFunction, "the called id is not a function");
    if (!status_) return;
    const Inst type = module_.Definition(module_.IdAt(callee, 1));
    Want(Result() == module_.IdAt(type, 0),
         "the result type is not the result type of the function");
    Want(Count() == module_.OperandCount(type),
         "the number of arguments does not match the number of parameters");
    for (uint32_t i = 1; status_ && i < Count(); ++i) {
      Want(TypeOf(i) == module_.IdAt(type, i), "an argument does not have the parameter's type");
    }
  }

  void Dispatch() {
    switch (module_.Opcode(inst_)) {
      case spv::Op::OpIAdd:
      case spv::Op::OpISub:
      case spv::Op::OpIMul:
      case spv::Op::OpSDiv:
      case spv::Op::OpSRem:
      case spv::Op::OpSMod:
      case spv::Op::OpBitwiseAnd:
      case spv::Op::OpBitwiseOr:
      case spv::Op::OpBitwiseXor:
        return Integers(2);
      case spv::Op::OpSNegate:
      case spv::Op::OpNot:
        return Integers(1);
      case spv::Op::OpUDiv:
      case spv::Op::OpUMod:
        return UnsignedIntegers();
      case spv::Op::OpShiftLeftLogical:
      case spv::Op::OpShiftRightLogical:
      case spv::Op::OpShiftRightArithmetic:
        return Shift();
      case spv::Op::OpFAdd:
      case spv::Op::OpFSub:
      case spv::Op::OpFMul:
      case spv::Op::OpFDiv:
      case spv::Op::OpFRem:
      case spv::Op::OpFMod:
        return KindOf(module_, Result()) == Kind::kNone ? void() : Alike(Kind::kFloat, 2);
      case spv::Op::OpFNegate:
        return KindOf(module_, Result()) == Kind::kNone ? void() : Alike(Kind::kFloat, 1);
      case spv::Op::OpLogicalAnd:
      case spv::Op::OpLogicalOr:
      case spv::Op::OpLogicalEqual:
      case spv::Op::OpLogicalNotEqual:
        return Alike(Kind::kBool, 2);
      case spv::Op::OpLogicalNot:
        return Alike(Kind::kBool, 1);
      case spv::Op::OpIEqual:
      case spv::Op::OpINotEqual:
      case spv::Op::OpUGreaterThan:
      case spv::Op::OpSGreaterThan:
      case spv::Op::OpUGreaterThanEqual:
      case spv::Op::OpSGreaterThanEqual:
      case spv::Op::OpULessThan:
      case spv::Op::OpSLessThan:
      case spv::Op::OpULessThanEqual:
      case spv::Op::OpSLessThanEqual:
        return Compare(Kind::kInt);
      case spv::Op::OpFOrdEqual:
      case spv::Op::OpFUnordEqual:
      case spv::Op::OpFOrdNotEqual:
      case spv::Op::OpFUnordNotEqual:
      case spv::Op::OpFOrdLessThan:
      case spv::Op::OpFUnordLessThan:
      case spv::Op::OpFOrdGreaterThan:
      case spv::Op::OpFUnordGreaterThan:
      case spv::Op::OpFOrdLessThanEqual:
      case spv::Op::OpFUnordLessThanEqual:
      case spv::Op::OpFOrdGreaterThanEqual:
      case spv::Op::OpFUnordGreaterThanEqual:
        return Compare(Kind::kFloat);
      case spv::Op::OpSelect:
        return Select();
      case spv::Op::OpCopyObject:
        return Want(TypeOf(0) == Result(), "the operand and the result have different types");
      default:
        return DispatchMore();
    }
  }

  void DispatchMore() {
    switch (module_.Opcode(inst_)) {
      case spv::Op::OpCompositeConstruct:
        return Construct();
      case spv::Op::OpConstantComposite:
        return ConstantComposite();
      case spv::Op::OpCompositeExtract:
        return Want(TypeOf(0) != Id::kNone && PartAt(TypeOf(0), 1, true) == Result(),
                    "the indices do not select the result type");
      case spv::Op::OpCompositeInsert:
        return Want(TypeOf(1) == Result() && PartAt(Result(), 2, true) == TypeOf(0),
                    "the type of the object or the composite does not match the result");
      case spv::Op::OpVectorShuffle:
        return Shuffle();
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        return AccessChain(1);
      case spv::Op::OpLoad:
        return Load();
      case spv::Op::OpStore:
        return Store();
      case spv::Op::OpVariable:
        return Variable();
      case spv::Op::OpConstant:
      case spv::Op::OpSpecConstant:
        return Constant();
      case spv::Op::OpConstantTrue:
      case spv::Op::OpConstantFalse:
        return Want(IsBool(module_, Result()), "the type is not a boolean");
      case spv::Op::OpBranchConditional:
        return Branch();
      case spv::Op::OpReturn:
      case spv::Op::OpReturnValue:
        return Return();
      case spv::Op::OpFunctionCall:
        return Call();
      default:
        status_ = validity::CheckOperation(module_, inst_);
    }
  }

  const Module& module_;
  const bool select_any_;
  Inst inst_ = Inst::kNone;
  Status status_;
};

}  // namespace

Status CheckTypes(const Module& module) {
  TypeChecker checker(module);
  return validity::ForEachUntilError(module, [&](Inst inst) { return checker.Check(inst); });
}

}  // namespace ir
}  // namespace refract
