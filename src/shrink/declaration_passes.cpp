// SPDX-License-Identifier: Apache-2.0
// Shrink passes for declarations: they remove unused ones, remove entry points, give arrays one
// element, and make constants zero or one.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/branches.h"
#include "ir/call_graph.h"
#include "ir/grammar/operand_rules.h"
#include "ir/grammar/properties.h"
#include "ir/types.h"
#include "shrink/pass.h"
#include "shrink/plain_values.h"
#include "shrink/renumber.h"

namespace refract {
inline namespace shrink {
namespace {

// --- unused instructions

bool IsInterface(const Module& module, Use use) {
  return module.Opcode(module.User(use)) == spv::Op::OpEntryPoint &&
         module.OperandIndex(use) >= 2 &&
         module.OpcodeOf(module.IdAt(module.User(use), module.OperandIndex(use))) ==
             spv::Op::OpVariable;
}

// Counts the uses that need the id. Names, decorations and interface lists do not.
size_t CountUses(const Module& module, Id id) {
  size_t count = 0;
  ForEachUse(module, id, [&](Use use) {
    if (!IsAnnotation(module, use) && !IsInterface(module, use)) ++count;
  });
  return count;
}

bool IsResultType(const Module& module, Id type) {
  bool found = false;
  ForEachInFile(module, [&](Inst inst) { found = found || module.Type(inst) == type; });
  return found;
}

bool MayGo(const Module& module, Inst inst) {
  const spv::Op opcode = module.Opcode(inst);
  const Block list = module.BlockOf(inst);
  if (module.IsBasicBlock(list)) {
    if (opcode == spv::Op::OpLabel || IsTerminator(opcode) || IsMerge(opcode)) return false;
    return IsDebugInstruction(module, inst) || opcode == spv::Op::OpNop ||
           PropertiesOf(module, inst).removable_if_unused();
  }
  if (module[list].function != Function::kNone) {
    return IsDebugInstruction(module, inst) || opcode == spv::Op::OpFunction;
  }
  return opcode != spv::Op::OpMemoryModel && opcode != spv::Op::OpEntryPoint;
}

bool RemoveUnusedOne(Editor& editor, Inst inst) {
  const Module& module = editor.module();
  if (module[inst].removed) return false;
  const Id result = module.Result(inst);
  if (result != Id::kNone && CountUses(module, result) != 0) return false;
  if (IsType(module.Opcode(inst)) && IsResultType(module, result)) return false;
  std::vector<Inst> entries;
  if (result != Id::kNone) {
    ForEachUse(module, result, [&](Use use) {
      if (IsInterface(module, use)) entries.push_back(module.User(use));
    });
  }
  for (Inst entry : entries) {
    Args args = ArgsOf(module, entry);
    std::erase_if(args, [&](const Arg& arg) { return arg.is_id && arg.word == Index(result); });
    editor.SetOperands(entry, args);
  }
  if (module.Opcode(inst) == spv::Op::OpFunction) {
    editor.RemoveFunction(module.FunctionOf(inst));
  } else {
    editor.Remove(inst);
  }
  return true;
}

// Finds the instructions that nothing uses, or only other instructions that are found; users come
// first.
class UnusedFinder {
 public:
  UnusedFinder(const Module& module, Function only) : module_(module), only_(only) {}

  std::vector<Inst> Find() {
    uses_.assign(module_.id_slots(), 0);
    for (size_t i = 1; i < module_.id_slots(); ++i) {
      uses_[i] = CountUses(module_, static_cast<Id>(i));
    }
    // The lists of uses lack result types.
    ForEachInFile(module_, [&](Inst inst) {
      if (module_.Type(inst) != Id::kNone) ++uses_[Index(module_.Type(inst))];
    });
    std::vector<Inst> all;
    if (only_ == Function::kNone) {
      for (uint32_t s = 1; s <= Index(Section::kCount); ++s) List(static_cast<Block>(s), &all);
    }
    ForEachFunctionOf(module_, only_, [&](Function function) {
      if (only_ == Function::kNone) List(module_[function].head, &all);
      ForEachBlock(module_, function, [&](Block block) { List(block, &all); });
      if (only_ == Function::kNone) List(module_[function].tail, &all);
    });
    for (auto inst = all.rbegin(); inst != all.rend(); ++inst) Consider(*inst);
    return std::move(found_);
  }

 private:
  void List(Block list, std::vector<Inst>* all) {
    ForEachInstruction(module_, list, [&](Inst inst) {
      if (MayGo(module_, inst)) all->push_back(inst);
    });
  }

  void Consider(Inst first) {
    std::vector<Inst> todo{first};
    while (!todo.empty()) {
      const Inst inst = todo.back();
      todo.pop_back();
      const Id result = module_.Result(inst);
      if (result != Id::kNone && uses_[Index(result)] != 0) continue;
      if (!taken_.insert(inst).second) continue;
      found_.push_back(inst);
      const Block list = module_.BlockOf(inst);
      const bool is_annotation = list == Module::SectionBlock(Section::kDebug) ||
                                 list == Module::SectionBlock(Section::kAnnotations);
      Release(module_.Type(inst), &todo);
      for (uint32_t i = is_annotation ? 1 : 0; i < module_.OperandCount(inst); ++i) {
        if (module_.IsId(inst, i)) Release(module_.IdAt(inst, i), &todo);
      }
    }
  }

  void Release(Id id, std::vector<Inst>* todo) {
    if (id == Id::kNone || uses_[Index(id)] == 0 || --uses_[Index(id)] > 0) return;
    const Inst definition = module_.Definition(id);
    if (definition == Inst::kNone || !MayGo(module_, definition)) return;
    const bool is_here = only_ == Function::kNone || module_.FunctionOf(definition) == only_;
    if (is_here) todo->push_back(definition);
  }

  const Module& module_;
  const Function only_;
  std::vector<size_t> uses_;
  std::set<Inst> taken_;
  std::vector<Inst> found_;
};

// --- constants

// Replaces a constant by an equal one, if the module has one, or else changes its value.
bool BecomeConstant(Editor& editor, Inst inst, const Args& value) {
  const Module& module = editor.module();
  if (!IsStillThere(module, inst, spv::Op::OpConstant)) return false;
  const Id equal = module.FindDeclaration(spv::Op::OpConstant, module.Type(inst), value);
  if (equal == module.Result(inst)) return false;
  // A constant that is declared later cannot replace it in other declarations.
  if (equal != Id::kNone && module.Precedes(module.Definition(equal), inst)) {
    ReplaceUses(editor, module.Result(inst), equal);
    editor.Remove(inst);
    return true;
  }
  for (uint32_t i = 0; i < value.size(); ++i) editor.SetOperand(inst, i, value[i]);
  return true;
}

// Makes a specialisation constant a constant with its default value.
bool Unspecialise(Editor& editor, Inst inst) {
  const Module& module = editor.module();
  if (module[inst].removed) return false;
  switch (module.Opcode(inst)) {
    case spv::Op::OpSpecConstant:
      editor.SetOpcode(inst, spv::Op::OpConstant);
      break;
    case spv::Op::OpSpecConstantTrue:
      editor.SetOpcode(inst, spv::Op::OpConstantTrue);
      break;
    case spv::Op::OpSpecConstantFalse:
      editor.SetOpcode(inst, spv::Op::OpConstantFalse);
      break;
    default:
      return false;
  }
  editor.RemoveDecorations(module.Result(inst));
  return true;
}

}  // namespace

std::vector<Edit> RemoveUnused(const Module& module, Function only) {
  std::vector<Edit> edits;
  for (Inst inst : UnusedFinder(module, only).Find()) {
    edits.push_back([=](Editor& editor) { return RemoveUnusedOne(editor, inst); });
  }
  return edits;
}

// Removes entry points, the last ones first, because the first one is usually the important one.
std::vector<Edit> RemoveEntryPoints(const Module& module, Function) {
  std::vector<Edit> edits;
  ForEachInstruction(module, Module::SectionBlock(Section::kEntryPoints), [&](Inst entry) {
    edits.push_back([=](Editor& editor) {
      const Module& now = editor.module();
      if (now[entry].removed) return false;
      const Id function = now.IdAt(entry, 1);
      editor.Remove(entry);
      if (IsEntryPoint(now, now.FunctionOfId(function))) return true;
      std::vector<Inst> modes;
      ForEachInstruction(now, Module::SectionBlock(Section::kExecutionModes), [&](Inst mode) {
        if (now.IdAt(mode, 0) == function) modes.push_back(mode);
      });
      for (Inst mode : modes) editor.Remove(mode);
      return true;
    });
  });
  std::reverse(edits.begin(), edits.end());
  return edits;
}

// Makes another suitable function the entry point and removes the old one.
std::vector<Edit> MoveEntryPoints(const Module& module, Function) {
  std::vector<Edit> edits;
  ForEachInstruction(module, Module::SectionBlock(Section::kEntryPoints), [&](Inst entry) {
    const Id old = module.IdAt(entry, 1);
    ForEachFunction(module, [&](Function function) {
      const Inst definition = module[function].definition;
      const bool fits = module.OpcodeOf(module.Type(definition)) == spv::Op::OpTypeVoid &&
                        module.OperandCount(module.Definition(module.IdAt(definition, 1))) == 1;
      if (!fits || module[function].first == Block::kNone) return;
      if (IsEntryPoint(module, function)) return;
      edits.push_back([=](Editor& editor) {
        const Module& now = editor.module();
        if (now[entry].removed || now[definition].removed || now.IdAt(entry, 1) != old)
          return false;
        const Id id = now.Result(definition);
        editor.SetOperand(entry, 1, id);
        ForEachInstruction(now, Module::SectionBlock(Section::kExecutionModes), [&](Inst mode) {
          if (now.IdAt(mode, 0) == old) editor.SetOperand(mode, 0, id);
        });
        if (!IsUsed(now, old)) editor.RemoveFunction(now.FunctionOfId(old));
        return true;
      });
    });
  });
  return edits;
}

std::vector<Edit> ShortenArrays(const Module& module, Function) {
  std::vector<Edit> edits;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpTypeArray) return;
    const Id length = module.IdAt(inst, 1);
    if (LiteralValue(module, length) == std::optional<uint64_t>(1)) return;
    edits.push_back([=](Editor& editor) {
      const Module& now = editor.module();
      if (!IsStillThere(now, inst, spv::Op::OpTypeArray) || now.IdAt(inst, 1) != length)
        return false;
      const Id type = now.TypeOf(length);
      const Id one = now.FindDeclaration(spv::Op::OpConstant, type, {1u});
      // A new declaration would come after the type.
      if (one == Id::kNone || !now.Precedes(now.Definition(one), inst)) return false;
      editor.SetOperand(inst, 1, one);
      return true;
    });
  });
  return edits;
}

