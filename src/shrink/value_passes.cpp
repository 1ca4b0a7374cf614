// SPDX-License-Identifier: Apache-2.0
// Shrink passes for values: they remove instructions, replace instructions by their operands,
// replace operands by plain or older values, and make literals zero.
#include <algorithm>
#include <map>

#include "ir/branches.h"
#include "ir/grammar/operand_rules.h"
#include "ir/grammar/properties.h"
#include "ir/types.h"
#include "shrink/pass.h"
#include "shrink/plain_values.h"

namespace refract {
inline namespace shrink {
namespace {

// True if a pass over values may remove the instruction: it does not define the control flow.
bool IsInside(const Module& module, Inst inst) {
  const spv::Op opcode = module.Opcode(inst);
  return opcode != spv::Op::OpLabel && !IsTerminator(opcode) && !IsMerge(opcode);
}

template <class Visit>
void ForEachInside(const Module& module, Function only, Visit visit) {
  ForEachFunctionOf(module, only, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) { ForEachInstruction(module, block, visit); });
  });
}

// True if the operand is a value and not a label, type or function.
bool IsValueOperand(const Module& module, Inst user, uint32_t operand) {
  if (!module.IsId(user, operand)) return false;
  const Inst definition = module.Definition(module.IdAt(user, operand));
  if (definition == Inst::kNone || module.Type(definition) == Id::kNone) return false;
  return module.Opcode(definition) != spv::Op::OpFunction;
}

Edit Replace(Inst user, uint32_t operand, Id was, Id by) {
  return [=](Editor& editor) {
    const Module& now = editor.module();
    if (now[user].removed || now.OperandCount(user) <= operand || !now.IsId(user, operand)) {
      return false;
    }
    if (now.IdAt(user, operand) != was || now.Definition(by) == Inst::kNone) return false;
    editor.SetOperand(user, operand, by);
    return true;
  };
}

bool RemoveValue(Editor& editor, Inst inst) {
  const Id result = editor.module().Result(inst);
  if (result != Id::kNone && !ReplaceByPlain(editor, result)) return false;
  editor.Remove(inst);
  return true;
}

// The values of the type of `inst` that it is computed from, directly or through other values of
// the function; the closest ones first.
std::vector<Id> SourcesOf(const Module& module, Inst inst) {
  constexpr size_t kMostSources = 4, kMostVisits = 16;
  std::vector<Id> sources;
  std::vector<Inst> visited{inst};
  for (size_t next = 0; next < visited.size() && visited.size() < kMostVisits; ++next) {
    for (uint32_t i = 0; i < module.OperandCount(visited[next]); ++i) {
      if (!IsValueOperand(module, visited[next], i)) continue;
      const Id operand = module.IdAt(visited[next], i);
      const Inst definition = module.Definition(operand);
      if (std::find(visited.begin(), visited.end(), definition) != visited.end()) continue;
      visited.push_back(definition);
      if (module.TypeOf(operand) == module.Type(inst)) sources.push_back(operand);
      if (sources.size() == kMostSources) return sources;
    }
  }
  return sources;
}

bool IsLocalSize(const Module& module, Inst mode) {
  return module.Opcode(mode) == spv::Op::OpExecutionMode &&
         static_cast<spv::ExecutionMode>(module.Word(mode, 1)) == spv::ExecutionMode::LocalSize;
}

}  // namespace

Args ArgsOf(const Module& module, Inst inst) {
  Args args;
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    args.push_back(module.IsId(inst, i) ? Arg(module.IdAt(inst, i)) : Arg(module.Word(inst, i)));
  }
  return args;
}

// Starts at the last instruction, so that users are removed before what they use.
std::vector<Edit> RemoveInstructions(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachInside(module, only, [&](Inst inst) {
    if (!IsInside(module, inst)) return;
    const spv::Op opcode = module.Opcode(inst);
    edits.push_back([=](Editor& editor) {
      return IsStillThere(editor.module(), inst, opcode) && RemoveValue(editor, inst);
    });
  });
  std::reverse(edits.begin(), edits.end());
  return edits;
}

