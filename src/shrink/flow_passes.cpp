// SPDX-License-Identifier: Apache-2.0
// Shrink passes for blocks: functions end earlier, constructs are skipped or only one side of them
// is kept, loops run once, edges lead to the end of a construct, and blocks are merged.
#include <algorithm>
#include <set>

#include "ir/branches.h"
#include "ir/call_graph.h"
#include "shrink/pass.h"
#include "shrink/plain_values.h"
#include "shrink/repair.h"

namespace refract {
inline namespace shrink {
namespace {

constexpr uint64_t kOpened = 0x5a22;  // the role of the new merge instruction

bool IsExit(const Module& module, Block block) {
  bool has_target = false;
  ForEachTarget(module, module.Terminator(block), [&](uint32_t) { has_target = true; });
  return !has_target;
}

void RemoveMerge(Editor& editor, Block block) {
  const Inst merge = editor.module().MergeInstruction(block);
  if (merge != Inst::kNone) editor.Remove(merge);
}

// Ends the function in the block, which then returns a plain value.
bool Return(Editor& editor, Block block) {
  const Module& module = editor.module();
  const Function function = module[block].function;
  const Id type = module.Type(module[function].definition);
  if (module.OpcodeOf(type) == spv::Op::OpTypeVoid) {
    RemoveMerge(editor, block);
    editor.SetTerminator(block, spv::Op::OpReturn, {});
    return true;
  }
  const Id plain = PlainValue(editor, type, function, Id::kNone);
  if (plain == Id::kNone) return false;
  RemoveMerge(editor, block);
  editor.SetTerminator(block, spv::Op::OpReturnValue, {plain});
  return true;
}

bool Empty(Editor& editor, Function function) {
  const Module& module = editor.module();
  const Block entry = module[function].first;
  if (!Return(editor, entry) || !Repair(editor, function)) return false;
  std::vector<Inst> inside;
  ForEachInstruction(module, entry, [&](Inst inst) {
    if (inst != module.Label(entry) && inst != module.Terminator(entry)) inside.push_back(inst);
  });
  for (auto inst = inside.rbegin(); inst != inside.rend(); ++inst) {
    const Id result = module.Result(*inst);
    if (result == Id::kNone || !IsUsed(module, result)) editor.Remove(*inst);
  }
  return true;
}

// Returns an edit of the end of a block. The edit fails if the terminator is no longer the same.
template <class Change>
Edit AtEnd(const Module& module, Block block, Change change) {
  const Inst end = module.Terminator(block);
  const spv::Op opcode = module.Opcode(end);
  const uint32_t count = module.OperandCount(end);
  const Inst merge = module.MergeInstruction(block);
  return [=](Editor& editor) {
    const Module& now = editor.module();
    if (!IsStillThere(now, end, opcode) || now.OperandCount(end) != count) return false;
    if (now.BlockOf(end) != block) return false;
    if (now.MergeInstruction(block) != merge) return false;
    return change(editor);
  };
}

Edit BranchTo(const Module& module, Block block, Id target, bool keep_merge) {
  return AtEnd(module, block, [=](Editor& editor) {
    if (editor.module().BlockOfLabel(target) == Block::kNone) return false;
    if (!keep_merge) RemoveMerge(editor, block);
    editor.SetTerminator(block, spv::Op::OpBranch, {target});
    return true;
  });
}

std::vector<Id> TargetsOf(const Module& module, Block block) {
  std::vector<Id> targets;
  const Inst end = module.Terminator(block);
  ForEachTarget(module, end, [&](uint32_t operand) {
    const Id target = module.IdAt(end, operand);
    if (std::find(targets.begin(), targets.end(), target) == targets.end())
      targets.push_back(target);
  });
  return targets;
}

Edit RedirectTo(const Module& module, Block block, uint32_t operand, Id target) {
  return AtEnd(module, block, [=](Editor& editor) {
    const Module& now = editor.module();
    const Inst end = now.Terminator(block);
    if (now.BlockOfLabel(target) == Block::kNone || now.IdAt(end, operand) == target) return false;
    editor.SetOperand(end, operand, target);
    return true;
  });
}

bool OpenLoop(Editor& editor, Block header) {
  const Module& module = editor.module();
  const Inst loop = module.MergeInstruction(header);
  const Id merge = module.IdAt(loop, 0), label = module.LabelId(header);
  const ControlFlow& flow = module.Flow(module[header].function);
  std::vector<Block> latches;
  for (Block from : flow.Predecessors(header)) {
    if (flow.Dominates(header, from)) latches.push_back(from);
  }
  std::set<Block> passed{header};
  for (Block latch : latches) {
    const Inst end = module.Terminator(latch);
    ForEachTarget(module, end, [&](uint32_t operand) {
      if (module.IdAt(end, operand) == label) editor.SetOperand(end, operand, merge);
    });
  }
  // The first branch with a condition, if it has no merge instruction, may leave the loop.
  Block first = header;
  while (module.Opcode(module.Terminator(first)) == spv::Op::OpBranch) {
    const Block next = module.BlockOfLabel(module.IdAt(module.Terminator(first), 0));
    if (passed.count(next) != 0 || module.LabelId(next) == merge) break;
    passed.insert(next);
    first = next;
    if (module.MergeInstruction(first) != Inst::kNone) break;
  }
  const Inst end = module.Terminator(first);
  editor.Remove(loop);
  if (module.Opcode(end) == spv::Op::OpBranch || module.MergeInstruction(first) != Inst::kNone) {
    return true;
  }
  if (TargetsOf(module, first).empty()) return true;
  editor.InsertPlain(end, spv::Op::OpSelectionMerge, editor.Made(kOpened, module.NameOf(end)),
                     {merge, 0u});
  return true;
}

// Merges a loop that consists only of a header and a continue target into one block.
bool MergeWithContinue(Editor& editor, Block header) {
  const Module& module = editor.module();
  const Inst loop = module.MergeInstruction(header);
  if (module.Opcode(loop) != spv::Op::OpLoopMerge) return false;
  const Id label = module.LabelId(header), next_label = module.IdAt(module.Terminator(header), 0);
  const Block next = module.BlockOfLabel(next_label);
  const ControlFlow& flow = module.Flow(module[header].function);
  if (next == header || module.IdAt(loop, 1) != next_label) return false;
  if (flow.Predecessors(next).size() != 1 || module.MergeInstruction(next) != Inst::kNone)
    return false;
  if (module.Opcode(module.Next(module.Label(next))) == spv::Op::OpPhi) return false;
  const Inst end = module.Terminator(next);
  const spv::Op opcode = module.Opcode(end);
  const Args args = ArgsOf(module, end);
  while (module.Next(module.Label(next)) != end) {
    editor.MoveBefore(module.Next(module.Label(next)), loop);
  }
  ForEachTarget(module, end, [&](uint32_t operand) {
    editor.RedirectPhis(module.BlockOfLabel(module.IdAt(end, operand)), next_label, label);
  });
  editor.SetOperand(loop, 1, label);
  editor.SetTerminator(header, opcode, args);
  return true;
}

// Makes `to` the continue target of the loops whose continue target is `from`.
void MoveContinueTarget(Editor& editor, Block from, Block to) {
  const Module& module = editor.module();
  std::vector<Inst> loops;
  ForEachUse(module, module.LabelId(from), [&](Use use) {
    const bool is_loop = module.Opcode(module.User(use)) == spv::Op::OpLoopMerge;
    if (is_loop && module.OperandIndex(use) == 1) loops.push_back(module.User(use));
  });
  for (Inst loop : loops) editor.SetOperand(loop, 1, module.LabelId(to));
}

bool MergeWithNext(Editor& editor, Block block) {
  const Module& module = editor.module();
  const Inst end = module.Terminator(block);
  if (module.MergeInstruction(block) != Inst::kNone) return MergeWithContinue(editor, block);
  const Block next = module.BlockOfLabel(module.IdAt(end, 0));
  const ControlFlow& flow = module.Flow(module[block].function);
  if (next == Block::kNone || next == block || flow.Predecessors(next).size() != 1) return false;
  if (flow.IsMergeBlock(next)) return false;
  if (flow.IsContinueTarget(next)) MoveContinueTarget(editor, next, block);
  std::vector<Inst> phis;
  ForEachInstruction(module, next, [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpPhi) phis.push_back(inst);
  });
  for (Inst phi : phis) {
    const Id value = module.IdAt(phi, 0);
    if (value == module.Result(phi)) return false;
    ReplaceUses(editor, module.Result(phi), value);
    editor.Remove(phi);
  }
  editor.MergeBlocks(block);
  return true;
}

// The merge blocks and continue targets of a function.
std::set<Block> MergeTargets(const Module& module, Function function) {
  std::set<Block> targets;
  ForEachBlock(module, function, [&](Block block) {
    const Inst merge = module.MergeInstruction(block);
    if (merge == Inst::kNone) return;
    targets.insert(module.BlockOfLabel(module.IdAt(merge, 0)));
    if (module.Opcode(merge) == spv::Op::OpLoopMerge)
      targets.insert(module.BlockOfLabel(module.IdAt(merge, 1)));
  });
  return targets;
}

}  // namespace

std::vector<Edit> RemoveUnreachableCode(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachFunctionOf(module, only, [&](Function function) {
    const std::set<Block> targets = MergeTargets(module, function);
    for (Block block : UnreachableBlocks(module, function)) {
      if (IsShort(module, block) && targets.count(block) != 0) continue;
      edits.push_back([=](Editor& editor) {
        std::set<Block> others = UnreachableBlocks(editor.module(), function);
        return others.erase(block) != 0 && Repair(editor, function, others);
      });
    }
  });
  return edits;
}

std::vector<Edit> EmptyFunctions(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachFunctionOf(module, only, [&](Function function) {
    const Block entry = module[function].first;
    if (entry == Block::kNone) return;
    const bool is_short =
        entry == module[function].last && module.Next(module.Label(entry)) == module.Last(entry);
    if (is_short) return;
    edits.push_back([=](Editor& editor) { return Empty(editor, function); });
  });
  return edits;
}

std::vector<Edit> SkipConstructs(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachFunctionOf(module, only, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst merge = module.MergeInstruction(block);
      if (merge == Inst::kNone) return;
      edits.push_back(BranchTo(module, block, module.IdAt(merge, 0), false));
    });
  });
  return edits;
}