std::vector<Edit> PlainConstants(const Module& module, Function) {
  std::vector<Edit> edits;
  // Of two plain constants of one type, the later one goes.
  std::map<Id, Id> plain;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (!IsConstant(module.Opcode(inst)) || Plainness(module, inst) != 0) return;
    const Id result = module.Result(inst);
    const auto [first, is_new] = plain.emplace(module.Type(inst), result);
    if (is_new) return;
    edits.push_back([inst, result, by = first->second](Editor& editor) {
      const Module& now = editor.module();
      if (now[inst].removed || now.Definition(by) == Inst::kNone) return false;
      ReplaceUses(editor, result, by);
      editor.Remove(inst);
      return true;
    });
  });
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (!IsConstant(module.Opcode(inst)) || Plainness(module, inst) == 0) return;
    if (module.Opcode(inst) == spv::Op::OpConstant) return;
    edits.push_back([=](Editor& editor) { return Unspecialise(editor, inst); });
    edits.push_back([=](Editor& editor) {
      if (editor.module()[inst].removed || !ReplaceByPlain(editor, editor.module().Result(inst))) {
        return false;
      }
      editor.Remove(inst);
      return true;
    });
  });
  for (const bool zero : {true, false}) {
    ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
      const int wanted = zero ? 0 : 1;
      if (module.Opcode(inst) != spv::Op::OpConstant || Plainness(module, inst) <= wanted) return;
      const Id type = module.Type(inst);
      if (!zero && IsFloat(module, type) && Width(module, type) != 32) return;
      const uint64_t bits = zero ? 0 : IsFloat(module, type) ? 0x3f800000 : 1;
      Args value;
      for (uint32_t word : LiteralWords(module, type, bits)) value.push_back(word);
      edits.push_back([=](Editor& editor) { return BecomeConstant(editor, inst, value); });
    });
  }
  return edits;
}

}  // namespace shrink
}  // namespace refract
