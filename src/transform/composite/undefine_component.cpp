// SPDX-License-Identifier: Apache-2.0
// Makes a component of an OpVectorShuffle undefined if nothing reads it. Compilers rarely see this
// literal, because front ends select only components that they need.
#include "message/undefine_component.h"

#include <vector>

#include "rules/context_editor.h"
#include "rules/legality/unread.h"
#include "rules/offer.h"
#include "rules/rule.h"
#include "rules/uses.h"

namespace refract::undefine_component {
namespace {

using Message = message::UndefineComponent;

constexpr uint32_t kUndefined = 0xffffffffu;  // SPIR-V 3.42.12, OpVectorShuffle
constexpr uint32_t kVectors = 2;              // number of operands before the components

CheckResult CheckComponent(const View& view, Inst shuffle, uint32_t component) {
  const Module& module = view.module();
  if (component >= module.OperandCount(shuffle) - kVectors) {
    return No("a component index is out of range");
  }
  if (module.Word(shuffle, kVectors + component) == kUndefined) {
    return No("the component is already undefined");
  }
  if (view.IsDead(module.BlockOf(shuffle))) return Yes();
  if (!AreUnread(view, shuffle, PartSet{1} << component)) {
    return No("an instruction may use the component");
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst shuffle = view.Find(message.shuffle);
  if (shuffle == Inst::kNone || module.Opcode(shuffle) != spv::Op::OpVectorShuffle) {
    return No("the OpVectorShuffle does not exist");
  }
  if (const CheckResult v = CheckComponent(view, shuffle, message.component); !v) return v;
  DependOnForm(view, shuffle);
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  editor.SetOperand(editor.module().Find(message.shuffle), kVectors + message.component,
                    kUndefined);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto is_shuffle = [&](Inst inst) {
    return module.Opcode(inst) == spv::Op::OpVectorShuffle;
  };
  OfferAtInstructions(proposer, is_shuffle, [&](Inst shuffle) {
    std::vector<uint32_t> components;
    for (uint32_t i = 0; i < module.OperandCount(shuffle) - kVectors; ++i) {
      if (CheckComponent(proposer.view(), shuffle, i)) components.push_back(i);
    }
    if (components.empty()) return;
    proposer.Offer(Message{module.NameOf(shuffle), components[proposer.Pick(components.size())]});
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80}, .follow_ons = {"replace_operand_with_undef"}});

}  // namespace refract::undefine_component
