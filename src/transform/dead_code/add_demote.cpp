// SPDX-License-Identifier: Apache-2.0
// Adds an OpDemoteToHelperInvocation to a dead block. Unlike an exit it does not end the block: the
// code after it runs in a helper invocation. Therefore a compiler must keep that code for the
// derivatives around it.
#include "message/add_demote.h"

#include "ir/availability.h"
#include "rules/context_editor.h"
#include "rules/legality/function_exit.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::add_demote {
namespace {

using Message = message::AddDemote;
enum Role : uint64_t { kDemote = 1 };

constexpr spv::Op kOpcode = spv::Op::OpDemoteToHelperInvocation;

// No version includes the capability in Shader.
bool HasDemote(const Module& module) {
  return HasCapability(module, spv::Capability::DemoteToHelperInvocation);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (!HasDemote(module)) return No("the module does not declare the required capability");
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, kOpcode, before)) {
    return No("no instruction can be inserted at this point");
  }
  if (!StagesAllow(module, kOpcode, module.FunctionOf(before))) {
    return No("a shader of another stage can reach the function");
  }
  return view.IsDead(module.BlockOf(before)) ? Yes() : No("the block is not known to be dead");
}

void Apply(const Message& message, ContextEditor& editor) {
  editor.InsertPlain(editor.module().Find(message.before), kOpcode, editor.Made(kDemote), {});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!HasDemote(module)) return;
  const Facts& facts = proposer.view().facts();
  ForEachFunction(proposer, [&](Function function) {
    if (!StagesAllow(module, kOpcode, function)) return;
    ForEachBlock(module, function, [&](Block block) {
      if (facts.Dead(module.LabelId(block)) == nullptr) return;
      ForEachInstruction(module, block, [&](Inst inst) {
        if (!MayInsertBefore(module, kOpcode, inst) || !proposer.ShouldTry()) return;
        proposer.Offer(Message{module.NameOf(OldestInsertionPoint(module, kOpcode, inst))});
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule =
    MakeRule<Message, Check, Apply, Propose>({.chance = {80, 100}, .follow_ons = {"split_block"}});

}  // namespace refract::add_demote
