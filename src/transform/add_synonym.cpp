// SPDX-License-Identifier: Apache-2.0
#include "message/add_synonym.h"

#include "ir/availability.h"
#include "ir/types.h"
#include "transform/declare.h"
#include "transform/values.h"

namespace refract::add_synonym {
namespace {

using Message = message::AddSynonym;
using Identity = Message::Identity;
enum Role : uint64_t { kResult = 1, kInner = 2 };

// The other operand of the operation.
enum class Other : uint8_t { kNothing, kZero, kOne, kOnes, kFalse, kTrue, kItself };
// What an identity is exact for. Of floats only copies are: x + 0 changes -0, x * 1 a denormal.
enum class Domain : uint8_t { kAny, kInt, kBool };

struct Row {
  spv::Op op;
  Other other;
  Domain domain;
};

// By identity. Ints wrap (SPIR-V 3.42.13), so all of these are exact for every value.
constexpr Row kRows[] = {
    {spv::Op::OpCopyObject, Other::kNothing, Domain::kAny},
    {spv::Op::OpIAdd, Other::kZero, Domain::kInt},
    {spv::Op::OpISub, Other::kZero, Domain::kInt},
    {spv::Op::OpIMul, Other::kOne, Domain::kInt},
    {spv::Op::OpBitwiseOr, Other::kZero, Domain::kInt},
    {spv::Op::OpBitwiseXor, Other::kZero, Domain::kInt},
    {spv::Op::OpBitwiseAnd, Other::kOnes, Domain::kInt},
    {spv::Op::OpShiftLeftLogical, Other::kZero, Domain::kInt},
    {spv::Op::OpLogicalOr, Other::kFalse, Domain::kBool},
    {spv::Op::OpLogicalAnd, Other::kTrue, Domain::kBool},
    {spv::Op::OpNot, Other::kItself, Domain::kInt},
    {spv::Op::OpSNegate, Other::kItself, Domain::kInt},
    {spv::Op::OpLogicalNot, Other::kItself, Domain::kBool},
    {spv::Op::OpSelect, Other::kTrue, Domain::kAny},
};

constexpr uint32_t kVersion14 = 0x00010400;

// The bits that each scalar of the other operand has.
uint64_t BitsOf(Other other) {
  switch (other) {
    case Other::kOne:
    case Other::kTrue:
      return 1;
    case Other::kOnes:
      return ~uint64_t{0};
    default:
      return 0;
  }
}

message::Constant Splat(const message::Type& type, uint64_t bits) {
  if (type.parts.empty()) return ScalarConstant(type, bits);
  message::Constant constant;
  constant.type = type;
  constant.parts.assign(type.count, ScalarConstant(type.parts[0], bits));
  return constant;
}

// The condition of OpSelect: one bool, but for vectors before version 1.4 one for each component.
message::Constant TrueFor(const Module& module, Id type) {
  message::Type condition = BoolType();
  if (module.version() < kVersion14 && IsVector(module, type)) {
    condition.kind = message::Type::Kind::kVector;
    condition.count = PartCount(module, type).value_or(0);
    condition.parts = {BoolType()};
  }
  return Splat(condition, 1);
}

// The constant that the operation wants beside the value; requires that it wants one.
message::Constant OtherOperand(const Module& module, const Row& row, Id type) {
  if (row.op == spv::Op::OpSelect) return TrueFor(module, type);
  return Splat(Describe(module, type), BitsOf(row.other));
}

bool NeedsConstant(const Row& row) {
  return row.other != Other::kNothing && row.other != Other::kItself;
}

bool IsInDomain(const Module& module, Domain domain, Id type) {
  if (domain == Domain::kAny) return true;
  const Id scalar = ScalarType(module, type);
  if (scalar == Id::kNone) return false;
  return domain == Domain::kInt ? IsInt(module, scalar) : IsBool(module, scalar);
}

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const auto number = static_cast<size_t>(message.identity);
  if (number >= std::size(kRows)) return No("there is no such identity");
  const Row& row = kRows[number];
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction is not there");
  if (!MayInsertBefore(module, row.op, before)) return No("nothing can be put there");
  const Id value = view.Value(message.value);
  if (value == Id::kNone) return No("the value is not there");
  if (Verdict may = MayHaveSynonym(view, value); !may) return may;
  if (!IsAvailable(module, value, before)) return No("the value is not available there");
  const Id type = module.TypeOf(value);
  if (!IsInDomain(module, row.domain, type)) return No("the identity does not fit the type");
  if (row.op == spv::Op::OpSelect && module.version() < kVersion14 &&
      ScalarType(module, type) == Id::kNone) {
    return No("before version 1.4 only scalars and vectors are selected");
  }
  if (NeedsConstant(row) && !IsDeclarableHere(module, OtherOperand(module, row, type))) {
    return No("the constant it needs cannot be declared");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Row& row = kRows[static_cast<size_t>(message.identity)];
  const Inst before = module.Find(message.before);
  const Id value = module.FindId(message.value);
  const Id type = module.TypeOf(value);
  Args args{value};
  if (NeedsConstant(row)) {
    const Id other = Declare(editor, OtherOperand(module, row, type));
    args = row.op == spv::Op::OpSelect ? Args{other, value, value} : Args{value, other};
  } else if (row.other == Other::kItself) {
    args = {editor.InsertValue(before, row.op, type, editor.Made(kInner), args)};
  }
  const Id result = editor.InsertValue(before, row.op, type, editor.Made(kResult), args);
  editor.facts().AddSynonym(Part(result), Part(value), editor.Because());
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto offer = [&](Inst before) {
    const std::vector<Id> near = ValuesNear(module, before, 32);
    if (near.empty()) return;
    const Id value = near[proposer.Pick(near.size())];
    Message message{module.NameOf(before), module.NameOf(value), Identity::kCopyObject};
    std::vector<Identity> fitting;
    for (size_t i = 0; i < std::size(kRows); ++i) {
      if (!IsInDomain(module, kRows[i].domain, module.TypeOf(value))) continue;
      message.identity = static_cast<Identity>(i);
      if (Check(message, proposer.view())) fitting.push_back(message.identity);
    }
    if (fitting.empty()) return;
    message.identity = fitting[proposer.Pick(fitting.size())];
    proposer.Offer(message);
  };
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      for (Inst inst = module.Next(module.Label(block)); inst != Inst::kNone;
           inst = module.Next(inst)) {
        if (MayInsertBefore(module, spv::Op::OpCopyObject, inst) && proposer.Toss()) {
          offer(OldestPlaceFrom(module, spv::Op::OpCopyObject, inst));
        }
      }
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 14},
     .follow_ons = {"replace_id_with_synonym", "push_id_through_variable", "composite_construct",
                    "add_phi_synonym", "replace_copy_object_with_store_load"}});

}  // namespace refract::add_synonym
