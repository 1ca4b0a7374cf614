// SPDX-License-Identifier: Apache-2.0
// Moves the cases of a switch that lead to one block to the front.
#include "message/move_switch_case.h"

#include <vector>

#include "ir/types.h"
#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::move_switch_case {
namespace {

using Message = message::MoveSwitchCase;

// The number of words of each literal, given by the type of the selector (SPIR-V 3.42.17).
uint32_t LiteralWordsOf(const Module& module, Inst branch) {
  return Width(module, module.TypeOf(module.IdAt(branch, 0))) > 32 ? 2 : 1;
}

// Calls `visit` with the index of the first operand and the label of each case.
template <class Visit>
void ForEachCase(const Module& module, Inst branch, Visit visit) {
  const uint32_t words = LiteralWordsOf(module, branch);
  for (uint32_t i = 2; i + words < module.OperandCount(branch); i += words + 1) {
    visit(i, module.IdAt(branch, i + words));
  }
}

// True if the cases of `target` have a fixed place in the switch that ends `block` (SPIR-V 2.11.2):
// a block that `target` dominates, or an unreachable block, branches to another target, or a block
// other than `block` branches to `target`.
bool FallsThrough(const Module& module, Block block, Block target) {
  const ControlFlow& flow = module.Flow(module[block].function);
  const Inst merge_instruction = module.MergeInstruction(block);
  const Block merge = merge_instruction == Inst::kNone
                          ? Block::kNone
                          : module.BlockOfLabel(module.IdAt(merge_instruction, 0));
  if (target == merge) return false;
  for (Block other : flow.Successors(block)) {
    if (other == merge) continue;
    for (Block from : flow.Predecessors(other)) {
      if (from == block) continue;
      if (other == target || !flow.Reachable(from) || flow.Dominates(target, from)) return true;
    }
  }
  return false;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst branch = view.Find(message.branch);
  if (branch == Inst::kNone || module.Opcode(branch) != spv::Op::OpSwitch) {
    return No("the OpSwitch does not exist");
  }
  const Block target = view.BlockStarting(message.target);
  if (target == Block::kNone) return No("the block does not exist");
  bool is_target = false;
  ForEachCase(module, branch, [&](uint32_t operand, Id label) {
    if (label != module.LabelId(target)) return;
    is_target = true;
    view.DependOn(branch, operand + LiteralWordsOf(module, branch));
  });
  if (!is_target) return No("the block is not the target of a case");
  const Block block = module.BlockOf(branch);
  if (!module.Flow(module[block].function).Reachable(block)) {
    return No("the OpSwitch is unreachable");
  }
  if (FallsThrough(module, block, target)) {
    return No(
        "the case falls through to another case, or another case may fall through to this case");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst branch = module.Find(message.branch);
  const Id target = module.FindId(message.target);
  const uint32_t words = LiteralWordsOf(module, branch);
  Args args{module.IdAt(branch, 0), module.IdAt(branch, 1)};
  const auto add = [&](uint32_t operand, Id label) {
    for (uint32_t k = 0; k < words; ++k) args.push_back(module.Word(branch, operand + k));
    args.push_back(label);
  };
  ForEachCase(module, branch, [&](uint32_t operand, Id label) {
    if (label == target) add(operand, label);
  });
  ForEachCase(module, branch, [&](uint32_t operand, Id label) {
    if (label != target) add(operand, label);
  });
  editor.SetTerminator(module.BlockOf(branch), spv::Op::OpSwitch, args);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst branch = module.Terminator(block);
      if (module.Opcode(branch) != spv::Op::OpSwitch) return;
      std::vector<Id> labels;  // targets that are not the first
      ForEachCase(module, branch, [&](uint32_t, Id label) {
        if (label != module.IdAt(branch, 1 + LiteralWordsOf(module, branch) + 1)) {
          labels.push_back(label);
        }
      });
      if (labels.empty() || !proposer.ShouldTry()) return;
      const Message message{module.NameOf(branch),
                            module.NameOf(labels[proposer.Pick(labels.size())])};
      if (Check(message, proposer.view())) proposer.Offer(message);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {60, 100}});

}  // namespace refract::move_switch_case
