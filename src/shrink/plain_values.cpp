// SPDX-License-Identifier: Apache-2.0
#include "shrink/plain_values.h"

#include <vector>

#include "ir/types.h"
#include "rules/build/declare.h"

namespace refract {
inline namespace shrink {
namespace {

constexpr uint64_t kVariable = 0x5a21;  // the role of the new variable

Id PlainPointer(Editor& editor, Id type, Function function, Id instead_of) {
  const Module& module = editor.module();
  Id found = Id::kNone;
  const auto look = [&](Inst inst) {
    const Id id = module.Result(inst);
    if (found == Id::kNone && module.Type(inst) == type && id != instead_of) found = id;
  };
  ForEachGlobalVariable(module, look);
  if (function == Function::kNone) return found;
  ForEachInstruction(module, module[function].head, [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpFunctionParameter) look(inst);
  });
  if (module[function].first == Block::kNone) return found;
  ForEachInstruction(module, module[function].first, [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpVariable) look(inst);
  });
  if (found != Id::kNone || StorageClassOf(module, type) != spv::StorageClass::Function)
    return found;
  const Inst where = module.Next(module.Label(module[function].first));
  const Name name = editor.Made(kVariable, module.NameOf(module[function].definition),
                                module.NameOf(type), uint64_t{module.instruction_slots()});
  return editor.InsertValue(where, spv::Op::OpVariable, type, name,
                            {static_cast<uint32_t>(spv::StorageClass::Function)});
}

// The words of one, as a number of a scalar type.
std::vector<uint32_t> WordsOfOne(const Module& module, Id type) {
  if (IsInt(module, type)) return LiteralWords(module, type, 1);
  switch (Width(module, type)) {
    case 16:
      return {0x3c00};
    case 64:
      return {0, 0x3ff00000};
    default:
      return {0x3f800000};
  }
}

bool IsOne(const Module& module, Inst constant) {
  if (module.Opcode(constant) == spv::Op::OpConstantTrue) return true;
  if (module.Opcode(constant) != spv::Op::OpConstant) return false;
  const std::vector<uint32_t> one = WordsOfOne(module, module.Type(constant));
  bool is_one = one.size() == module.OperandCount(constant);
  for (uint32_t i = 0; is_one && i < one.size(); ++i) is_one = module.Word(constant, i) == one[i];
  return is_one;
}

}  // namespace

Id PlainValue(Editor& editor, Id type, Function function, Id instead_of) {
  const Module& module = editor.module();
  if (IsPointer(module, type)) return PlainPointer(editor, type, function, instead_of);
  if (TypeOpcode(module, type) == spv::Op::OpTypeVoid || !HasNull(module, type)) return Id::kNone;
  const Id null = module.FindDeclaration(spv::Op::OpConstantNull, type, {});
  if (IsBool(module, type)) {
    const Id no = module.FindDeclaration(spv::Op::OpConstantFalse, type, {});
    if (no == Id::kNone && null != Id::kNone) return null;
    return no != Id::kNone ? no : editor.Declare(spv::Op::OpConstantFalse, type, {});
  }
  if (null != Id::kNone) return null;
  if (IsInt(module, type) || IsFloat(module, type)) {
    Args zero;
    for (uint32_t word : LiteralWords(module, type, 0)) zero.push_back(word);
    return editor.Declare(spv::Op::OpConstant, type, zero);
  }
  return editor.Declare(spv::Op::OpConstantNull, type, {});
}

Id OneValue(Editor& editor, Id type) {
  const Module& module = editor.module();
  if (IsBool(module, type)) return editor.Declare(spv::Op::OpConstantTrue, type, {});
  Args one;
  for (uint32_t word : WordsOfOne(module, type)) one.push_back(word);
  return editor.Declare(spv::Op::OpConstant, type, one);
}

int Plainness(const Module& module, Inst constant) {
  switch (module.Opcode(constant)) {
    case spv::Op::OpConstantNull:
    case spv::Op::OpConstantFalse:
      return 0;
    case spv::Op::OpConstant: {
      bool is_zero = true;
      for (uint32_t i = 0; i < module.OperandCount(constant); ++i) {
        is_zero &= module.Word(constant, i) == 0;
      }
      if (is_zero) return 0;
      break;
    }
    default:
      break;
  }
  return IsOne(module, constant) ? 1 : 2;
}

bool IsAnnotation(const Module& module, Use use) {
  const Inst user = module.User(use);
  const Block list = module.BlockOf(user);
  const bool is_debug = list == Module::SectionBlock(Section::kDebug);
  if (!is_debug && list != Module::SectionBlock(Section::kAnnotations)) return false;
  return module.OperandIndex(use) == 0 || module.Opcode(user) == spv::Op::OpGroupDecorate;
}

bool IsUsed(const Module& module, Id id) {
  bool used = false;
  ForEachUse(module, id, [&](Use use) { used |= !IsAnnotation(module, use); });
  return used;
}

bool ReplaceByPlain(Editor& editor, Id id) {
  const Module& module = editor.module();
  if (!IsUsed(module, id)) return true;
  const Function function = module.FunctionOf(module.Definition(id));
  const Id plain = PlainValue(editor, module.TypeOf(id), function, id);
  if (plain == Id::kNone) return false;
  ReplaceUses(editor, id, plain);
  return true;
}

void ReplaceUses(Editor& editor, Id id, Id by) {
  const Module& module = editor.module();
  std::vector<Use> uses;
  ForEachUse(module, id, [&](Use use) {
    if (!IsAnnotation(module, use)) uses.push_back(use);
  });
  for (Use use : uses) editor.SetOperand(module.User(use), module.OperandIndex(use), by);
}

}  // namespace shrink
}  // namespace refract
