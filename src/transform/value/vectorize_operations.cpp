// SPDX-License-Identifier: Apache-2.0
// Replaces a vector of results of one operation by that operation on vectors. The old instruction,
// under its name, becomes the vector operation; the scalar operations remain for their other uses.
#include "message/vectorize_operations.h"

#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/legality/defined.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"
#include "transform/value/componentwise.h"

namespace refract::vectorize_operations {
namespace {

using Message = message::VectorizeOperations;
using spv::Op;
enum Role : uint64_t { kOperand = 1 };

Inst Lane(const Module& module, Inst construct, uint32_t lane) {
  return module.Definition(module.IdAt(construct, lane));
}

bool IsConstructOfScalars(const Module& module, Inst inst) {
  return module.Opcode(inst) == Op::OpCompositeConstruct && IsVector(module, module.Type(inst)) &&
         module.OperandCount(inst) == PartCount(module, module.Type(inst));
}

// True if both are the same operation, on values that may differ.
bool AreAlike(const Module& module, Inst a, Inst b) {
  if (module.Opcode(a) != module.Opcode(b) || module.OperandCount(a) != module.OperandCount(b)) {
    return false;
  }
  const uint32_t first = FirstComponentOperand(module, a);
  for (uint32_t i = 0; i < module.OperandCount(a); ++i) {
    const bool is_lane = i >= first && !IsSharedByComponents(module, a, i);
    const bool same = is_lane ? module.TypeOf(module.IdAt(a, i)) == module.TypeOf(module.IdAt(b, i))
                              : module.Word(a, i) == module.Word(b, i);
    if (!same) return false;
  }
  return true;
}

// Checks that the operation can be done a second time, because the scalar operation remains. A
// rounded float may get another value if it is contracted with the operation that uses it, and then
// comparisons of such a float may also give another result.
CheckResult MayBeRecomputed(const View& view, Inst scalar) {
  const Module& module = view.module();
  const bool is_irrelevant = view.facts().Irrelevant(module.Result(scalar)) != nullptr;
  const bool asks = !IsFloat(module, module.Type(scalar));
  bool may_differ = PropertiesOf(module, scalar).exactness != Exactness::kExact;
  for (uint32_t i = FirstComponentOperand(module, scalar); i < module.OperandCount(scalar); ++i) {
    const Id operand = module.IdAt(scalar, i);
    if (!is_irrelevant && view.facts().Irrelevant(operand) != nullptr) {
      return No(
          "an operand is marked as irrelevant, so later steps may replace only one of its two "
          "uses");
    }
    may_differ |= asks && IsFloat(module, module.TypeOf(operand)) && !IsSurelyExact(view, operand);
  }
  return may_differ ? No("after the change, a component may be rounded differently") : Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.construct);
  if (inst == Inst::kNone) return No("the OpCompositeConstruct does not exist");
  if (!IsConstructOfScalars(module, inst)) {
    return No("the instruction does not construct a vector from scalars");
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the vector forbids the change");
  }
  // The operands of the scalar operations are available here, because the definitions of these
  // operations dominate this place.
  for (uint32_t lane = 0; lane < module.OperandCount(inst); ++lane) {
    const Inst scalar = Lane(module, inst, lane);
    if (CheckResult still = HasExpectedOpcode(view, scalar, message.opcode); !still) return still;
    if (CheckResult may = MayChangeComponentCount(view, scalar); !may) return may;
    if (!AreAlike(module, Lane(module, inst, 0), scalar)) {
      return No("the components are results of different operations");
    }
    if (IsDecorated(module, module.Result(scalar))) return No("a component has a decoration");
    if (CheckResult may = MayBeRecomputed(view, scalar); !may) return may;
    view.DependOn(inst, lane);
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.construct);
  const uint32_t lanes = module.OperandCount(inst);
  const Inst like = Lane(module, inst, 0);
  Builder builder(editor, inst, module.Result(inst));
  Args args;
  for (uint32_t i = 0; i < module.OperandCount(like); ++i) {
    args.push_back(module.IsId(like, i) ? Arg(module.IdAt(like, i)) : Arg(module.Word(like, i)));
  }
  for (uint32_t i = FirstComponentOperand(module, like); i < args.size(); ++i) {
    if (IsSharedByComponents(module, like, i)) continue;
    std::vector<Id> components;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      components.push_back(module.IdAt(Lane(module, inst, lane), i));
    }
    const Id scalar = module.TypeOf(module.IdAt(like, i));
    const Id type = Declare(editor, VectorType(Describe(module, scalar), lanes));
    args[i] = builder.Construct(type, editor.Made(kOperand, i), components);
  }
  // The scalar operations do not have RelaxedPrecision.
  editor.RemoveDecorations(module.Result(inst));
  editor.SetOpcode(inst, module.Opcode(like));
  editor.SetOperands(inst, args);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) {
    return IsConstructOfScalars(module, inst) && IsComponentwise(module, Lane(module, inst, 0)) &&
           IsComponentwise(module, Lane(module, inst, 1));
  };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const Message message{module.NameOf(inst),
                          static_cast<uint32_t>(module.Opcode(Lane(module, inst, 0)))};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80},
     .follow_ons = {"replace_id_with_synonym", "swap_commutable_operands", "add_no_contraction"}});

}  // namespace refract::vectorize_operations
