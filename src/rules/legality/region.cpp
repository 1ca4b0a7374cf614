// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/region.h"

#include <algorithm>

#include "ir/availability.h"
#include "ir/block_head.h"
#include "ir/branches.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {
namespace {

enum Role : uint64_t { kLabel = 1, kBranch = 2, kMergeLabel = 3, kExitBranch = 4, kInside = 7 };

// The construct that contains a block. For a header, the construct around its own.
uint32_t Level(const Module& module, const ControlFlow& flow, Block block) {
  const uint32_t innermost = flow.InnermostConstruct(block);
  if (innermost == Construct::kNone || module.MergeInstruction(block) == Inst::kNone) {
    return innermost;
  }
  return flow.constructs[innermost].parent;
}

}  // namespace

RegionEnds FindEnds(const View& view, Name entry, Name exit) {
  return {view.BlockStarting(entry), view.BlockEnding(exit)};
}

CheckResult CheckEnds(const Module& module, const RegionEnds& ends) {
  if (ends.entry == Block::kNone) return No("the entry block of the region does not exist");
  if (ends.exit == Block::kNone) return No("the exit block of the region does not exist");
  if (module[ends.entry].function != module[ends.exit].function) {
    return No("the entry block and the exit block of the region are in different functions");
  }
  return Yes();
}

Region::Region(const Module& module, Block entry, Block exit)
    : module_(module),
      flow_(module.Flow(module[entry].function)),
      entry_(entry),
      exit_(exit),
      inside_(flow_.order.size(), 0) {
  Add(entry);
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Block block = blocks_[i];
    if (block == exit) continue;
    for (Block successor : flow_.Successors(block)) Add(successor);
    const Inst merge = module.MergeInstruction(block);
    if (merge == Inst::kNone) continue;
    Add(module.BlockOfLabel(module.IdAt(merge, 0)));
    if (module.Opcode(merge) == spv::Op::OpLoopMerge) {
      Add(module.BlockOfLabel(module.IdAt(merge, 1)));
    }
  }
}

CheckResult Region::Check() const {
  if (!flow_.Reachable(entry_) || !flow_.Reachable(exit_)) return No("the region is unreachable");
  if (IsLoopHeader(module_, entry_)) return No("the entry block of the region is a loop header");
  // SPIR-V 2.11.2: only blocks of a selection may branch to its merge block, so the exit must not
  // be in a construct inside the region.
  if (Level(module_, flow_, entry_) != flow_.InnermostConstruct(exit_)) {
    return No("the entry block and the exit block of the region are not in the same construct");
  }
  if (!Has(exit_)) return No("the exit block of the region cannot be reached from its entry block");
  for (Block successor : flow_.Successors(exit_)) {
    if (Has(successor)) return No("the exit block of the region branches back into the region");
  }
  if (!IsEnteredAtEntry()) {
    return No(
        "control flow must enter the region only at its entry block and only from outside the "
        "region");
  }
  if (!HasWholeConstructs()) return No("the region contains only part of a construct");
  return Yes();
}

std::vector<Block> Region::Blocks() const {
  std::vector<Block> blocks = blocks_;
  std::sort(blocks.begin(), blocks.end(),
            [&](Block a, Block b) { return flow_.Position(a) < flow_.Position(b); });
  return blocks;
}

std::vector<Id> Region::ResultsUsedOutside() const {
  std::vector<Id> results;
  ForEachInside([&](Inst inst) {
    const Id result = module_.Result(inst);
    if (module_.Type(inst) != Id::kNone && IsUsedOutside(result)) results.push_back(result);
  });
  return results;
}

CheckResult Region::MayCarryOut() const {
  for (Id result : ResultsUsedOutside()) {
    if (!IsOrdinary(module_, module_.TypeOf(result))) {
      return No("a value used after the region has a type that OpPhi does not support");
    }
    if (!IsAvailableAtEnd(module_, result, exit_)) {
      return No("a value used after the region is not available at its exit block");
    }
    if (IsUsedUnreachedBeforeExit(result)) {
      return No("unreachable code before the exit block uses a value of the region");
    }
  }
  return Yes();
}

// After a step, a result is defined where the exit was. Unreachable code may come before that
// place, and there too spirv-val requires each definition before its uses.
bool Region::IsUsedUnreachedBeforeExit(Id id) const {
  for (Use use = module_.FirstUse(id); use != Use::kNone; use = module_.NextUse(use)) {
    const Block block = module_.BlockOf(module_.User(use));
    if (!module_.IsBasicBlock(block) || Has(block) || IsReachable(block)) continue;
    Block after = exit_;
    while (after != Block::kNone && after != block) after = module_[after].next;
    if (after == Block::kNone) return true;
  }
  return false;
}

