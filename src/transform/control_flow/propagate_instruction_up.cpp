// SPDX-License-Identifier: Apache-2.0
// Moves an instruction up, the opposite of propagate_instruction_down. Each predecessor computes it
// at its end, with the inputs that the phis of the block have for that edge, and a phi of the
// copies takes its place.
#include "message/propagate_instruction_up.h"

#include "ir/availability.h"
#include "ir/grammar/operand_rules.h"
#include "rules/build/copies.h"
#include "rules/legality/defined_by_constants.h"
#include "rules/legality/index_range.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::propagate_instruction_up {
namespace {

using Message = message::PropagateInstructionUp;
enum Role : uint64_t { kCopy = 1 };

bool IsPhiOf(const Module& module, Inst inst, Block block) {
  return module.Opcode(inst) == spv::Op::OpPhi && module.BlockOf(inst) == block;
}

// The index of the phi's input for the predecessor. Each predecessor has one (SPIR-V 3.42.17).
uint32_t InputFrom(const Module& module, Inst phi, Block predecessor) {
  uint32_t i = 0;
  while (module.IdAt(phi, i + 1) != module.LabelId(predecessor)) i += 2;
  return i;
}

CheckResult MayMove(const Module& module, Inst inst) {
  const Properties& properties = PropertiesOf(module, inst);
  if (!module.IsBasicBlock(module.BlockOf(inst)) || module.Type(inst) == Id::kNone ||
      !properties.pure || properties.convergent || IsDebugInstruction(module, inst) ||
      module.Opcode(inst) == spv::Op::OpPhi) {
    return No("the instruction does more than compute a value from its operands");
  }
  if (!IsOrdinary(module, module.Type(inst))) {
    return No("OpPhi does not support the type of the result");
  }
  return MayCopy(module, inst);
}

// True if a copy at the end of a predecessor runs exactly when the instruction would: the
// predecessors have no other successors, and nothing before the instruction in its block can
// prevent its execution.
bool RunsNoMoreOften(const Module& module, Inst inst) {
  const Block block = module.BlockOf(inst);
  const ControlFlow& flow = module.Flow(module[block].function);
  for (Block predecessor : flow.Predecessors(block)) {
    if (flow.Successors(predecessor).size() != 1) return false;
  }
  for (Inst before = module.Prev(inst); before != module.Label(block);
       before = module.Prev(before)) {
    if (PropertiesOf(module, before).side_effect) return false;
  }
  return true;
}

// Checks that the operands of the instruction are available at the ends of all predecessors.
CheckResult AreOperandsThere(const View& view, Inst inst) {
  const Module& module = view.module();
  const Block block = module.BlockOf(inst);
  const ControlFlow& flow = module.Flow(module[block].function);
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    if (!module.IsId(inst, i)) continue;
    const Id operand = module.IdAt(inst, i);
    const Inst definition = module.Definition(operand);
    if (IsPhiOf(module, definition, block)) {
      view.DependOn(definition, 0);  // an earlier step may have turned it into a phi
      for (uint32_t input = 0; input < module.OperandCount(definition); input += 2) {
        if (IsIndex(module, {inst, i}) &&
            MayPutIndexOutOfRange(module, {inst, i}, module.IdAt(definition, input))) {
          return No("with an operand of a phi, a constant index may be out of range");
        }
      }
      continue;
    }
    for (Block predecessor : flow.Predecessors(block)) {
      if (!IsAvailableAtEnd(module, operand, predecessor)) {
        return No("an operand is not available in a predecessor");
      }
    }
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.instruction);
  if (inst == Inst::kNone) return No("the instruction does not exist");
  if (const CheckResult v = MayMove(module, inst); !v) return v;
  const Block block = module.BlockOf(inst);
  const ControlFlow& flow = module.Flow(module[block].function);
  if (!flow.Reachable(block)) return No("the block is unreachable");
  const auto predecessors = flow.Predecessors(block);
  if (predecessors.empty()) return No("the block is the entry block");
  for (Block predecessor : predecessors) {
    if (!flow.Reachable(predecessor)) return No("a predecessor is unreachable");
  }
  if (const CheckResult v = AreOperandsThere(view, inst); !v) return v;
  if (PropertiesOf(module, inst).behaviour_may_be_undefined &&
      !IsDefinedByConstants(module, inst) && !RunsNoMoreOften(module, inst)) {
    return No("the instruction may have undefined behavior if it is executed more often");
  }
  return Yes();
}

// Copies the instruction to the end of the predecessor, with the phi inputs for that edge.
Id CopyTo(ContextEditor& editor, Inst inst, Block predecessor) {
  const Module& module = editor.module();
  Copies copies(editor, kCopy);
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    if (!module.IsId(inst, i)) continue;
    const Id operand = module.IdAt(inst, i);
    const Inst phi = module.Definition(operand);
    if (!IsPhiOf(module, phi, module.BlockOf(inst))) continue;
    copies.Map(operand, module.IdAt(phi, InputFrom(module, phi, predecessor)));
  }
  return copies.CopyValue(inst, EndOfBlock(module, predecessor),
                          module.NameOf(module.Label(predecessor)));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.instruction);
  const Id value = module.Result(inst);
  const Block block = module.BlockOf(inst);
  const ControlFlow& flow = module.Flow(module[block].function);
  const std::vector<Block> predecessors(flow.Predecessors(block).begin(),
                                        flow.Predecessors(block).end());
  Args args;
  for (Block predecessor : predecessors) {
    const Id copy = CopyTo(editor, inst, predecessor);
    // Other facts about the value might not hold at the end of the predecessor.
    if (const Steps* why = editor.facts().Irrelevant(value)) {
      editor.facts().SetIrrelevant(copy, editor.Provenance(*why));
    }
    args.push_back(copy);
    args.push_back(module.LabelId(predecessor));
  }
  editor.RemoveDecorations(value);
  editor.MoveBefore(inst, module.Next(module.Label(block)));
  editor.SetOpcode(inst, spv::Op::OpPhi);
  editor.SetOperands(inst, args);
}

void Propose(Proposer& proposer) {
  constexpr size_t kMostPredecessors = 6;
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        // Most instructions use values that the block has computed before, so skip these.
        if (module.Type(inst) == Id::kNone || !MayMove(module, inst)) return;
        for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
          if (!module.IsId(inst, i)) continue;
          const Inst operand = module.Definition(module.IdAt(inst, i));
          if (module.BlockOf(operand) == block && module.Opcode(operand) != spv::Op::OpPhi) return;
        }
        if (!proposer.ShouldTry()) return;
        const Message message{module.NameOf(inst)};
        const size_t predecessors = module.Flow(function).Predecessors(block).size();
        if (predecessors <= kMostPredecessors && Check(message, proposer.view())) {
          proposer.Offer(message);
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 40}, .follow_ons = {"propagate_instruction_down", "permute_phi_operands"}});

}  // namespace refract::propagate_instruction_up
