// SPDX-License-Identifier: Apache-2.0
#include "rules/build/copies.h"

#include <algorithm>

#include "ir/availability.h"
#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/function_type.h"

namespace refract {
inline namespace rules {

CheckResult MayCopy(const Module& module, Inst inst) {
  const Id result = module.Result(inst);
  // SPIR-V 2.18.1: an unknown decoration can have any meaning.
  if (result != Id::kNone && !IsTouchable(module, result)) {
    return No("a decoration on the instruction forbids a copy of the instruction");
  }
  // SPIR-V 3.42.8: the size may be zero, but not a constant zero. In a copy, the argument of a call
  // may replace a parameter, and it may be a constant zero.
  if (module.Opcode(inst) == spv::Op::OpCopyMemorySized &&
      !IsConstant(module.OpcodeOf(module.IdAt(inst, 2)))) {
    return No("the size of an OpCopyMemorySized might become a constant zero");
  }
  return Yes();
}

CheckResult MayCopyBody(const Module& module, Function function) {
  CheckResult check_result = Yes();
  size_t count = 0;
  ForEachBlock(module, function, [&](Block block) {
    ForEachInstruction(module, block, [&](Inst inst) {
      if (check_result) check_result = MayCopy(module, inst);
      ++count;
    });
  });
  if (check_result && count > kMostCopies) return No("the function is too large");
  return check_result;
}

std::vector<Block> Copies::CopyBlocks(std::span<const Block> blocks, Block after) {
  const Module& module = editor_.module();
  std::vector<Block> copies;
  for (Block block : blocks) {
    const Inst label = module.Label(block);
    after = editor_.AddBlockAfter(after, editor_.Made(role_, module.NameOf(label)));
    copies.push_back(after);
    MapLabel(block, after);
  }
  CopyBodies(blocks, copies);
  return copies;
}

std::vector<Block> Copies::CopyBlocksTo(Function function, std::span<const Block> blocks) {
  const Module& module = editor_.module();
  std::vector<Block> copies;
  for (Block block : blocks) {
    const Name name = editor_.Made(role_, module.NameOf(module.Label(block)));
    copies.push_back(editor_.AddBlock(function));
    editor_.AppendValue(copies.back(), spv::Op::OpLabel, Id::kNone, name, {});
    MapLabel(block, copies.back());
  }
  CopyBodies(blocks, copies);
  return copies;
}

void Copies::MapLabel(Block block, Block copy) {
  const Module& module = editor_.module();
  editor_.MarkCopy(module.Label(copy), module.Label(block));
  MapCopy(module.LabelId(block), module.LabelId(copy));
}

void Copies::CopyBodies(std::span<const Block> blocks, std::span<const Block> copies) {
  const Module& module = editor_.module();
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (Inst inst = module.Next(module.Label(blocks[i])); inst != Inst::kNone;
         inst = module.Next(inst)) {
      CopyInto(inst, copies[i]);
    }
  }
  // Phis and unreachable blocks can use values that are defined further down.
  for (Block copy : copies) {
    ForEachInstruction(module, copy, [&](Inst inst) {
      MapOperands(inst);
      editor_.MarkCopy(inst, module[inst].copy_of);
    });
  }
}

Id Copies::CopyValue(Inst inst, Inst where, Name part) {
  const Module& module = editor_.module();
  const Id from = module.Result(inst);
  const Id to =
      editor_.InsertValue(where, module.Opcode(inst), module.Type(inst),
                          editor_.Made(role_, module.NameOf(inst), part), MappedOperands(inst));
  editor_.MarkCopy(module.Definition(to), inst);
  editor_.CopyValueDecorations(from, to);
  return to;
}

void Copies::CopyAllFacts(Inst before_loop) {
  const Module& module = editor_.module();
  const auto other = [&](Id id) {
    const Id mapped = Of(id);
    const bool is_beside =
        mapped != id || before_loop == Inst::kNone || IsAvailable(module, id, before_loop);
    return is_beside ? mapped : Id::kNone;
  };
  for (const auto& [from, to] : made_) CopyFacts(editor_, from, to, other);
  // Other synonyms of a parameter hold only if the call is executed, so they are not carried to the
  // argument.
  const auto copy_of = [&](Id id) {
    const auto found = map_.find(id);
    const bool is_passed = std::any_of(arguments_.begin(), arguments_.end(),
                                       [&](const auto& each) { return each.first == id; });
    return found == map_.end() || is_passed ? Id::kNone : found->second;
  };
  for (const auto& [from, to] : arguments_) {
    const bool is_one_value =
        editor_.facts().Irrelevant(to) == nullptr && module.OpcodeOf(to) != spv::Op::OpUndef;
    if (is_one_value) CopyEqualities(editor_, from, to, copy_of);
  }
}

Args Copies::MappedOperands(Inst inst) const {
  const Module& module = editor_.module();
  Args args;
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    args.push_back(module.IsId(inst, i) ? Arg(Of(module.IdAt(inst, i)))
                                        : Arg(module.Word(inst, i)));
  }
  return args;
}