bool Region::IsUsedOutside(Id id) const {
  for (Use use = module_.FirstUse(id); use != Use::kNone; use = module_.NextUse(use)) {
    const Inst user = module_.User(use);
    const Block block = module_.BlockOf(user);
    if (!module_.IsBasicBlock(block)) continue;
    if (!Has(block) || (block == exit_ && user == module_.Terminator(block))) return true;
  }
  return false;
}

void Region::Add(Block block) {
  if (Has(block)) return;
  inside_[flow_.Slot(block)] = 1;
  blocks_.push_back(block);
}

Inst Region::Begin(Block block) const {
  return block == entry_ ? BodyStart(module_, block) : module_.Next(module_.Label(block));
}

// True if all edges into the region go from outside to the entry.
bool Region::IsEnteredAtEntry() const {
  for (Block block : blocks_) {
    for (Block predecessor : flow_.Predecessors(block)) {
      if (Has(predecessor) == (block == entry_)) return false;
    }
  }
  return true;
}

// True if each merge block and continue target in the region has its header in the region. The
// entry may belong to a construct outside.
bool Region::HasWholeConstructs() const {
  for (Block block : blocks_) {
    if (block == entry_) continue;
    const Block of_merge = flow_.HeaderOfMerge(block);
    const Block of_continue = flow_.HeaderOfContinue(block);
    if (of_merge != Block::kNone && !Has(of_merge)) return false;
    if (of_continue != Block::kNone && !Has(of_continue)) return false;
  }
  return true;
}

IsolatedRegion IsolateRegion(ContextEditor& editor, const RegionEnds& ends) {
  const Region region(editor.module(), ends.entry, ends.exit);
  return IsolateRegion(editor, ends, region.ResultsUsedOutside(), ends.exit);
}

IsolatedRegion IsolateRegion(ContextEditor& editor, const RegionEnds& ends,
                             const std::vector<Id>& results, Block before_merge) {
  const Module& module = editor.module();
  const Region region(module, ends.entry, ends.exit);
  IsolatedRegion cut;
  cut.entry = ends.entry;
  cut.inside = region.Blocks();
  cut.merge = editor.SplitBlock(module.Terminator(ends.exit), editor.Made(kMergeLabel),
                                editor.Made(kExitBranch));
  editor.CopyDeadFacts(before_merge, cut.merge);
  cut.first =
      editor.SplitBlock(BodyStart(module, ends.entry), editor.Made(kLabel), editor.Made(kBranch));
  editor.CopyDeadFacts(ends.entry, cut.first);
  std::replace(cut.inside.begin(), cut.inside.end(), ends.entry, cut.first);
  cut.exit = ends.exit == ends.entry ? cut.first : ends.exit;
  cut.displaced = DisplaceAll(editor, kInside, results, cut.inside);
  return cut;
}

namespace {

// True if only `from` branches to the block, apart from back edges of a loop that the block may
// head.
bool IsEnteredFrom(const ControlFlow& flow, Block block, Block from) {
  for (Block predecessor : flow.Predecessors(block)) {
    if (predecessor != from && !flow.StructurallyDominates(block, predecessor)) return false;
  }
  return true;
}

}  // namespace

std::vector<Block> ExitsFrom(const Module& module, Block entry) {
  constexpr size_t kMaxExits = 16;
  const ControlFlow& flow = module.Flow(module[entry].function);
  std::vector<Block> exits;
  Block block = entry;
  for (size_t steps = 0; steps < 4 * kMaxExits && exits.size() < kMaxExits; ++steps) {
    const Inst merge = module.MergeInstruction(block);
    if (merge != Inst::kNone) {
      block = module.BlockOfLabel(module.IdAt(merge, 0));
      continue;
    }
    exits.push_back(block);
    if (module.Opcode(module.Terminator(block)) != spv::Op::OpBranch) break;
    const Block next = flow.Successors(block)[0];
    if (!IsEnteredFrom(flow, next, block) || flow.IsMergeBlock(next) ||
        flow.IsContinueTarget(next)) {
      break;
    }
    block = next;
  }
  return exits;
}

}  // namespace rules
}  // namespace refract