std::vector<Edit> ForwardOperands(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachInside(module, only, [&](Inst inst) {
    const Id result = module.Result(inst);
    if (!IsInside(module, inst) || result == Id::kNone || !IsUsed(module, result)) return;
    for (Id source : SourcesOf(module, inst)) {
      edits.push_back([=](Editor& editor) {
        const Module& now = editor.module();
        if (now[inst].removed || now.Definition(source) == Inst::kNone) return false;
        ReplaceUses(editor, result, source);
        editor.Remove(inst);
        return true;
      });
    }
  });
  return edits;
}

// Starts at the last instruction, as RemoveInstructions does. A constant in place of a value may
// make a tool compute more than it did; an undefined value rarely does.
std::vector<Edit> UndefinedValues(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachInside(module, only, [&](Inst inst) {
    const Id result = module.Result(inst);
    const spv::Op opcode = module.Opcode(inst);
    if (!IsInside(module, inst) || result == Id::kNone || !IsUsed(module, result)) return;
    if (opcode == spv::Op::OpVariable || IsPointer(module, module.Type(inst))) return;
    edits.push_back([=](Editor& editor) {
      if (!IsStillThere(editor.module(), inst, opcode)) return false;
      ReplaceUses(editor, result, editor.Declare(spv::Op::OpUndef, editor.module().Type(inst), {}));
      editor.Remove(inst);
      return true;
    });
  });
  std::reverse(edits.begin(), edits.end());
  return edits;
}

std::vector<Edit> PlainOperands(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachInside(module, only, [&](Inst inst) {
    for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
      if (!IsValueOperand(module, inst, i)) continue;
      const Id id = module.IdAt(inst, i);
      if (IsConstant(module.OpcodeOf(id)) && Plainness(module, module.Definition(id)) == 0)
        continue;
      edits.push_back([=](Editor& editor) {
        const Module& now = editor.module();
        if (now[inst].removed || now.OperandCount(inst) <= i || !now.IsId(inst, i)) return false;
        if (now.IdAt(inst, i) != id) return false;
        const Id plain = PlainValue(editor, now.TypeOf(id), now.FunctionOf(inst), id);
        if (plain == Id::kNone || plain == id) return false;
        editor.SetOperand(inst, i, plain);
        return true;
      });
    }
  });
  std::reverse(edits.begin(), edits.end());
  return edits;
}

std::vector<Edit> OneOperands(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachInside(module, only, [&](Inst inst) {
    for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
      if (!IsValueOperand(module, inst, i)) continue;
      const Id id = module.IdAt(inst, i), type = module.TypeOf(id);
      if (!IsBool(module, type) && !IsInt(module, type) && !IsFloat(module, type)) continue;
      if (IsConstant(module.OpcodeOf(id)) && Plainness(module, module.Definition(id)) < 2) continue;
      edits.push_back([=](Editor& editor) {
        const Module& now = editor.module();
        if (now[inst].removed || now.OperandCount(inst) <= i || !now.IsId(inst, i)) return false;
        if (now.IdAt(inst, i) != id) return false;
        editor.SetOperand(inst, i, OneValue(editor, type));
        return true;
      });
    }
  });
  std::reverse(edits.begin(), edits.end());
  return edits;
}

std::vector<Edit> ForwardStores(const Module& module, Function only) {
  std::vector<Edit> edits;
  std::map<Id, Id> stored;  // the last value, by pointer
  ForEachInside(module, only, [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpStore)
      stored[module.IdAt(inst, 0)] = module.IdAt(inst, 1);
    if (module.Opcode(inst) != spv::Op::OpLoad) return;
    const auto found = stored.find(module.IdAt(inst, 0));
    if (found == stored.end()) return;
    edits.push_back([=, value = found->second](Editor& editor) {
      const Module& now = editor.module();
      if (!IsStillThere(now, inst, spv::Op::OpLoad) || now.Definition(value) == Inst::kNone) {
        return false;
      }
      ReplaceUses(editor, now.Result(inst), value);
      editor.Remove(inst);
      return true;
    });
  });
  return edits;
}