void Copies::CopyInto(Inst inst, Block block) {
  const Module& module = editor_.module();
  if (IsDebugInstruction(module, inst)) return;
  const Name name = editor_.Made(role_, module.NameOf(inst));
  const Id from = module.Result(inst);
  if (from == Id::kNone) {
    editor_.MarkCopy(editor_.AppendPlain(block, module.Opcode(inst), name, MappedOperands(inst)),
                     inst);
    return;
  }
  if (map_.contains(from)) return;
  const Id to = editor_.AppendValue(block, module.Opcode(inst), module.Type(inst), name,
                                    MappedOperands(inst));
  editor_.MarkCopy(module.Definition(to), inst);
  editor_.CopyValueDecorations(from, to);
  MapCopy(from, to);
}

void Copies::MapOperands(Inst copy) {
  const Module& module = editor_.module();
  for (uint32_t i = 0; i < module.OperandCount(copy); ++i) {
    if (!module.IsId(copy, i)) continue;
    const Id id = module.IdAt(copy, i);
    if (const Id mapped = Of(id); mapped != id) editor_.SetOperand(copy, i, mapped);
  }
}

CheckResult MayCopyFunction(const Module& module, Function function) {
  if (module[function].first == Block::kNone) return No("the function has no body");
  if (!IsTouchable(module, module.FunctionId(function))) {
    return No("a decoration on the function forbids the change");
  }
  for (Inst parameter : ParametersOf(module, function)) {
    if (const CheckResult v = MayCopy(module, parameter); !v) return v;
  }
  return MayCopyBody(module, function);
}

Function CopyFunction(ContextEditor& editor, Function function, uint64_t role, Name end) {
  const Module& module = editor.module();
  const Inst definition = module[function].definition;
  const std::vector<Inst> parameters = ParametersOf(module, function);
  std::vector<Id> types;
  for (Inst parameter : parameters) types.push_back(module.Type(parameter));
  const Function copy = StartFunction(editor, module.Type(definition), types,
                                      {editor.Made(role, module.NameOf(definition)), end});
  editor.SetOperand(module[copy].definition, 0, module.Word(definition, 0));
  editor.MarkCopy(module[copy].definition, definition);
  Copies copies(editor, role);
  for (Inst parameter : parameters) {
    const Id id =
        editor.AppendValue(module[copy].head, spv::Op::OpFunctionParameter, module.Type(parameter),
                           editor.Made(role, module.NameOf(parameter)), {});
    editor.MarkCopy(module.Definition(id), parameter);
    editor.CopyValueDecorations(module.Result(parameter), id);
    copies.MapCopy(module.Result(parameter), id);
  }
  std::vector<Block> blocks;
  ForEachBlock(module, function, [&](Block block) { blocks.push_back(block); });
  copies.CopyBlocksTo(copy, blocks);
  copies.CopyAllFacts();
  if (const Steps* why = editor.facts().LiveSafe(module.FunctionId(function))) {
    editor.facts().SetLiveSafe(module.FunctionId(copy), editor.Provenance(*why));
  }
  return copy;
}

}  // namespace rules
}  // namespace refract
