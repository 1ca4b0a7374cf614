// SPDX-License-Identifier: Apache-2.0
#include "ir/grammar/operand_rules.h"

#include "base/check.h"
#include "ir/types.h"

namespace refract {
inline namespace ir {
namespace {

bool IsOpaque(spv::Op type) {
  switch (type) {
    case spv::Op::OpTypeImage:
    case spv::Op::OpTypeSampler:
    case spv::Op::OpTypeSampledImage:
    case spv::Op::OpTypeAccelerationStructureKHR:
    case spv::Op::OpTypeRayQueryKHR:
      return true;
    default:
      return false;
  }
}

/// The role of a value operand, refined by the type of the value.
OperandRole RoleByType(const Module& module, Id value, OperandRole pointer_role) {
  const Id type = module.TypeOf(value);
  if (type == Id::kNone) return OperandRole::kFixed;
  const spv::Op opcode = TypeOpcode(module, type);
  if (opcode == spv::Op::OpTypePointer) return pointer_role;
  return IsOpaque(opcode) ? OperandRole::kOpaque : OperandRole::kValue;
}

// True for the place of a read of an input attachment, which must be the constant (0, 0) (Vulkan,
// VUID-StandaloneSpirv-SubpassData-04660).
bool IsAttachmentCoordinate(const Module& module, Inst inst, uint32_t index) {
  const spv::Op op = module.Opcode(inst);
  if (index != 1 || (op != spv::Op::OpImageRead && op != spv::Op::OpImageSparseRead)) return false;
  const Inst image = module.Definition(module.TypeOf(module.IdAt(inst, 0)));
  return module.Opcode(image) == spv::Op::OpTypeImage &&
         static_cast<spv::Dim>(module.Word(image, 1)) == spv::Dim::SubpassData;
}

OperandRule RuleByOpcode(const Module& module, Inst inst, uint32_t index) {
  const spv::Op op = module.Opcode(inst);
  const uint8_t plain = PropertiesOf(op).plain_operands;
  const bool is_extended = op == spv::Op::OpExtInst && index >= 2;
  if (!is_extended && (plain == Properties::kAllPlain || index < plain)) {
    return RuleOfOperand(op, index);
  }
  std::vector<uint32_t> words(module.OperandCount(inst));
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = module.Word(inst, i);
  const ExtInstSet set = is_extended ? ExtInstSetOf(module, inst) : ExtInstSet::kOther;
  const bool wide_switch =
      op == spv::Op::OpSwitch && Width(module, module.TypeOf(module.IdAt(inst, 0))) > 32;
  return RuleOfOperand(op, words, index, set, wide_switch ? 2 : 1);
}

}  // namespace

bool IsDebugInstruction(const Module& module, Inst inst) {
  const spv::Op opcode = module.Opcode(inst);
  if (opcode == spv::Op::OpLine || opcode == spv::Op::OpNoLine) return true;
  if (opcode != spv::Op::OpExtInst) return false;
  const Inst import = module.Definition(module.IdAt(inst, 0));
  if (module.Opcode(import) != spv::Op::OpExtInstImport) return false;
  const std::string set = StringAt(module, import, 0);
  return set.starts_with("NonSemantic.") || set == "OpenCL.DebugInfo.100" || set == "DebugInfo";
}

std::string StringAt(const Module& module, Inst inst, uint32_t index) {
  std::string text;
  for (; index < module.OperandCount(inst); ++index) {
    const uint32_t word = module.Word(inst, index);
    for (int shift = 0; shift < 32; shift += 8) {
      const char c = static_cast<char>(word >> shift);
      if (c == 0) return text;
      text += c;
    }
  }
  return text;
}

ExtInstSet ExtInstSetOf(const Module& module, Inst ext_inst) {
  CHECK(module.Opcode(ext_inst) == spv::Op::OpExtInst);
  const Inst import = module.Definition(module.IdAt(ext_inst, 0));
  return import == Inst::kNone ? ExtInstSet::kOther : ExtInstSetByName(StringAt(module, import, 0));
}

const Properties& PropertiesOf(const Module& module, Inst inst) {
  if (module.Opcode(inst) != spv::Op::OpExtInst) return PropertiesOf(module.Opcode(inst));
  return PropertiesOfExtInst(ExtInstSetOf(module, inst), module.Word(inst, 1));
}

Id IndexedType(const Module& module, Inst chain, uint32_t index) {
  const spv::Op op = module.Opcode(chain);
  const bool has_element =
      op == spv::Op::OpPtrAccessChain || op == spv::Op::OpInBoundsPtrAccessChain;
  Id type = ElementType(module, module.TypeOf(module.IdAt(chain, 0)));
  for (uint32_t i = has_element ? 2 : 1; i < index && type != Id::kNone; ++i) {
    if (TypeOpcode(module, type) == spv::Op::OpTypeStruct) {
      const auto member = LiteralValue(module, module.IdAt(chain, i));
      type = member ? PartType(module, type, static_cast<uint32_t>(*member)) : Id::kNone;
    } else {
      type = ElementType(module, type);
    }
  }
  return type;
}

OperandRule RuleOfOperand(const Module& module, Inst inst, uint32_t index) {
  CHECK(index < module.OperandCount(inst));
  OperandRule rule = RuleByOpcode(module, inst, index);
  // For operands of extended instructions that the grammar does not know, the parser has decided
  // which are ids.
  if (!module.IsId(inst, index)) return {OperandRole::kLiteral};
  switch (rule.role) {
    case OperandRole::kValue:
      rule.role = RoleByType(module, module.IdAt(inst, index), OperandRole::kPointer);
      break;
    case OperandRole::kArgument:
      rule.role = RoleByType(module, module.IdAt(inst, index), OperandRole::kArgument);
      break;
    case OperandRole::kIndex: {
      const Id type = IndexedType(module, inst, index);
      if (type == Id::kNone) return {};
      const bool is_member = TypeOpcode(module, type) == spv::Op::OpTypeStruct;
      rule.role = is_member ? OperandRole::kConstant : OperandRole::kValue;
      break;
    }
    default:
      break;
  }
  if (IsAttachmentCoordinate(module, inst, index)) rule.role = OperandRole::kConstant;
  return rule;
}

}  // namespace ir
}  // namespace refract
