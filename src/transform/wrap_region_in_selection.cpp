// SPDX-License-Identifier: Apache-2.0
// A region here is one entry block E to one exit block X on one level of nesting, whole constructs
// in between. E keeps its label and phis and becomes the header, so that whoever branches to E or
// names it (as merge block, continue target, case) still does; the new merge block gets the old
// branch of X, so that whatever leaves the region over it leaves from the level it was on.
#include "message/wrap_region_in_selection.h"

#include <algorithm>

#include "ir/block_head.h"
#include "transform/condition.h"
#include "transform/context_editor.h"
#include "transform/dead_exit.h"
#include "transform/rule.h"

namespace refract::wrap_region_in_selection {
namespace {

using Message = message::WrapRegionInSelection;
enum Role : uint64_t { kLabel = 1, kBranch = 2, kMergeLabel = 3, kExitBranch = 4, kMerge = 5 };

// The construct around a block, its own not counted if it is a header.
uint32_t Level(const Module& module, const ControlFlow& flow, Block block) {
  const uint32_t innermost = flow.InnermostConstruct(block);
  if (innermost == Construct::kNone || module.MergeInstruction(block) == Inst::kNone) {
    return innermost;
  }
  return flow.constructs[innermost].parent;
}

class Region {
 public:
  // What `entry` reaches, structurally too, without leaving `exit`.
  Region(const Module& module, const ControlFlow& flow, Block entry, Block exit)
      : module_(module), flow_(flow), entry_(entry), inside_(flow.order.size(), 0) {
    Add(entry);
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const Block block = blocks_[i];
      if (block == exit) continue;
      for (Block successor : flow.Successors(block)) Add(successor);
      const Inst merge = module.MergeInstruction(block);
      if (merge == Inst::kNone) continue;
      Add(module.BlockOfLabel(module.IdAt(merge, 0)));
      if (module.Opcode(merge) == spv::Op::OpLoopMerge) {
        Add(module.BlockOfLabel(module.IdAt(merge, 1)));
      }
    }
  }

  bool Has(Block block) const { return inside_[flow_.Slot(block)] != 0; }

  // All edges into it go to the entry, from outside.
  bool IsEnteredAtEntry() const {
    for (Block block : blocks_) {
      for (Block predecessor : flow_.Predecessors(block)) {
        if (Has(predecessor) == (block == entry_)) return false;
      }
    }
    return true;
  }

  // Each merge block and continue target inside has its header inside; the entry may end a
  // construct or begin a continue construct outside.
  bool HasWholeConstructs() const {
    for (Block block : blocks_) {
      if (block == entry_) continue;
      const Block of_merge = flow_.HeaderOfMerge(block);
      const Block of_continue = flow_.HeaderOfContinue(block);
      if (of_merge != Block::kNone && !Has(of_merge)) return false;
      if (of_continue != Block::kNone && !Has(of_continue)) return false;
    }
    return true;
  }

  // Whether some value is used outside, where it would no longer dominate the use. What stays in
  // the head of the entry does not count.
  bool IsUsedOutside() const {
    for (Block block : blocks_) {
      Inst inst = block == entry_ ? BodyStart(module_, block) : module_.First(block);
      for (; inst != Inst::kNone; inst = module_.Next(inst)) {
        if (module_.Type(inst) != Id::kNone && IsUsedOutside(module_.Result(inst))) return true;
      }
    }
    return false;
  }

 private:
  void Add(Block block) {
    if (Has(block)) return;
    inside_[flow_.Slot(block)] = 1;
    blocks_.push_back(block);
  }

  bool IsUsedOutside(Id id) const {
    for (Use use = module_.FirstUse(id); use != Use::kNone; use = module_.NextUse(use)) {
      const Block user = module_.BlockOf(module_.User(use));
      if (module_.IsBasicBlock(user) && !Has(user)) return true;
    }
    return false;
  }

