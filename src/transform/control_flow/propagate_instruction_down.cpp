// SPDX-License-Identifier: Apache-2.0
// Moves an instruction past the branch that ends its block into the successors. It runs on fewer
// paths than before, so even an instruction that can be undefined may move. Where the paths merge
// again, a phi of the copies takes its place.
#include "message/propagate_instruction_down.h"

#include <algorithm>

#include "ir/block_head.h"
#include "ir/grammar/operand_rules.h"
#include "rules/build/copies.h"
#include "rules/values.h"

namespace refract::propagate_instruction_down {
namespace {

using Message = message::PropagateInstructionDown;
enum Role : uint64_t { kCopy = 1 };

// A use, and the block where the value must be available: for a phi, the predecessor.
struct UseBlock {
  Inst user;
  uint32_t operand;
  Block block;
};

// All uses except names and decorations. `block` is kNone for a use outside all blocks (by a
// non-semantic instruction between functions).
std::vector<UseBlock> UsesOf(const Module& module, Id value) {
  std::vector<UseBlock> uses;
  ForEachUse(module, value, [&](Use use) {
    const Inst user = module.User(use);
    Block block = module.BlockOf(user);
    if (block == Module::SectionBlock(Section::kDebug) ||
        block == Module::SectionBlock(Section::kAnnotations)) {
      return;
    }
    if (!module.IsBasicBlock(block)) block = Block::kNone;
    const uint32_t operand = module.OperandIndex(use);
    if (module.Opcode(user) == spv::Op::OpPhi) {
      block = module.BlockOfLabel(module.IdAt(user, operand + 1));
    }
    uses.push_back({user, operand, block});
  });
  return uses;
}

struct Plan {
  std::vector<Block> copies;   // where copies are made, in the order of the branch
  Block merge = Block::kNone;  // where the phi is inserted; kNone if not found
  std::vector<UseBlock> uses;  // the uses that get a copy or the phi instead
  std::vector<Block> served;   // for each of these uses, the block with its copy or phi
  bool is_moved = true;        // whether the instruction itself has no uses left
};

// The block of `tops` that dominates `block`; kNone if not found.
Block Dominating(const ControlFlow& flow, const std::vector<Block>& tops, Block block) {
  for (Block top : tops) {
    if (flow.Dominates(top, block)) return top;
  }
  return Block::kNone;
}

// The successors that only this block branches to, in the order of the branch.
std::vector<Block> Tops(const ControlFlow& flow, Block block) {
  std::vector<Block> tops;
  for (Block successor : flow.Successors(block)) {
    if (successor != block && flow.Predecessors(successor).size() == 1) tops.push_back(successor);
  }
  return tops;
}

// The merge block of the construct with header `block`, if all paths to it pass through `tops`.
Block MergeAfter(const Module& module, Block block, const std::vector<Block>& tops) {
  const ControlFlow& flow = module.Flow(module[block].function);
  const Inst merge_instruction = module.MergeInstruction(block);
  if (merge_instruction == Inst::kNone) return Block::kNone;
  const Block merge = module.BlockOfLabel(module.IdAt(merge_instruction, 0));
  if (!flow.Reachable(merge)) return Block::kNone;
  for (Block predecessor : flow.Predecessors(merge)) {
    if (Dominating(flow, tops, predecessor) == Block::kNone) return Block::kNone;
  }
  return merge;
}

bool Has(const std::vector<Block>& blocks, Block block) {
  return std::find(blocks.begin(), blocks.end(), block) != blocks.end();
}

// Uses that neither a successor nor, if these are all the remaining uses, the merge block dominates
// keep the original instruction.
Plan MakePlan(const Module& module, Inst inst) {
  const Block block = module.BlockOf(inst);
  const ControlFlow& flow = module.Flow(module[block].function);
  const std::vector<Block> tops = Tops(flow, block);
  Plan plan;
  std::vector<Block> needed;
  std::vector<UseBlock> rest;
  for (const UseBlock& use : UsesOf(module, module.Result(inst))) {
    const bool is_reached = use.block != Block::kNone && flow.Reachable(use.block);
    const Block top = is_reached ? Dominating(flow, tops, use.block) : Block::kNone;
    if (top == Block::kNone) {
      rest.push_back(use);
      continue;
    }
    plan.uses.push_back(use);
    plan.served.push_back(top);
    needed.push_back(top);
  }
  const Block merge = MergeAfter(module, block, tops);
  const bool all_behind_merge = std::all_of(rest.begin(), rest.end(), [&](const UseBlock& use) {
    return merge != Block::kNone && use.block != Block::kNone && flow.Dominates(merge, use.block);
  });
  if (!rest.empty() && all_behind_merge && IsOrdinary(module, module.Type(inst))) {
    plan.merge = merge;
    plan.uses.insert(plan.uses.end(), rest.begin(), rest.end());
    plan.served.resize(plan.uses.size(), merge);
    for (Block predecessor : flow.Predecessors(merge)) {
      needed.push_back(Dominating(flow, tops, predecessor));
    }
  } else {
    plan.is_moved = rest.empty() && !plan.uses.empty();
  }
  std::copy_if(tops.begin(), tops.end(), std::back_inserter(plan.copies),
               [&](Block top) { return Has(needed, top); });
  return plan;
}

CheckResult MayMove(const Module& module, Inst inst) {
  const Properties& properties = PropertiesOf(module, inst);
  if (!module.IsBasicBlock(module.BlockOf(inst)) || module.Type(inst) == Id::kNone ||
      !properties.pure || properties.convergent || IsDebugInstruction(module, inst)) {
    return No("the instruction does more than compute a value from its operands");
  }
  if (properties.result_stays_in_block) return No("the value can be used only in its own block");
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    if (!module.IsId(inst, i)) continue;
    const Inst operand = module.Definition(module.IdAt(inst, i));
    if (PropertiesOf(module, operand).result_stays_in_block) {
      return No("an operand can be used only in its own block");
    }
  }
  return MayCopy(module, inst);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.instruction);
  if (inst == Inst::kNone) return No("the instruction does not exist");
  if (const CheckResult v = MayMove(module, inst); !v) return v;
  const Block block = module.BlockOf(inst);
  if (!module.Flow(module[block].function).Reachable(block)) return No("the block is unreachable");
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.instruction);
  const Plan plan = MakePlan(module, inst);
  const Id value = module.Result(inst);
  if (plan.is_moved && plan.copies.size() == 1 && plan.merge == Block::kNone) {
    editor.MoveBefore(inst, BodyStart(module, plan.copies[0]));
    return;
  }
  const ControlFlow flow = module.Flow(module.FunctionOf(inst));
  Copies copies(editor, kCopy);
  std::map<Block, Id> served;
  for (Block block : plan.copies) {
    served[block] =
        copies.CopyValue(inst, BodyStart(module, block), module.NameOf(module.Label(block)));
    CopyFacts(editor, value, served[block], [](Id id) { return id; });
  }
  for (size_t i = 0; i < plan.uses.size(); ++i) {
    if (plan.served[i] == plan.merge) continue;
    editor.SetOperand(plan.uses[i].user, plan.uses[i].operand, served[plan.served[i]]);
  }
  if (plan.merge == Block::kNone) {
    if (plan.is_moved) editor.Remove(inst);
    return;
  }
  Args args;
  for (Block predecessor : flow.Predecessors(plan.merge)) {
    args.push_back(served[Dominating(flow, plan.copies, predecessor)]);
    args.push_back(module.LabelId(predecessor));
  }
  editor.RemoveDecorations(value);
  editor.MoveBefore(inst, module.Next(module.Label(plan.merge)));
  editor.SetOpcode(inst, spv::Op::OpPhi);
  editor.SetOperands(inst, args);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      // Most values are used only in the block that computes them, so skip these.
      ForEachInstruction(module, block, [&](Inst inst) {
        const Use first =
            module.Type(inst) == Id::kNone ? Use::kNone : module.FirstUse(module.Result(inst));
        if (first == Use::kNone || module.BlockOf(module.User(first)) == block) return;
        if (!proposer.ShouldTry() || !MayMove(module, inst)) return;
        const bool is_reachable = module.Flow(function).Reachable(block);
        if (is_reachable && !MakePlan(module, inst).uses.empty()) {
          proposer.Offer(Message{module.NameOf(inst)});
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80},
     .follow_ons = {"split_block", "move_instruction_down", "replace_id_with_synonym",
                    "replace_irrelevant_id"}});

}  // namespace refract::propagate_instruction_down