// Replaces an operand by an operand of its definition, or by a parameter of the function. Both must
// have the same type.
std::vector<Edit> OlderOperands(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachInside(module, only, [&](Inst inst) {
    for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
      if (!IsValueOperand(module, inst, i)) continue;
      const Id id = module.IdAt(inst, i), type = module.TypeOf(id);
      const Inst definition = module.Definition(id);
      if (module.IsBasicBlock(module.BlockOf(definition))) {
        for (uint32_t k = 0; k < module.OperandCount(definition); ++k) {
          if (!IsValueOperand(module, definition, k)) continue;
          const Id older = module.IdAt(definition, k);
          if (older != id && module.TypeOf(older) == type)
            edits.push_back(Replace(inst, i, id, older));
        }
      }
      const Function function = module.FunctionOf(inst);
      ForEachInstruction(module, module[function].head, [&](Inst parameter) {
        if (module.Opcode(parameter) != spv::Op::OpFunctionParameter || parameter == definition)
          return;
        if (module.Type(parameter) != type) return;
        edits.push_back(Replace(inst, i, id, module.Result(parameter)));
      });
    }
  });
  return edits;
}

// Simplifies controls of functions, loops and selections, memory operands, and workgroup sizes.
std::vector<Edit> PlainLiterals(const Module& module, Function only) {
  std::vector<Edit> edits;
  const auto cut = [&](Inst inst, uint32_t count, bool zero) {
    bool is_plain = module.OperandCount(inst) <= count + (zero ? 1 : 0);
    is_plain &= !zero || module.OperandCount(inst) <= count || module.Word(inst, count) == 0;
    if (is_plain) return;
    const spv::Op opcode = module.Opcode(inst);
    edits.push_back([=](Editor& editor) {
      const Module& now = editor.module();
      if (!IsStillThere(now, inst, opcode)) return false;
      Args args = ArgsOf(now, inst);
      if (args.size() <= count) return false;
      args.erase(args.begin() + count, args.end());
      if (zero) args.push_back(0u);
      editor.SetOperands(inst, args);
      return true;
    });
  };
  ForEachInstruction(module, Module::SectionBlock(Section::kExecutionModes), [&](Inst mode) {
    if (only != Function::kNone || !IsLocalSize(module, mode)) return;
    for (uint32_t i = 2; i < module.OperandCount(mode); ++i) {
      if (module.Word(mode, i) == 1) continue;
      edits.push_back([=](Editor& editor) {
        if (editor.module()[mode].removed) return false;
        editor.SetOperand(mode, i, 1u);
        return true;
      });
    }
  });
  ForEachFunctionOf(module, only, [&](Function function) {
    const Inst definition = module[function].definition;
    if (module.Word(definition, 0) != 0) {
      edits.push_back([=](Editor& editor) {
        if (editor.module()[definition].removed) return false;
        editor.SetOperand(definition, 0, 0u);
        return true;
      });
    }
  });
  ForEachInside(module, only, [&](Inst inst) {
    switch (module.Opcode(inst)) {
      case spv::Op::OpLoopMerge:
        return cut(inst, 2, true);
      case spv::Op::OpSelectionMerge:
        return cut(inst, 1, true);
      case spv::Op::OpLoad:
        return cut(inst, 1, false);
      case spv::Op::OpStore:
      case spv::Op::OpCopyMemory:
        return cut(inst, 2, false);
      case spv::Op::OpBranchConditional:
        return cut(inst, 3, false);
      default:
        return;
    }
  });
  return edits;
}

}  // namespace shrink
}  // namespace refract
