// SPDX-License-Identifier: Apache-2.0
// Computes a value a second time with a subgroup operation. Each form is exact for every set of
// active invocations, even for one invocation alone, because the set contains the invocation
// itself:
// - If all active invocations have the same x, then x is the value of the first of them, and the
//   "all", "any", minimum, maximum, "and" and "or" of all of them, and of those up to the current
//   one. Sums and exclusive ors are not among the forms, because they depend on the number of
//   invocations.
// - A shuffle with offset 0 and a cluster of size 1 return the invocation's own value, and its bit
//   of a ballot is its own vote. These forms take any x.
#include "message/add_subgroup_synonym.h"

#include "ir/availability.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/convergence.h"
#include "rules/legality/defined.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::add_subgroup_synonym {
namespace {

using Message = message::AddSubgroupSynonym;
using Form = Message::Form;
using Op = spv::Op;
using Capability = spv::Capability;
using Group = spv::GroupOperation;
enum Role : uint64_t { kResult = 1, kBallot = 2 };

enum Takes : uint8_t { kAny, kBool, kInt, kIntOrBool };

struct FormRow {
  Form form;
  Capability capability;
  Takes takes;
  bool is_own;  // returns the invocation's own value: x may differ between invocations
  Op of_signed, of_unsigned, of_bool;
  enum After : uint8_t { kNothing, kZero, kReduce, kScan, kClusterOfOne } after = kNothing;
};

constexpr FormRow Same(Form form, Capability capability, Takes takes, Op op,
                       FormRow::After after = FormRow::kNothing) {
  return {form, capability, takes, false, op, op, op, after};
}
constexpr FormRow Own(Form form, Capability capability, Op op) {
  return {form, capability, kAny, true, op, op, op, FormRow::kZero};
}

constexpr Op kSMin = Op::OpGroupNonUniformSMin, kUMin = Op::OpGroupNonUniformUMin;
constexpr Op kSMax = Op::OpGroupNonUniformSMax, kUMax = Op::OpGroupNonUniformUMax;
constexpr Op kAnd = Op::OpGroupNonUniformBitwiseAnd, kOr = Op::OpGroupNonUniformBitwiseOr;
constexpr Op kAllOf = Op::OpGroupNonUniformLogicalAnd, kAnyOf = Op::OpGroupNonUniformLogicalOr;
constexpr Capability kArithmetic = Capability::GroupNonUniformArithmetic;

constexpr FormRow kForms[] = {
    Same(Form::kBroadcastFirst, Capability::GroupNonUniformBallot, kAny,
         Op::OpGroupNonUniformBroadcastFirst),
    Same(Form::kAll, Capability::GroupNonUniformVote, kBool, Op::OpGroupNonUniformAll),
    Same(Form::kAny, Capability::GroupNonUniformVote, kBool, Op::OpGroupNonUniformAny),
    {Form::kLeast, kArithmetic, kInt, false, kSMin, kUMin, kSMin, FormRow::kReduce},
    {Form::kGreatest, kArithmetic, kInt, false, kSMax, kUMax, kSMax, FormRow::kReduce},
    {Form::kAnd, kArithmetic, kIntOrBool, false, kAnd, kAnd, kAllOf, FormRow::kReduce},
    {Form::kOr, kArithmetic, kIntOrBool, false, kOr, kOr, kAnyOf, FormRow::kReduce},
    {Form::kLeastUpToHere, kArithmetic, kInt, false, kSMin, kUMin, kSMin, FormRow::kScan},
    {Form::kGreatestUpToHere, kArithmetic, kInt, false, kSMax, kUMax, kSMax, FormRow::kScan},
    {Form::kBallot, Capability::GroupNonUniformBallot, kBool, true,
     Op::OpGroupNonUniformInverseBallot, Op::OpGroupNonUniformInverseBallot,
     Op::OpGroupNonUniformInverseBallot},
    Own(Form::kShuffleXorZero, Capability::GroupNonUniformShuffle, Op::OpGroupNonUniformShuffleXor),
    Own(Form::kShuffleUpZero, Capability::GroupNonUniformShuffleRelative,
        Op::OpGroupNonUniformShuffleUp),
    Own(Form::kShuffleDownZero, Capability::GroupNonUniformShuffleRelative,
        Op::OpGroupNonUniformShuffleDown),
    {Form::kClusterOfOne, Capability::GroupNonUniformClustered, kInt, true, kSMax, kUMax, kSMax,
     FormRow::kClusterOfOne},
};

const FormRow* RowOf(Form form) {
  for (const FormRow& row : kForms) {
    if (row.form == form) return &row;
  }
  return nullptr;
}

// Accepts scalars and vectors. Narrow and wide types need a separate device feature (Vulkan,
// shaderSubgroupExtendedTypes).
bool Fits(const Module& module, const FormRow& row, Id type) {
  const Id scalar = ScalarType(module, type);
  if (scalar == Id::kNone) return false;
  const bool is_one = scalar == type;
  // Votes and ballots take one boolean.
  if (IsBool(module, scalar)) return row.takes != kInt && (row.takes != kBool || is_one);
  if (Width(module, scalar) != 32) return false;
  return row.takes == kAny || (row.takes != kBool && IsInt(module, scalar));
}

message::Constant UintConstant(uint64_t bits) {
  return ScalarConstant(IntType(32, false), bits);
}
message::Constant ScopeConstant() {
  return UintConstant(static_cast<uint64_t>(spv::Scope::Subgroup));
}

CheckResult CheckSame(const View& view, Id value, Block where) {
  const Module& module = view.module();
  // A later step may call such a function with arguments that differ between invocations.
  if (view.facts().LiveSafe(module.FunctionId(module[where].function)) != nullptr) {
    return No("the function is marked as live-safe, so it must stay safe to call from any place");
  }
  if (!IsSameInSubgroup(view, value, where)) {
    return No("the value is not known to be uniform in the subgroup");
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const FormRow* row = RowOf(message.form);
  if (row == nullptr) return No("the field `form` has an unknown value");
  if (!HasCapability(module, row->capability)) {
    return No("the module does not declare the required capability");
  }
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, Op::OpGroupNonUniformAll, before)) {
    return No("no instruction can be inserted at this point");
  }
  const Id value = view.Value(message.value);
  if (value == Id::kNone) return No("the value does not exist");
  if (CheckResult may = MayHaveSynonym(view, value); !may) return may;
  if (!Fits(module, *row, module.TypeOf(value))) {
    return No("this form of the transformation does not support the type of the value");
  }
  if (!IsAvailable(module, value, before)) {
    return No("the value is not available at the insertion point");
  }
  const Function function = module.FunctionOf(before);
  const Stages stages = StagesReaching(module, function);
  if (stages == Stages::kOthers) return No("a shader of another stage can reach the function");
  if (stages == Stages::kFragment && message.form == Form::kBallot) {
    return No("the set of active invocations of a fragment shader is unknown");
  }
  return row->is_own ? Yes() : CheckSame(view, value, module.BlockOf(before));
}

