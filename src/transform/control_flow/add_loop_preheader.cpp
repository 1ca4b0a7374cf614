// SPDX-License-Identifier: Apache-2.0
// Adds a block before a loop. The header keeps its label, which names the loop. Edges from outside
// now go to the new block: branches, and references to the header as a merge block or continue
// target. If there are several edges, phis of the new block merge their values.
#include "message/add_loop_preheader.h"

#include <algorithm>

#include "ir/branches.h"
#include "rules/legality/condition.h"
#include "transform/control_flow/loop_shape.h"

namespace refract::add_loop_preheader {
namespace {

using Message = message::AddLoopPreheader;
enum Role : uint64_t { kLabel = 1, kBranch = 2, kPhi = 3 };

// The predecessors that are not in the loop.
std::vector<Block> Outside(const ControlFlow& flow, Block header) {
  std::vector<Block> outside;
  for (Block block : flow.Predecessors(header)) {
    if (!flow.StructurallyDominates(header, block)) outside.push_back(block);
  }
  return outside;
}

CheckResult CheckHeader(const Module& module, Block header) {
  if (!IsLoopHeader(module, header)) return No("the block is not a loop header");
  const ControlFlow& flow = module.Flow(module[header].function);
  const std::vector<Block> outside = Outside(flow, header);
  if (outside.empty()) return No("no block outside the loop branches to the loop header");
  // Unreachable blocks keep their edges, because spirv-val 2023.1 handles such edges wrongly.
  for (Block block : outside) {
    if (!flow.StructurallyReachable(block)) {
      return No("an unreachable block branches to the loop header");
    }
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Block header = view.BlockStarting(message.header);
  if (header == Block::kNone) return No("the loop header does not exist");
  return CheckHeader(view.module(), header);
}

// Replaces the phi's inputs from outside by one input from `preheader`.
void Collect(ContextEditor& editor, Inst phi, Block preheader, const std::vector<Block>& outside) {
  const Module& module = editor.module();
  Args inside, collected;
  for (uint32_t i = 0; i < module.OperandCount(phi); i += 2) {
    const Block from = module.BlockOfLabel(module.IdAt(phi, i + 1));
    const bool is_outside = std::find(outside.begin(), outside.end(), from) != outside.end();
    Args& to = is_outside ? collected : inside;
    to.push_back(module.IdAt(phi, i));
    to.push_back(module.IdAt(phi, i + 1));
  }
  const Id result = module.Result(phi);
  Id value = static_cast<Id>(collected[0].word);
  if (outside.size() > 1) {
    value = editor.InsertValue(module.Terminator(preheader), spv::Op::OpPhi, module.Type(phi),
                               editor.Made(kPhi, module.NameOf(phi)), collected);
    if (const Steps* why = editor.facts().Irrelevant(result)) {
      editor.facts().SetIrrelevant(value, editor.Provenance(*why));
    }
  }
  Args args{value, module.LabelId(preheader)};
  args.insert(args.end(), inside.begin(), inside.end());
  editor.SetOperands(phi, args);
}

// Uses of `header` in merge instructions of other blocks.
std::vector<Use> Mentions(const Module& module, Block header) {
  std::vector<Use> mentions;
  ForEachUse(module, module.LabelId(header), [&](Use use) {
    const Inst user = module.User(use);
    if (IsMerge(module.Opcode(user)) && module.BlockOf(user) != header) mentions.push_back(use);
  });
  return mentions;
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Block header = editor.view().BlockStarting(message.header);
  const std::vector<Block> outside = Outside(module.Flow(module[header].function), header);
  const Block preheader = editor.AddBlockAfter(module[header].prev, editor.Made(kLabel));
  const Id label = module.LabelId(preheader);
  editor.AppendPlain(preheader, spv::Op::OpBranch, editor.Made(kBranch), {module.LabelId(header)});
  for (Inst phi : PhisOf(module, header)) Collect(editor, phi, preheader, outside);
  for (Block block : outside) editor.RedirectEdge(block, header, preheader);
  for (Use use : Mentions(module, header)) {
    editor.SetOperand(module.User(use), module.OperandIndex(use), label);
  }
  editor.CopyDeadFacts(header, preheader);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachLoop(proposer, [&](Block header) {
    if (CheckHeader(module, header)) proposer.Offer(Message{module.NameOf(module.Label(header))});
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60},
     .follow_ons = {"split_block", "wrap_region_in_selection", "duplicate_region_with_selection",
                    "permute_phi_operands", "peel_loop", "split_loop", "outline_function"}});

}  // namespace refract::add_loop_preheader
