// SPDX-License-Identifier: Apache-2.0
// Rules on where instructions may be (SPIR-V 2.4, 2.11 and 2.16.1). If they pass, every block has
// one label and one terminator, and branches and merge instructions name blocks of their function,
// so the control-flow graph can be built.
#include "ir/branches.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "ir/validity/validity.h"
#include "ir/validity/validity_report.h"

namespace refract {
inline namespace ir {
namespace {

using validity::Violation;

bool IsDeclaration(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpTypeForwardPointer:
    case spv::Op::OpVariable:
    case spv::Op::OpUndef:
    case spv::Op::OpLine:
    case spv::Op::OpNoLine:
    case spv::Op::OpExtInst:
    case spv::Op::OpNop:
    case spv::Op::OpConstantPipeStorage:
      return true;
    default:
      return IsType(opcode) || IsConstant(opcode);
  }
}

// True for instructions that must not be in the body of a block.
bool IsForeignInBlock(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpLabel:
    case spv::Op::OpFunction:
    case spv::Op::OpFunctionParameter:
    case spv::Op::OpFunctionEnd:
    case spv::Op::OpCapability:
    case spv::Op::OpEntryPoint:
    case spv::Op::OpExecutionMode:
    case spv::Op::OpName:
    case spv::Op::OpDecorate:
    case spv::Op::OpMemberDecorate:
    case spv::Op::OpTypeForwardPointer:
      return true;
    default:
      return IsType(opcode) || IsConstant(opcode);
  }
}

// Variables must come first in the entry block, and phis first in other blocks.
Status CheckBody(const Module& module, Block block, bool entry) {
  Status status;
  bool past_variables = false, past_phis = false, after_merge = false;
  for (Inst i = module.Next(module.Label(block)); status && i != Inst::kNone; i = module.Next(i)) {
    const spv::Op opcode = module.Opcode(i);
    if (IsDebugInstruction(module, i)) continue;
    const bool last = i == module.Last(block);
    if (IsForeignInBlock(opcode)) {
      return Violation("layout-block", "the instruction is not allowed in a block", module, i);
    }
    if (IsTerminator(opcode) != last) {
      return Violation("layout-terminator",
                       last ? "the block does not end with a terminator"
                            : "a terminator is not the last instruction of its block",
                       module, i);
    }
    if (after_merge && !last) {
      return Violation("layout-merge", "a merge instruction is not directly followed by the branch",
                       module, i);
    }
    if (opcode == spv::Op::OpVariable) {
      if (!entry)
        return Violation("layout-variable", "a variable is declared outside the entry block",
                         module, i);
      if (past_variables) {
        return Violation("layout-variable",
                         "a variable follows an instruction that is not a variable", module, i);
      }
    } else if (opcode == spv::Op::OpPhi) {
      if (entry) return Violation("layout-phi", "the entry block has a phi", module, i);
      if (past_phis)
        return Violation("layout-phi", "a phi follows an instruction that is not a phi", module, i);
    } else {
      past_phis = true;
    }
    past_variables |= opcode != spv::Op::OpVariable;
    after_merge = IsMerge(opcode);
  }
  return status;
}

Status CheckTargets(const Module& module, Block block) {
  const Function function = module[block].function;
  const auto is_target = [&](Id id) {
    const Block target = module.BlockOfLabel(id);
    return target != Block::kNone && module[target].function == function;
  };
  Status status;
  const Inst terminator = module.Terminator(block);
  if (module.Opcode(terminator) == spv::Op::OpSwitch &&
      !IsInt(module, module.TypeOf(module.IdAt(terminator, 0)))) {
    return Violation("type-switch", "the selector is not an integer", module, terminator);
  }
  ForEachTarget(module, terminator, [&](uint32_t operand) {
    if (operand < module.OperandCount(terminator) && is_target(module.IdAt(terminator, operand))) {
      return;
    }
    status = Violation("layout-target", "a branch target is not a block of the function", module,
                       terminator);
  });
  const Inst merge = module.MergeInstruction(block);
  if (!status || merge == Inst::kNone) return status;
  const spv::Op opcode = module.Opcode(merge);
  for (uint32_t i = 0; i < (opcode == spv::Op::OpLoopMerge ? 2 : 1); ++i) {
    if (!is_target(module.IdAt(merge, i))) {
      return Violation("layout-target",
                       "a target of a merge instruction is not a block of the function", module,
                       merge);
    }
  }
  return {};
}

Status CheckBlock(const Module& module, Block block, bool entry) {
  const Inst label = module.Label(block);
  for (Inst i = module.First(block); i != label; i = module.Next(i)) {
    if (i == Inst::kNone || !IsDebugInstruction(module, i)) {
      return Violation("layout-label", "a block does not begin with OpLabel", module,
                       module.First(block));
    }
  }
  if (module.Opcode(label) != spv::Op::OpLabel) {
    return Violation("layout-label", "a block does not begin with OpLabel", module, label);
  }
  const Inst end = module.Last(block);
  if (end == Inst::kNone || !IsTerminator(module.Opcode(end))) {
    return Violation("layout-terminator", "the block does not end with a terminator", module, end);
  }
  return CheckBody(module, block, entry);
}

Status CheckHead(const Module& module, Function function) {
  const Inst definition = module[function].definition;
  if (definition == Inst::kNone) {
    return Violation("layout-function", "a function does not begin with OpFunction");
  }
  const Inst type = module.Definition(module.IdAt(definition, 1));
  if (module.Opcode(type) != spv::Op::OpTypeFunction) {
    return Violation("type-function", "the function type is not an OpTypeFunction", module,
                     definition);
  }
  if (module.Type(definition) != module.IdAt(type, 0)) {
    return Violation("type-function", "the result type does not match the function type", module,
                     definition);
  }
  uint32_t parameters = 0;
  Status status;
  ForEachInstruction(module, module[function].head, [&](Inst inst) {
    if (!status || IsDebugInstruction(module, inst) || inst == definition) return;
    if (module.Opcode(inst) != spv::Op::OpFunctionParameter) {
      status = Violation("layout-function",
                         "the instruction is not allowed before the first block of a function",
                         module, inst);
    } else if (++parameters >= module.OperandCount(type) ||
               module.Type(inst) != module.IdAt(type, parameters)) {
      status = Violation("type-function",
                         "the type of a parameter does not match the function type", module, inst);
    }
  });
  if (!status) return status;
  if (parameters + 1 != module.OperandCount(type)) {
    return Violation("type-function", "the function has fewer parameters than its type", module,
                     definition);
  }
  const Inst end = module.Last(module[function].tail);
  if (end == Inst::kNone || module.Opcode(end) != spv::Op::OpFunctionEnd) {
    return Violation("layout-function", "the function does not end with OpFunctionEnd", module,
                     definition);
  }
  return {};
}

Status CheckFunction(const Module& module, Function function) {
  if (Status status = CheckHead(module, function); !status) return status;
  return validity::CheckBlocks(module, function);
}

}  // namespace

Status validity::CheckBlocks(const Module& module, Function function) {
  Status status;
  ForEachBlock(module, function, [&](Block block) {
    if (status) status = CheckBlock(module, block, block == module[function].first);
  });
  // Targets are checked now, when all blocks are known to begin with a label.
  ForEachBlock(module, function, [&](Block block) {
    if (status) status = CheckTargets(module, block);
  });
  return status;
}

Status CheckLayout(const Module& module) {
  Status status;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (!status || IsDeclaration(module.Opcode(inst))) return;
    // Unknown instructions are accepted.
    if (!IsForeignInBlock(module.Opcode(inst)) && !IsTerminator(module.Opcode(inst))) return;
    status = Violation("layout-section", "the instruction is not a declaration", module, inst);
  });
  bool bodies = false;
  ForEachFunction(module, [&](Function function) {
    if (!status) return;
    status = CheckFunction(module, function);
    if (!status) return;
    const bool body = module[function].first != Block::kNone;
    if (bodies && !body) {
      status = Violation("layout-function", "a function declaration follows a function definition",
                         module, module[function].definition);
    }
    bodies |= body;
  });
  return status;
}

}  // namespace ir
}  // namespace refract
