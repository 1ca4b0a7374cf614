// SPDX-License-Identifier: Apache-2.0
#include "ir/types.h"

#include "ir/grammar/properties.h"

namespace refract {
inline namespace ir {

bool IsType(spv::Op opcode) {
  return PropertiesOf(opcode).is_type;
}
bool IsConstant(spv::Op opcode) {
  return PropertiesOf(opcode).is_constant;
}
bool IsSpecConstant(spv::Op opcode) {
  return PropertiesOf(opcode).is_spec;
}

bool IsBool(const Module& module, Id type) {
  return TypeOpcode(module, type) == spv::Op::OpTypeBool;
}
bool IsInt(const Module& module, Id type) {
  return TypeOpcode(module, type) == spv::Op::OpTypeInt;
}
bool IsFloat(const Module& module, Id type) {
  return TypeOpcode(module, type) == spv::Op::OpTypeFloat;
}
bool IsVector(const Module& module, Id type) {
  return TypeOpcode(module, type) == spv::Op::OpTypeVector;
}
bool IsPointer(const Module& module, Id type) {
  return TypeOpcode(module, type) == spv::Op::OpTypePointer;
}

uint32_t Width(const Module& module, Id type) {
  return IsInt(module, type) || IsFloat(module, type) ? module.Word(module.Definition(type), 0) : 0;
}

bool IsSigned(const Module& module, Id type) {
  return IsInt(module, type) && module.Word(module.Definition(type), 1) == 1;
}

Id ElementType(const Module& module, Id type) {
  const Inst inst = module.Definition(type);
  switch (module.Opcode(inst)) {
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
      return module.IdAt(inst, 0);
    case spv::Op::OpTypePointer:
      return module.IdAt(inst, 1);
    default:
      return Id::kNone;
  }
}

std::optional<uint32_t> PartCount(const Module& module, Id type) {
  const Inst inst = module.Definition(type);
  switch (module.Opcode(inst)) {
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
      return module.Word(inst, 1);
    case spv::Op::OpTypeStruct:
      return module.OperandCount(inst);
    case spv::Op::OpTypeArray: {
      const std::optional<uint64_t> count = LiteralValue(module, module.IdAt(inst, 1));
      if (!count || *count > 0xffffffffu) return std::nullopt;
      return static_cast<uint32_t>(*count);
    }
    default:
      return std::nullopt;
  }
}

Id PartType(const Module& module, Id type, uint32_t index) {
  const std::optional<uint32_t> count = PartCount(module, type);
  if (!count || index >= *count) return Id::kNone;
  const Inst inst = module.Definition(type);
  return module.Opcode(inst) == spv::Op::OpTypeStruct ? module.IdAt(inst, index)
                                                      : module.IdAt(inst, 0);
}

bool IsRepeatedMember(const Module& module, Id type, uint32_t index) {
  const Inst inst = module.Definition(type);
  return index > 0 && module.Opcode(inst) == spv::Op::OpTypeStruct &&
         module.IdAt(inst, index) == module.IdAt(inst, index - 1);
}

Id ScalarType(const Module& module, Id type) {
  if (IsVector(module, type)) return ElementType(module, type);
  return IsBool(module, type) || IsInt(module, type) || IsFloat(module, type) ? type : Id::kNone;
}

bool EqualUpToSign(const Module& module, Id a, Id b) {
  if (a == b) return true;
  if (IsVector(module, a) && IsVector(module, b)) {
    return PartCount(module, a) == PartCount(module, b) &&
           EqualUpToSign(module, ElementType(module, a), ElementType(module, b));
  }
  return IsInt(module, a) && IsInt(module, b) && Width(module, a) == Width(module, b);
}

bool IsStorable(const Module& module, Id type) {
  switch (TypeOpcode(module, type)) {
    case spv::Op::OpTypeBool:
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      return true;
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeArray:
      return PartCount(module, type) && IsStorable(module, ElementType(module, type));
    case spv::Op::OpTypeStruct: {
      const Inst inst = module.Definition(type);
      for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
        if (IsRepeatedMember(module, type, i)) continue;
        if (!IsStorable(module, module.IdAt(inst, i))) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

spv::StorageClass StorageClassOf(const Module& module, Id pointer_type) {
  return static_cast<spv::StorageClass>(module.Word(module.Definition(pointer_type), 0));
}

std::optional<uint64_t> LiteralValue(const Module& module, Id constant) {
  const Inst inst = module.Definition(constant);
  switch (module.Opcode(inst)) {
    case spv::Op::OpConstantTrue:
      return 1;
    case spv::Op::OpConstantFalse:
      return 0;
    case spv::Op::OpConstantNull: {
      const Id type = module.Type(inst);
      if (IsBool(module, type) || Width(module, type) != 0) return 0;
      return std::nullopt;
    }
    case spv::Op::OpConstant: {
      const uint32_t width = Width(module, module.Type(inst));
      uint64_t value = module.Word(inst, 0);
      if (width > 32) value |= uint64_t{module.Word(inst, 1)} << 32;
      return width < 64 ? value & ((uint64_t{1} << width) - 1) : value;
    }
    default:
      return std::nullopt;
  }
}

std::optional<bool> LiteralBool(const Module& module, Id constant) {
  if (!IsBool(module, module.TypeOf(constant))) return std::nullopt;
  const std::optional<uint64_t> value = LiteralValue(module, constant);
  if (!value) return std::nullopt;
  return *value != 0;
}

std::vector<uint32_t> LiteralWords(const Module& module, Id type, uint64_t value) {
  const uint32_t width = Width(module, type);
  if (width > 32) return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
  uint32_t word = static_cast<uint32_t>(value);
  if (width < 32) {
    word &= (1u << width) - 1;
    if (IsSigned(module, type) && (word >> (width - 1)) != 0) word |= ~((1u << width) - 1);
  }
  return {word};
}

bool IsAccessChain(spv::Op opcode) {
  return opcode == spv::Op::OpAccessChain || opcode == spv::Op::OpInBoundsAccessChain;
}

Id RootOfPointer(const Module& module, Id pointer) {
  for (;;) {
    const Inst inst = module.Definition(pointer);
    switch (module.Opcode(inst)) {
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
      case spv::Op::OpPtrAccessChain:
      case spv::Op::OpInBoundsPtrAccessChain:
      case spv::Op::OpCopyObject:
        pointer = module.IdAt(inst, 0);
        break;
      case spv::Op::OpVariable:
      case spv::Op::OpFunctionParameter:
        return pointer;
      default:
        return Id::kNone;
    }
  }
}

}  // namespace ir
}  // namespace refract
