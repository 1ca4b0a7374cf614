// SPDX-License-Identifier: Apache-2.0
#include "ir/availability.h"

#include "ir/block_head.h"
#include "ir/branches.h"

namespace refract {
inline namespace ir {
namespace {

// True if `definition` is in a section, or is the OpFunction or a parameter of `function`.
bool IsOutsideBlocks(const Module& module, Inst definition, Function function) {
  const Block block = module.BlockOf(definition);
  if (module.IsBasicBlock(block)) return false;
  const Function owner = module[block].function;
  return owner == Function::kNone || owner == function ||
         module.Opcode(definition) == spv::Op::OpFunction;
}

}  // namespace

bool IsAvailable(const Module& module, Id id, Inst where) {
  const Inst definition = module.Definition(id);
  if (definition == Inst::kNone) return false;
  const Block use_block = module.BlockOf(where);
  const Function function = module[use_block].function;
  const Block block = module.BlockOf(definition);
  if (!module.IsBasicBlock(block)) return IsOutsideBlocks(module, definition, function);
  if (module[block].function != function) return false;
  if (block == use_block) return module.Precedes(definition, where);
  const ControlFlow& flow = module.Flow(function);
  if (flow.Reachable(use_block)) return flow.Dominates(block, use_block);
  return module.Opcode(definition) == spv::Op::OpVariable;
}

bool IsAvailableAtEnd(const Module& module, Id id, Block block) {
  // Available before the terminator is enough, because a terminator defines no id.
  return IsAvailable(module, id, module.Terminator(block));
}

bool IsAvailableAtUse(const Module& module, Id id, Inst user, uint32_t operand) {
  if (module.Opcode(user) != spv::Op::OpPhi) return IsAvailable(module, id, user);
  if (operand % 2 != 0) return false;  // a label
  return IsAvailableAtEnd(module, id, module.BlockOfLabel(module.IdAt(user, operand + 1)));
}

bool MayInsertBefore(const Module& module, spv::Op opcode, Inst where) {
  const Block block = module.BlockOf(where);
  if (!module.IsBasicBlock(block)) return false;
  const spv::Op next = module.Opcode(where);
  // Nothing may come before the label or the debug lines that belong to it.
  if (!module.Precedes(module.Label(block), where)) return false;
  if (IsTerminator(opcode) || opcode == spv::Op::OpLabel) return false;
  Inst prev = module.Prev(where);
  while (IsDebugLine(module.Opcode(prev))) prev = module.Prev(prev);
  if (IsMerge(module.Opcode(prev))) return false;
  if (next == spv::Op::OpVariable && opcode != spv::Op::OpVariable) return false;
  if (next == spv::Op::OpPhi && opcode != spv::Op::OpPhi) return false;
  // A debug line or debug instruction before a phi or variable belongs to the phis or variables.
  // Other extended instructions cannot be there.
  Inst after = where;
  while (IsDebugLine(module.Opcode(after)) || module.Opcode(after) == spv::Op::OpExtInst) {
    after = module.Next(after);
  }
  if (after != where &&
      (module.Opcode(after) == spv::Op::OpVariable || module.Opcode(after) == spv::Op::OpPhi)) {
    return opcode == module.Opcode(after);
  }
  if (opcode == spv::Op::OpPhi) {
    return prev == module.Label(block) || module.Opcode(prev) == spv::Op::OpPhi;
  }
  if (opcode == spv::Op::OpVariable) {
    return module[module.FunctionOf(where)].first == block &&
           (prev == module.Label(block) || module.Opcode(prev) == spv::Op::OpVariable);
  }
  return true;
}

}  // namespace ir
}  // namespace refract