std::vector<Edit> EndFunctionsEarlier(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachFunctionOf(module, only, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (IsExit(module, block)) return;
      edits.push_back(AtEnd(module, block, [=](Editor& editor) { return Return(editor, block); }));
    });
  });
  return edits;
}

// Offers the first targets of all blocks before the second ones: in a chunk, only the first edit of
// a block has an effect.
std::vector<Edit> TakeOneSide(const Module& module, Function only) {
  std::vector<Edit> edits;
  for (const bool first : {true, false}) {
    ForEachFunctionOf(module, only, [&](Function function) {
      ForEachBlock(module, function, [&](Block block) {
        const std::vector<Id> targets = TargetsOf(module, block);
        const spv::Op opcode = module.Opcode(module.Terminator(block));
        if (targets.empty() || opcode == spv::Op::OpBranch) return;
        for (size_t i = first ? 0 : 1; i < (first ? 1 : targets.size()); ++i) {
          edits.push_back(BranchTo(module, block, targets[i], false));
          if (!IsLoopHeader(module, block)) continue;
          edits.push_back(BranchTo(module, block, targets[i], true));
        }
      });
    });
  }
  return edits;
}

std::vector<Edit> OpenLoops(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachFunctionOf(module, only, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (!IsLoopHeader(module, block)) return;
      edits.push_back(
          AtEnd(module, block, [=](Editor& editor) { return OpenLoop(editor, block); }));
    });
  });
  return edits;
}