// The operands after the scope.
Args OperandsOf(ContextEditor& editor, const FormRow& row, Id value) {
  switch (row.after) {
    case FormRow::kZero:
      return {value, Declare(editor, UintConstant(0))};
    case FormRow::kReduce:
      return {static_cast<uint32_t>(Group::Reduce), value};
    case FormRow::kScan:
      return {static_cast<uint32_t>(Group::InclusiveScan), value};
    case FormRow::kClusterOfOne:
      return {static_cast<uint32_t>(Group::ClusteredReduce), value,
              Declare(editor, UintConstant(1))};
    default:
      return {value};
  }
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const FormRow& row = *RowOf(message.form);
  const Inst before = module.Find(message.before);
  const Id value = module.FindId(message.value), type = module.TypeOf(value);
  const Id scalar = ScalarType(module, type);
  const Id scope = Declare(editor, ScopeConstant());
  Id operand = value;
  if (row.form == Form::kBallot) {
    const Id words =
        editor.Declare(Op::OpTypeVector, Id::kNone, {Declare(editor, IntType(32, false)), 4u});
    operand = editor.InsertValue(before, Op::OpGroupNonUniformBallot, words, editor.Made(kBallot),
                                 {scope, value});
  }
  const Op op = IsBool(module, scalar)                              ? row.of_bool
                : IsInt(module, scalar) && IsSigned(module, scalar) ? row.of_signed
                                                                    : row.of_unsigned;
  Args args = OperandsOf(editor, row, operand);
  args.insert(args.begin(), scope);
  const Id result = editor.InsertValue(before, op, type, editor.Made(kResult), args);
  editor.facts().AddSynonym(Part(result), Part(value), editor.Provenance());
}

void Offer(Proposer& proposer, const std::vector<const FormRow*>& forms, Inst before) {
  const Module& module = proposer.module();
  const std::vector<Id> near = ValuesNear(module, before, 32);
  // Several tries, because not every value is the same in all invocations.
  for (int tries = 0; tries < 6 && !near.empty(); ++tries) {
    const Id value = near[proposer.Pick(near.size())];
    const FormRow& row = *forms[proposer.Pick(forms.size())];
    if (!Fits(module, row, module.TypeOf(value))) continue;
    const Message message{module.NameOf(before), module.NameOf(value), row.form};
    if (!Check(message, proposer.view())) continue;
    proposer.Offer(message);
    return;
  }
}

void Propose(Proposer& proposer) {
  std::vector<const FormRow*> forms;
  for (const FormRow& row : kForms) {
    if (HasCapability(proposer.module(), row.capability)) forms.push_back(&row);
  }
  if (forms.empty()) return;
  OfferAtInsertionPoints(proposer, Op::OpGroupNonUniformAll,
                         [&](Inst before) { Offer(proposer, forms, before); });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {1, 8},
     .follow_ons = {"replace_id_with_synonym", "push_id_through_variable", "add_phi_synonym"}});

}  // namespace refract::add_subgroup_synonym
