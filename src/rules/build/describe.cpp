// SPDX-License-Identifier: Apache-2.0
// Converts the types and constants of a module to the form that messages use.
#include "ir/types.h"
#include "rules/build/declare.h"

namespace refract {
inline namespace rules {
namespace {

using message::Constant;
using message::Type;
using Kind = message::Type::Kind;

}  // namespace

Type Describe(const Module& module, Id type) {
  Type result;
  const Inst inst = module.Definition(type);
  result.kind = static_cast<Kind>(module.Opcode(inst));
  switch (module.Opcode(inst)) {
    case spv::Op::OpTypeVoid:
    case spv::Op::OpTypeBool:
      break;
    case spv::Op::OpTypeInt:
      result.width = module.Word(inst, 0);
      result.is_signed = module.Word(inst, 1) != 0;
      break;
    case spv::Op::OpTypeFloat:
      result.width = module.Word(inst, 0);
      break;
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
      result.count = module.Word(inst, 1);
      result.parts.push_back(Describe(module, module.IdAt(inst, 0)));
      break;
    case spv::Op::OpTypeArray:
      result.count = PartCount(module, type).value_or(0);
      result.parts.push_back(Describe(module, module.IdAt(inst, 0)));
      break;
    case spv::Op::OpTypePointer:
      result.storage = module.Word(inst, 0);
      result.parts.push_back(Describe(module, module.IdAt(inst, 1)));
      break;
    case spv::Op::OpTypeStruct:
      // Structs of the original have an identity, because names refer to them.
      if (module.NameOf(inst).step != Name::kDeclaredStep) {
        result.kind = Kind::kNone;
        break;
      }
      for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
        result.parts.push_back(Describe(module, module.IdAt(inst, i)));
      }
      break;
    default:
      result.kind = Kind::kNone;
  }
  if (result.kind != Kind::kNone && FindType(module, result) == type) return result;
  Type named;
  named.declared = module.NameOf(type);
  return named;
}

namespace {

// A constant by value lists each part as often as it occurs, so a few nested composites could give
// millions of parts. Constants with more parts than this are refused.
constexpr size_t kMostParts = 4096;

std::optional<Constant> DescribeParts(const Module& module, Id id, size_t* left) {
  if (*left == 0) return std::nullopt;
  --*left;
  const Inst inst = module.Definition(id);
  Constant result;
  if (module.Type(inst) == Id::kNone) return std::nullopt;
  result.type = Describe(module, module.Type(inst));
  switch (module.Opcode(inst)) {
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
      result.words = {module.Opcode(inst) == spv::Op::OpConstantTrue ? 1u : 0u};
      return result;
    case spv::Op::OpConstant:
      for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
        result.words.push_back(module.Word(inst, i));
      }
      return result;
    case spv::Op::OpConstantNull:
      result.is_null = true;
      return result;
    case spv::Op::OpConstantComposite:
      for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
        std::optional<Constant> part = DescribeParts(module, module.IdAt(inst, i), left);
        if (!part) return std::nullopt;
        result.parts.push_back(std::move(*part));
      }
      return result;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Constant> DescribeConstant(const Module& module, Id id) {
  size_t left = kMostParts;
  return DescribeParts(module, id, &left);
}

}  // namespace rules
}  // namespace refract
