// SPDX-License-Identifier: Apache-2.0
// Turns an OpAccessChain into an OpInBoundsAccessChain, or the reverse.
#include "message/toggle_access_chain.h"

#include "rules/context_editor.h"
#include "rules/legality/memory.h"
#include "rules/rule.h"

namespace refract::toggle_access_chain {
namespace {

using Message = message::ToggleAccessChain;

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst chain = view.Find(message.chain);
  if (chain == Inst::kNone) return No("the instruction does not exist");
  if (!module.IsBasicBlock(module.BlockOf(chain))) {
    return No("the instruction is not an access chain in a block");
  }
  switch (module.Opcode(chain)) {
    // The new instruction promises less.
    case spv::Op::OpInBoundsAccessChain:
      return Yes();
    // The indices must stay in range, so the step depends on the steps that put them in place.
    case spv::Op::OpAccessChain:
      for (uint32_t i = 1; i < module.OperandCount(chain); ++i) view.DependOn(chain, i);
      if (AreIndicesInRange(module, chain) || view.IsDead(module.BlockOf(chain))) return Yes();
      return No("an index may be out of range");
    default:
      return No("the instruction is not an access chain in a block");
  }
}

void Apply(const Message& message, ContextEditor& editor) {
  const Inst chain = editor.module().Find(message.chain);
  const bool is_plain = editor.module().Opcode(chain) == spv::Op::OpAccessChain;
  editor.SetOpcode(chain, is_plain ? spv::Op::OpInBoundsAccessChain : spv::Op::OpAccessChain);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        const spv::Op opcode = module.Opcode(inst);
        if (opcode != spv::Op::OpAccessChain && opcode != spv::Op::OpInBoundsAccessChain) return;
        const Message message{module.NameOf(inst)};
        if (proposer.ShouldTry() && Check(message, proposer.view())) proposer.Offer(message);
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {5, 40}});

}  // namespace refract::toggle_access_chain