  const Module& module_;
  const ControlFlow& flow_;
  const Block entry_;
  std::vector<uint8_t> inside_;
  std::vector<Block> blocks_;
};

Verdict CheckRegion(const Module& module, Block entry, Block exit) {
  const ControlFlow& flow = module.Flow(module[entry].function);
  if (!flow.Reachable(entry) || !flow.Reachable(exit)) return No("the region is not reachable");
  if (module.Opcode(module.Terminator(exit)) != spv::Op::OpBranch) {
    return No("the region does not end with OpBranch");
  }
  const Inst entry_merge = module.MergeInstruction(entry);
  if (entry_merge != Inst::kNone && module.Opcode(entry_merge) == spv::Op::OpLoopMerge) {
    return No("the entry is a loop header");
  }
  // SPIR-V 2.11.2: nothing but its own blocks branches to a selection's merge block, so the exit
  // may not be in a construct inside the region.
  if (Level(module, flow, entry) != flow.InnermostConstruct(exit)) {
    return No("entry and exit are not on one level");
  }
  const Region region(module, flow, entry, exit);
  if (!region.Has(exit)) return No("the entry does not lead to the exit");
  if (region.Has(flow.Successors(exit)[0])) return No("the exit leads back into the region");
  if (!region.IsEnteredAtEntry()) return No("the region is entered elsewhere");
  if (!region.HasWholeConstructs()) return No("the region has parts of constructs");
  if (region.IsUsedOutside()) return No("a value made in the region is used outside");
  return Yes();
}

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Block entry = view.BlockStarting(message.entry);
  if (entry == Block::kNone) return No("the entry is not there");
  const Block exit = view.BlockEnding(message.exit);
  if (exit == Block::kNone) return No("the exit is not there");
  if (module[entry].function != module[exit].function) {
    return No("entry and exit are in two functions");
  }
  if (const Verdict v = CheckRegion(module, entry, exit); !v) return v;
  if (const Verdict v = MayAddEdges(module); !v) return v;
  return IsTrueAt(view, message.condition, BodyStart(module, entry));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Block entry = editor.view().BlockStarting(message.entry);
  const Block exit = editor.view().BlockEnding(message.exit);
  const Id condition = TrueCondition(editor, message.condition);
  const Block merge = editor.SplitBlock(module.Terminator(exit), editor.Made(kMergeLabel),
                                        editor.Made(kExitBranch));
  editor.CarryDead(exit, merge);
  const Block inner =
      editor.SplitBlock(BodyStart(module, entry), editor.Made(kLabel), editor.Made(kBranch));
  editor.CarryDead(entry, inner);
  editor.InsertPlain(module.Terminator(entry), spv::Op::OpSelectionMerge, editor.Made(kMerge),
                     {module.LabelId(merge), 0u});
  editor.SetTerminator(entry, spv::Op::OpBranchConditional,
                       {condition, module.LabelId(inner), module.LabelId(merge)});
}

// Blocks that may be the exit of a region from `entry`, by following its level: over constructs to
// their merge blocks, over branches to blocks that only they go to.
std::vector<Block> Exits(const Module& module, const ControlFlow& flow, Block entry) {
  constexpr size_t kMaxExits = 16;
  std::vector<Block> exits;
  Block block = entry;
  for (size_t steps = 0; steps < 4 * kMaxExits && exits.size() < kMaxExits; ++steps) {
    const Inst merge = module.MergeInstruction(block);
    if (merge != Inst::kNone) {
      block = module.BlockOfLabel(module.IdAt(merge, 0));
      continue;
    }
    if (module.Opcode(module.Terminator(block)) != spv::Op::OpBranch) break;
    exits.push_back(block);
    const Block next = flow.Successors(block)[0];
    if (flow.Predecessors(next).size() != 1 || flow.IsMergeBlock(next) ||
        flow.IsContinueTarget(next)) {
      break;
    }
    block = next;
  }
  return exits;
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!MayAddEdges(module)) return;
  ForEachFunction(module, [&](Function function) {
    ForEachBlock(module, function, [&](Block entry) {
      if (!proposer.Toss()) return;
      const ControlFlow& flow = module.Flow(function);
      const std::vector<Block> exits = Exits(module, flow, entry);
      if (exits.empty()) return;
      const Block exit = exits[proposer.Pick(exits.size())];
      if (!CheckRegion(module, entry, exit)) return;
      Message message{module.NameOf(module.Label(entry)), module.NameOf(module.Terminator(exit)),
                      PickTrueCondition(proposer, entry)};
      if (!Check(message, proposer.view())) message.condition = {};
      proposer.Offer(std::move(message));
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 50},
     .follow_ons = {"replace_bool_constant_with_comparison", "add_dead_break", "split_block",
                    "set_selection_control"}});

}  // namespace refract::wrap_region_in_selection
