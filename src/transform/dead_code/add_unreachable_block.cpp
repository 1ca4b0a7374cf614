// SPDX-License-Identifier: Apache-2.0
// Adds blocks that no block branches to.
#include "message/add_unreachable_block.h"

#include "ir/block_head.h"
#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/legality/function_exit.h"
#include "rules/rule.h"

namespace refract::add_unreachable_block {
namespace {

using Message = message::AddUnreachableBlock;
using Shape = message::AddUnreachableBlock::Shape;
enum Role : uint64_t { kLabel = 1, kEnd = 2, kMerge = 3 };

// The place where values for unreachable blocks must be available: the start of the function.
Inst Beginning(const Module& module, Block block) {
  return BodyStart(module, module[module[block].function].first);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Block after = view.BlockStarting(message.after);
  if (after == Block::kNone) return No("the block does not exist");
  switch (message.shape) {
    case Shape::kBlock:
    case Shape::kSelection:
    case Shape::kSwitch:
    case Shape::kLoop:
      return MayExit(view, message.exit, Beginning(module, after));
  }
  return No("the field `shape` has an unknown value");
}

class BlockBuilder {
 public:
  BlockBuilder(ContextEditor& editor, Block after)
      : editor_(editor), module_(editor.module()), last_(after) {}

  // Adds the next block in the list.
  Id AddBlock() {
    last_ = editor_.AddBlockAfter(last_, editor_.Made(kLabel, blocks_));
    ++blocks_;
    const Id label = module_.LabelId(last_);
    editor_.facts().SetDead(label, editor_.Provenance());
    return label;
  }
  void End(Id label, spv::Op opcode, const Args& args) {
    editor_.AppendPlain(module_.BlockOfLabel(label), opcode,
                        editor_.Made(kEnd, module_.NameOf(label)), args);
  }
  void Merge(Id label, spv::Op opcode, const Args& args) {
    editor_.AppendPlain(module_.BlockOfLabel(label), opcode, editor_.Made(kMerge), args);
  }

 private:
  ContextEditor& editor_;
  const Module& module_;
  Block last_;
  uint64_t blocks_ = 0;
};

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Block after = editor.view().BlockStarting(message.after);
  const Function function = module[after].function;
  const Args exit = ExitArgs(editor, message.exit, function);
  BlockBuilder build(editor, after);
  Id last = build.AddBlock();
  if (message.shape != Shape::kBlock) {
    const Id header = last, inner = build.AddBlock();
    last = build.AddBlock();
    if (message.shape == Shape::kLoop) {
      build.Merge(header, spv::Op::OpLoopMerge, {last, inner, 0u});
      build.End(inner, spv::Op::OpBranch, {header});
    } else {
      build.Merge(header, spv::Op::OpSelectionMerge, {last, 0u});
      build.End(inner, spv::Op::OpBranch, {last});
    }
    if (message.shape == Shape::kSwitch) {
      const Id selector = Declare(editor, ScalarConstant(IntType(32, false), 0));
      build.End(header, spv::Op::OpSwitch, {selector, last, 1u, inner});
    } else {
      build.End(header, spv::Op::OpBranchConditional,
                {Declare(editor, BoolConstant(true)), inner, last});
    }
  }
  build.End(last, ExitOpcode(module, message.exit, function), exit);
}

void Propose(Proposer& proposer) {
  constexpr Shape kShapes[] = {Shape::kBlock, Shape::kSelection, Shape::kSwitch, Shape::kLoop};
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (!proposer.ShouldTry()) return;
      const Shape shape = kShapes[proposer.Pick(std::size(kShapes))];
      proposer.Offer(Message{module.NameOf(module.Label(block)), shape,
                             PickExit(proposer, Beginning(module, block))});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {1, 8},
     .follow_ons = {"set_loop_control", "set_selection_control", "move_block_down", "access",
                    "add_relaxed_precision"}});

}  // namespace refract::add_unreachable_block