std::vector<Edit> RemoveCases(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachFunctionOf(module, only, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst end = module.Terminator(block);
      if (module.Opcode(end) != spv::Op::OpSwitch) return;
      const uint32_t step = SwitchLiteralWords(module, end) + 1;
      // Starts at the last case, so that the positions of those before it do not change.
      for (uint32_t at = module.OperandCount(end); at >= 2 + step; at -= step) {
        edits.push_back([=](Editor& editor) {
          const Module& now = editor.module();
          if (!IsStillThere(now, end, spv::Op::OpSwitch) || now.OperandCount(end) < at)
            return false;
          Args args = ArgsOf(now, end);
          args.erase(args.begin() + (at - step), args.begin() + at);
          editor.SetTerminator(block, spv::Op::OpSwitch, args);
          return true;
        });
      }
    });
  });
  return edits;
}

std::vector<Edit> RedirectEdges(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachFunctionOf(module, only, [&](Function function) {
    if (module[function].first == Block::kNone) return;
    const ControlFlow& flow = module.Flow(function);
    ForEachBlock(module, function, [&](Block block) {
      std::vector<Id> wanted;
      const auto want = [&](Block target) {
        if (target == Block::kNone) return;
        const Id id = module.LabelId(target);
        if (std::find(wanted.begin(), wanted.end(), id) == wanted.end()) wanted.push_back(id);
      };
      const uint32_t inner = flow.InnermostConstruct(block);
      if (inner != Construct::kNone) want(flow.constructs[inner].merge);
      if (const Construct* loop = flow.InnermostLoop(block)) {
        want(loop->merge);
        want(loop->continue_target);
      }
      for (Id target : TargetsOf(module, block)) want(module.BlockOfLabel(target));
      const Inst end = module.Terminator(block);
      ForEachTarget(module, end, [&](uint32_t operand) {
        for (Id target : wanted) {
          if (target == module.IdAt(end, operand)) continue;
          edits.push_back(RedirectTo(module, block, operand, target));
        }
      });
    });
  });
  return edits;
}

std::vector<Edit> MergeBlocks(const Module& module, Function only) {
  std::vector<Edit> edits;
  ForEachFunctionOf(module, only, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst end = module.Terminator(block);
      if (module.Opcode(end) != spv::Op::OpBranch) return;
      edits.push_back([=](Editor& editor) {
        // If the block was appended to another one, `end` now ends that block.
        const Module& now = editor.module();
        if (!IsStillThere(now, end, spv::Op::OpBranch)) return false;
        return MergeWithNext(editor, now.BlockOf(end));
      });
    });
  });
  return edits;
}

}  // namespace shrink
}  // namespace refract
