// SPDX-License-Identifier: Apache-2.0
// Replaces an operand by OpUndef, because optimisers treat undefined values specially and make
// mistakes there. The replacement is exact: nothing reads the operand, or the result is the same
// for every value.
#include "message/replace_operand_with_undef.h"

#include <algorithm>
#include <vector>

#include "ir/availability.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/legality/condition.h"
#include "rules/legality/unread.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::replace_operand_with_undef {
namespace {

using Message = message::ReplaceOperandWithUndef;
enum Role : uint64_t { kUndefined = 1 };

// True if a bool is known to have this value where `user` uses it.
bool IsKnown(const View& view, Inst user, uint32_t operand, bool value) {
  const Module& module = view.module();
  const Id id = module.IdAt(user, operand);
  if (!IsBool(module, module.TypeOf(id)) || !IsConditionAt(view, module.NameOf(id), value, user)) {
    return false;
  }
  view.DependOn(user, operand);
  return true;
}

// True if the edge is never taken: it belongs to a dead block, or the branch always takes its other
// side.
bool IsNeverTaken(const View& view, Block from, Block to) {
  const Module& module = view.module();
  if (view.IsDead(from) || view.IsDead(to)) return true;
  const Inst branch = module.Terminator(from);
  if (module.Opcode(branch) != spv::Op::OpBranchConditional) return false;
  const Id target = module.LabelId(to);
  const bool on_true = module.IdAt(branch, 1) == target;
  if (on_true == (module.IdAt(branch, 2) == target)) return false;
  view.DependOn(branch, on_true ? 1 : 2);
  return IsKnown(view, branch, 0, !on_true);
}

// True if each scalar of a constant equals `literal`. Bits of `literal` above the width are
// ignored.
bool IsAll(const View& view, Id constant, uint64_t literal) {
  const Module& module = view.module();
  const Id type = module.TypeOf(constant), scalar = ScalarType(module, type);
  if (scalar == Id::kNone || view.facts().Irrelevant(constant) != nullptr) return false;
  const uint32_t width = IsBool(module, scalar) ? 1 : Width(module, scalar);
  const auto is_it = [&](Id id) {
    const auto value = LiteralValue(module, id);
    return view.facts().Irrelevant(id) == nullptr && value && width != 0 && width <= 64 &&
           ((*value ^ literal) << (64 - width)) == 0;
  };
  const Inst inst = module.Definition(constant);
  if (scalar == type) return is_it(constant);
  if (module.Opcode(inst) == spv::Op::OpConstantNull) return literal == 0;
  if (module.Opcode(inst) != spv::Op::OpConstantComposite) return false;
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    if (!is_it(module.IdAt(inst, i))) return false;
  }
  return true;
}

// True if, because of the other operands, the result is the same for all values of this operand.
bool IsSettled(const View& view, OperandUse place) {
  const Module& module = view.module();
  const auto other_is = [&](uint64_t literal) {
    const uint32_t other = 1 - place.operand;
    if (place.operand > 1 || !IsAll(view, module.IdAt(place.user, other), literal)) return false;
    view.DependOn(place.user, other);
    return true;
  };
  switch (module.Opcode(place.user)) {
    case spv::Op::OpSelect:
      return place.operand != 0 && IsKnown(view, place.user, 0, place.operand == 2);
    case spv::Op::OpBitwiseAnd:
    case spv::Op::OpLogicalAnd:
    case spv::Op::OpIMul:
      return other_is(0);
    case spv::Op::OpBitwiseOr:
    case spv::Op::OpLogicalOr:
      return other_is(~uint64_t{0});
    default:
      return false;
  }
}

bool IsUnread(const View& view, OperandUse place) {
  return AreUnread(view, place.user,
                   DependentParts(view.module(), place.user, place.operand, kAllParts));
}

CheckResult CheckPlace(const View& view, OperandUse place) {
  const Module& module = view.module();
  if (!MayBeAnyValue(module, place)) return No("the operand cannot be replaced by another value");
  const Id current = module.IdAt(place.user, place.operand);
  if (module.OpcodeOf(current) == spv::Op::OpUndef) return No("the operand is already an OpUndef");
  if (!IsOrdinary(module, module.TypeOf(current))) {
    return No("the type of the operand is not supported");
  }
  const Block block = module.BlockOf(place.user);
  if (module.Opcode(place.user) == spv::Op::OpPhi) {
    const Block from = module.BlockOfLabel(module.IdAt(place.user, place.operand + 1));
    if (!IsNeverTaken(view, from, block)) {
      return No("control flow may take the edge that the phi operand belongs to");
    }
    view.DependOn(place.user, place.operand + 1);
    return Yes();
  }
  if (view.IsDead(block)) return Yes();
  if (!IsSettled(view, place) && !IsUnread(view, place)) {
    return No("the result of the instruction may depend on the operand");
  }
  DependOnForm(view, place.user);
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const OperandUse place = FindUse(view, message.use);
  if (!place) return No("the given use of a value does not exist");
  return CheckPlace(view, place);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandUse place = FindUse(module, message.use);
  const Id type = module.TypeOf(module.IdAt(place.user, place.operand));
  const Id undefined = message.in_function
                           ? editor.InsertValue(InsertionPointFor(module, place), spv::Op::OpUndef,
                                                type, editor.Made(kUndefined), {})
                           : editor.Declare(spv::Op::OpUndef, type, {});
  editor.SetOperand(place.user, place.operand, undefined);
}

// True if some operand may be replaceable, by a quick test.
bool MayFit(const Proposer& proposer, Inst inst) {
  const Module& module = proposer.module();
  if (proposer.view().facts().Dead(module.LabelId(module.BlockOf(inst))) != nullptr) return true;
  switch (module.Opcode(inst)) {
    case spv::Op::OpPhi:
    case spv::Op::OpSelect:
    case spv::Op::OpBitwiseAnd:
    case spv::Op::OpBitwiseOr:
    case spv::Op::OpLogicalAnd:
    case spv::Op::OpLogicalOr:
    case spv::Op::OpIMul:
    case spv::Op::OpCompositeInsert:
    case spv::Op::OpVectorShuffle:
      return true;
    default:
      return module.Result(inst) != Id::kNone && module.FirstUse(module.Result(inst)) == Use::kNone;
  }
}

void Offer(Proposer& proposer, Inst inst) {
  const Module& module = proposer.module();
  std::vector<uint32_t> operands;
  for (uint32_t i = 0; i < std::min(module.OperandCount(inst), 32u); ++i) {
    if (module.IsId(inst, i) && CheckPlace(proposer.view(), {inst, i})) operands.push_back(i);
  }
  if (operands.empty()) return;
  const uint32_t operand = operands[proposer.Pick(operands.size())];
  proposer.Offer(Message{DescribeUse(module, inst, operand), proposer.Pick(3) == 0});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (MayFit(proposer, inst) && proposer.ShouldTry()) Offer(proposer, inst);
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 40},
     .follow_ons = {"undefine_component", "replace_select_with_branch", "flatten_branch"}});

}  // namespace refract::replace_operand_with_undef
