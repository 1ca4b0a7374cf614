// SPDX-License-Identifier: Apache-2.0
#include "donate/donated_types.h"

#include <algorithm>

#include "ir/types.h"
#include "rules/build/declare.h"

namespace refract {
inline namespace donate {
namespace {

using message::Constant;
using message::Type;
using TypeKind = message::Type::Kind;

constexpr auto kLocalStorage = static_cast<uint32_t>(spv::StorageClass::Function);
constexpr int kMaxTypeDepth = 8;
constexpr uint32_t kUnknownLength = 8;  // for arrays whose length is not a constant

// Returns the value of a constant, for specialisation constants the default; nullopt for other
// operations.
std::optional<uint32_t> DefaultOf(const Module& module, Id constant) {
  const Inst inst = module.Definition(constant);
  const spv::Op opcode = module.Opcode(inst);
  if (opcode != spv::Op::OpConstant && opcode != spv::Op::OpSpecConstant) return std::nullopt;
  return module.Word(inst, 0);
}

// Returns the bits of one half for floats and of one for other types.
uint64_t SomeBits(const Type& type) {
  if (type.kind != TypeKind::kFloat) return 1;
  return type.width == 64 ? 0x3fe0000000000000 : type.width == 32 ? 0x3f000000 : 0x3800;
}

}  // namespace

uint32_t DonatedTypes::PartsOf(Id type) const {
  switch (TypeOpcode(module_, type)) {
    case spv::Op::OpTypeRuntimeArray:
      return std::min(kUnknownLength, max_array_length_);
    case spv::Op::OpTypeArray: {
      const Id length = module_.IdAt(module_.Definition(type), 1);
      return std::clamp(DefaultOf(module_, length).value_or(kUnknownLength), 1u, max_array_length_);
    }
    default:
      return PartCount(module_, type).value_or(0);
  }
}

std::optional<Type> DonatedTypes::TypeAt(Id id, int depth) const {
  const Inst inst = module_.Definition(id);
  if (depth > kMaxTypeDepth) return std::nullopt;
  Type type;
  type.kind = static_cast<TypeKind>(module_.Opcode(inst));
  std::vector<Id> parts;
  switch (module_.Opcode(inst)) {
    case spv::Op::OpTypeVoid:
    case spv::Op::OpTypeBool:
      return type;
    case spv::Op::OpTypeInt:
      type.is_signed = module_.Word(inst, 1) != 0;
      [[fallthrough]];
    case spv::Op::OpTypeFloat:
      type.width = module_.Word(inst, 0);
      return type;
    case spv::Op::OpTypePointer:
      if (depth > 0) return std::nullopt;
      if (StorageClassOf(module_, id) == spv::StorageClass::PhysicalStorageBuffer) {
        return std::nullopt;
      }
      type.storage = kLocalStorage;
      parts = {module_.IdAt(inst, 1)};
      break;
    case spv::Op::OpTypeStruct:
      for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
        parts.push_back(module_.IdAt(inst, i));
      }
      if (parts.empty()) return std::nullopt;
      break;
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
      type.count = PartsOf(id);
      parts = {ElementType(module_, id)};
      if (type.kind == TypeKind::kRuntimeArray) type.kind = TypeKind::kArray;
      break;
    default:
      return std::nullopt;
  }
  for (Id part : parts) {
    std::optional<Type> inner = TypeAt(part, depth + 1);
    if (!inner) return std::nullopt;
    type.parts.push_back(std::move(*inner));
  }
  return type;
}

std::optional<Constant> DonatedTypes::ConstantOf(Id id) const {
  const Inst inst = module_.Definition(id);
  const std::optional<Type> type = TypeOf(module_.Type(inst));
  if (!type || type->kind == TypeKind::kPointer) return std::nullopt;
  Constant constant;
  constant.type = *type;
  switch (module_.Opcode(inst)) {
    case spv::Op::OpConstantTrue:
    case spv::Op::OpSpecConstantTrue:
      constant.words = {1};
      return constant;
    case spv::Op::OpConstantFalse:
    case spv::Op::OpSpecConstantFalse:
      constant.words = {0};
      return constant;
    case spv::Op::OpConstant:
    case spv::Op::OpSpecConstant:
      for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
        constant.words.push_back(module_.Word(inst, i));
      }
      return constant;
    case spv::Op::OpConstantNull:
    case spv::Op::OpUndef:
      constant.is_null = true;
      return constant;
    case spv::Op::OpConstantComposite:
    case spv::Op::OpSpecConstantComposite:
      if (module_.OperandCount(inst) < PartsOf(module_.Type(inst))) return std::nullopt;
      for (uint32_t i = 0; i < PartsOf(module_.Type(inst)); ++i) {
        std::optional<Constant> part = ConstantOf(module_.IdAt(inst, i));
        if (!part) return std::nullopt;
        constant.parts.push_back(std::move(*part));
      }
      return constant;
    case spv::Op::OpSpecConstantOp:
      return SomeValue(*type);
    default:
      return std::nullopt;
  }
}

Constant DonatedTypes::SomeValue(const Type& type) {
  if (type.parts.empty()) return ScalarConstant(type, SomeBits(type));
  if (type.kind != TypeKind::kVector) return NullConstant(type);
  Constant constant;
  constant.type = type;
  constant.parts.assign(type.count, SomeValue(type.parts[0]));
  return constant;
}

}  // namespace donate
}  // namespace refract
