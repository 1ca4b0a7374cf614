// SPDX-License-Identifier: Apache-2.0
// Replaces OpKill by OpTerminateInvocation or the reverse. Both end a fragment and write none of
// its outputs (SPIR-V 1.6, which has both). Implementations differ in whether a killed fragment
// goes on as a helper invocation, which only convergent instructions, such as derivatives and
// subgroup operations, can see.
#include "message/replace_kill_with_terminate.h"

#include "ir/grammar/operand_rules.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::replace_kill_with_terminate {
namespace {

using Message = message::ReplaceKillWithTerminate;
using spv::Op;

constexpr uint32_t kHasBoth = 0x00010600;

// OpNop if not found.
Op OtherOf(Op opcode) {
  return opcode == Op::OpKill                  ? Op::OpTerminateInvocation
         : opcode == Op::OpTerminateInvocation ? Op::OpKill
                                               : Op::OpNop;
}

bool HasConvergentInstruction(const Module& module) {
  bool any = false;
  for (Function f = module.first_function(); f != Function::kNone; f = module.NextFunction(f)) {
    ForEachBlock(module, f, [&](Block block) {
      for (Inst i = module.First(block); i != Inst::kNone && !any; i = module.Next(i)) {
        any = module.Opcode(i) != Op::OpFunctionCall && PropertiesOf(module, i).convergent;
      }
    });
  }
  return any;
}

// Everything except the other instructions of the module.
CheckResult CheckTerminator(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.terminator);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (OtherOf(module.Opcode(inst)) == Op::OpNop) {
    return No("the instruction is not OpKill or OpTerminateInvocation");
  }
  if (module.version() < kHasBoth) return No("OpTerminateInvocation requires SPIR-V 1.6");
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  if (CheckResult fits = CheckTerminator(message, view); !fits) return fits;
  if (HasConvergentInstruction(view.module())) {
    return No("an instruction may see whether a killed fragment goes on as a helper");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.terminator);
  editor.SetTerminator(module.BlockOf(inst), OtherOf(module.Opcode(inst)), {});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return OtherOf(module.Opcode(inst)) != Op::OpNop; };
  if (module.version() < kHasBoth || HasConvergentInstruction(module)) return;
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const Message message{module.NameOf(inst), static_cast<uint32_t>(module.Opcode(inst))};
    if (CheckTerminator(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80}, .follow_ons = {"wrap_early_terminator_in_function"}});

}  // namespace refract::replace_kill_with_terminate
