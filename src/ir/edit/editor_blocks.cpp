// SPDX-License-Identifier: Apache-2.0
// Structural edits: each edits instructions and lists, and applies the corresponding patch to the
// control-flow graph (flow_patch.h). Any other edit discards the graph, and it is rebuilt at the
// next use.
#include <algorithm>

#include "base/check.h"
#include "ir/branches.h"
#include "ir/edit/editor.h"
#include "ir/edit/flow_patch.h"

namespace refract {
inline namespace ir {
namespace {

// True for the instructions that may come before or between phis.
bool MayPrecedePhi(spv::Op opcode) {
  return opcode == spv::Op::OpLabel || opcode == spv::Op::OpPhi || opcode == spv::Op::OpLine ||
         opcode == spv::Op::OpNoLine || opcode == spv::Op::OpVariable ||
         opcode == spv::Op::OpExtInst;
}

}  // namespace

// --- the control-flow graph

void Editor::DropFlow(Block block) {
  const Function function = module_[block].function;
  if (function != Function::kNone) module_.flows_[Index(function)].Drop();
}

ControlFlow* Editor::FlowToPatch(Block block) {
  ControlFlow* flow = module_.flows_[Index(module_[block].function)].Own();
  if (flow == nullptr) return nullptr;
  // A rebuild also removes the unused gaps in `edges`.
  const bool is_untidy = flow->edges.size() > 64 + 32 * flow->nodes.size();
  if (!flow->is_irregular && !is_untidy) return flow;
  DropFlow(block);
  return nullptr;
}

void Editor::PatchSuccessors(Block block) {
  ControlFlow* flow = FlowToPatch(block);
  if (flow == nullptr) return;
  const Inst terminator = module_.Terminator(block);
  std::vector<Block> targets;
  ForEachTarget(module_, terminator, [&](uint32_t operand) {
    const Block target = module_.BlockOfLabel(module_.IdAt(terminator, operand));
    if (std::find(targets.begin(), targets.end(), target) == targets.end()) {
      targets.push_back(target);
    }
  });
  FlowPatch(*flow).SetSuccessors(block, targets);
}

void Editor::SetTerminator(Block block, spv::Op opcode, const Args& args) {
  const Inst terminator = module_.Terminator(block);
  // The kind of a construct depends on the terminator of its header.
  const bool is_other_kind =
      (opcode == spv::Op::OpSwitch) != (module_.Opcode(terminator) == spv::Op::OpSwitch);
  if (is_other_kind) DropFlow(block);
  ReplaceTerminator(terminator, opcode, args);
  PatchSuccessors(block);
}

// --- lists of blocks

void Editor::ListBlock(Block block, Function function, Block after) {
  const Block next = after == Block::kNone ? module_[function].first : module_[after].next;
  BlockRecord& record = Own(block);
  record.function = function;
  record.prev = after;
  record.next = next;
  if (after != Block::kNone) {
    Own(after).next = block;
  } else {
    Own(function).first = block;
  }
  if (next != Block::kNone) {
    Own(next).prev = block;
  } else {
    Own(function).last = block;
  }
}

void Editor::UnlistBlock(Block block) {
  const BlockRecord record = module_[block];
  if (record.prev != Block::kNone) {
    Own(record.prev).next = record.next;
  } else {
    Own(record.function).first = record.next;
  }
  if (record.next != Block::kNone) {
    Own(record.next).prev = record.prev;
  } else {
    Own(record.function).last = record.prev;
  }
}

Block Editor::AddBlock(Function function) {
  const Block block = static_cast<Block>(module_.blocks_.size());
  module_.blocks_.push_back({});
  ListBlock(block, function, module_[function].last);
  DropFlow(block);
  return block;
}

Block Editor::ListNewBlock(Block after, Name label) {
  const Block block = static_cast<Block>(module_.blocks_.size());
  module_.blocks_.push_back({});
  ListBlock(block, module_[after].function, after);
  AppendValue(block, spv::Op::OpLabel, Id::kNone, label, {});
  return block;
}

Block Editor::AddBlockAfter(Block after, Name label) {
  const Block block = ListNewBlock(after, label);
  DropFlow(block);
  return block;
}

void Editor::MoveBlockAfter(Block block, Block after) {
  if (block == after || module_[block].prev == after) return;
  const Function function = module_[block].function;
  if (module_[function].first == block) DropFlow(block);
  UnlistBlock(block);
  ListBlock(block, function, after);
  if (ControlFlow* flow = FlowToPatch(block)) FlowPatch(*flow).Move(block, after);
}

// --- control-flow edits

Block Editor::SplitBlock(Inst first, Name label, Name branch) {
  const Block old_block = module_.BlockOf(first);
  const Block new_block = ListNewBlock(old_block, label);
  const Inst old_merge = module_.MergeInstruction(old_block);
  for (Inst inst = first; inst != Inst::kNone;) {
    const Inst next = module_.Next(inst);
    Unlink(inst);
    Link(inst, new_block, Inst::kNone);
    inst = next;
  }
  // A cut between a merge instruction and its branch leaves the merge instruction in the old block.
  // FlowPatch does not support this.
  const bool parts_merge = old_merge != Inst::kNone && module_.BlockOf(old_merge) == old_block;
  const Id old_label = module_.LabelId(old_block);
  const Id new_label = module_.LabelId(new_block);
  const Inst terminator = module_.Terminator(new_block);
  ForEachTarget(module_, terminator, [&](uint32_t operand) {
    RedirectPhis(module_.BlockOfLabel(module_.IdAt(terminator, operand)), old_label, new_label);
  });
  Append(old_block, spv::Op::OpBranch, Id::kNone, Id::kNone, branch, {new_label});
  if (parts_merge) DropFlow(old_block);
  if (ControlFlow* flow = FlowToPatch(old_block)) FlowPatch(*flow).Split(old_block, new_block);
  return new_block;
}

Block Editor::AddDiamond(Block block, Id condition, const DiamondNames& names) {
  const Inst branch = module_.Terminator(block);
  CHECK(module_.Opcode(branch) == spv::Op::OpBranch);
  CHECK(module_.MergeInstruction(block) == Inst::kNone);
  const Id join = module_.IdAt(branch, 0);
  const Block arm = ListNewBlock(block, names.label);
  const Id label = module_.LabelId(arm);
  Append(arm, spv::Op::OpBranch, Id::kNone, Id::kNone, names.branch, {join});
  Link(Create(spv::Op::OpSelectionMerge, Id::kNone, Id::kNone, names.merge, {join, 0u}), block,
       branch);
  ReplaceTerminator(branch, spv::Op::OpBranchConditional, {condition, join, label});
  const Block join_block = module_.BlockOfLabel(join);
  ForEachInstruction(module_, join_block, [&](Inst inst) {
    if (module_.Opcode(inst) == spv::Op::OpPhi) AddPhiInput(inst, module_.IdAt(inst, 0), label);
  });
  if (ControlFlow* flow = FlowToPatch(block)) {
    CHECK(flow->Predecessors(join_block).size() == 1 && join_block != block);
    CHECK(!flow->IsMergeBlock(join_block) && !flow->IsContinueTarget(join_block));
    FlowPatch(*flow).AddDiamond(block, arm);
  }
  return arm;
}

void Editor::AddSelection(Block block, Id condition, Block merge, Name name) {
  const Inst branch = module_.Terminator(block);
  CHECK(module_.Opcode(branch) == spv::Op::OpBranch);
  CHECK(module_.MergeInstruction(block) == Inst::kNone);
  const Id label = module_.LabelId(merge);
  Link(Create(spv::Op::OpSelectionMerge, Id::kNone, Id::kNone, name, {label, 0u}), block, branch);
  ReplaceTerminator(branch, spv::Op::OpBranchConditional,
                    {condition, module_.IdAt(branch, 0), label});
  ControlFlow* flow = FlowToPatch(block);
  if (flow == nullptr) return;
  if (flow->IsMergeBlock(merge)) return DropFlow(block);
  FlowPatch(*flow).AddSelection(block, merge);
}

void Editor::AddEdge(Block from, Id condition, Block to) {
  const Inst branch = module_.Terminator(from);
  CHECK(module_.Opcode(branch) == spv::Op::OpBranch);
  SetTerminator(from, spv::Op::OpBranchConditional,
                {condition, module_.IdAt(branch, 0), module_.LabelId(to)});
}

void Editor::RedirectEdge(Block from, Block old_target, Block new_target) {
  const Inst branch = module_.Terminator(from);
  const Id old_label = module_.LabelId(old_target), new_label = module_.LabelId(new_target);
  ForEachTarget(module_, branch, [&](uint32_t operand) {
    if (module_.IdAt(branch, operand) == old_label) StoreOperand(branch, operand, new_label);
  });
  PatchSuccessors(from);
}

void Editor::MergeBlocks(Block block) {
  const Inst branch = module_.Terminator(block);
  CHECK(module_.Opcode(branch) == spv::Op::OpBranch);
  CHECK(module_.MergeInstruction(block) == Inst::kNone);
  const Block gone = module_.BlockOfLabel(module_.IdAt(branch, 0));
  CHECK(gone != block);
  // The graph is patched while both blocks still exist.
  if (ControlFlow* flow = FlowToPatch(block)) {
    CHECK(flow->Predecessors(gone).size() == 1);
    CHECK(!flow->IsMergeBlock(gone) && !flow->IsContinueTarget(gone));
    FlowPatch(*flow).Merge(block);
  }
  const Inst label = module_.Label(gone), end = module_.Terminator(gone);
  ForEachTarget(module_, end, [&](uint32_t operand) {
    RedirectPhis(module_.BlockOfLabel(module_.IdAt(end, operand)), module_.Result(label),
                 module_.LabelId(block));
  });
  RemoveInstruction(branch);
  RemoveInstruction(label);
  while (module_.First(gone) != Inst::kNone) {
    const Inst inst = module_.First(gone);
    Unlink(inst);
    Link(inst, block, Inst::kNone);
  }
  UnlistBlock(gone);
  Own(gone) = {};
}

// --- phis

void Editor::RedirectPhis(Block block, Id from, Id to) {
  for (Inst inst = module_.First(block); inst != Inst::kNone; inst = module_.Next(inst)) {
    if (!MayPrecedePhi(module_.Opcode(inst))) return;
    if (module_.Opcode(inst) != spv::Op::OpPhi) continue;
    for (uint32_t i = 1; i < module_.OperandCount(inst); i += 2) {
      if (module_.IdAt(inst, i) != from) continue;
      // The input is still for the same edge, so its step stays.
      const uint32_t step = module_.OperandAt(inst, i).step;
      SetOperand(inst, i, to);
      module_.operands_.Mutable(module_[inst].first_operand + i).step = step;
    }
  }
}

void Editor::AddPhiInput(Inst phi, Id value, Id predecessor) {
  Args args;
  for (uint32_t i = 0; i < module_.OperandCount(phi); ++i) args.push_back(module_.IdAt(phi, i));
  args.push_back(value);
  args.push_back(predecessor);
  SetOperands(phi, args);
}

}  // namespace ir
}  // namespace refract
