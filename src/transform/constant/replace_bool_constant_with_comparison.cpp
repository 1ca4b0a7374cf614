// SPDX-License-Identifier: Apache-2.0
// Replaces a boolean constant by a comparison of two constants.
#include "message/replace_bool_constant_with_comparison.h"

#include <bit>

#include "ir/types.h"
#include "rules/build/bits.h"
#include "rules/build/declare.h"
#include "rules/legality/known_values.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::replace_bool_constant_with_comparison {
namespace {

using Message = message::ReplaceBoolConstantWithComparison;
using message::Constant;
using Kind = message::Type::Kind;
enum Role : uint64_t { kComparison = 1 };

enum class Relation : uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

struct Row {
  spv::Op op;
  Kind kind;  // of the operands
  Relation relation;
  bool is_signed = false;  // how ints are interpreted
};

constexpr Row kRows[] = {
    {spv::Op::OpLogicalEqual, Kind::kBool, Relation::kEqual},
    {spv::Op::OpLogicalNotEqual, Kind::kBool, Relation::kNotEqual},
    {spv::Op::OpIEqual, Kind::kInt, Relation::kEqual},
    {spv::Op::OpINotEqual, Kind::kInt, Relation::kNotEqual},
    {spv::Op::OpULessThan, Kind::kInt, Relation::kLess},
    {spv::Op::OpULessThanEqual, Kind::kInt, Relation::kLessEqual},
    {spv::Op::OpUGreaterThan, Kind::kInt, Relation::kGreater},
    {spv::Op::OpUGreaterThanEqual, Kind::kInt, Relation::kGreaterEqual},
    {spv::Op::OpSLessThan, Kind::kInt, Relation::kLess, true},
    {spv::Op::OpSLessThanEqual, Kind::kInt, Relation::kLessEqual, true},
    {spv::Op::OpSGreaterThan, Kind::kInt, Relation::kGreater, true},
    {spv::Op::OpSGreaterThanEqual, Kind::kInt, Relation::kGreaterEqual, true},
    {spv::Op::OpFOrdEqual, Kind::kFloat, Relation::kEqual},
    {spv::Op::OpFUnordEqual, Kind::kFloat, Relation::kEqual},
    {spv::Op::OpFOrdNotEqual, Kind::kFloat, Relation::kNotEqual},
    {spv::Op::OpFUnordNotEqual, Kind::kFloat, Relation::kNotEqual},
    {spv::Op::OpFOrdLessThan, Kind::kFloat, Relation::kLess},
    {spv::Op::OpFUnordLessThan, Kind::kFloat, Relation::kLess},
    {spv::Op::OpFOrdLessThanEqual, Kind::kFloat, Relation::kLessEqual},
    {spv::Op::OpFUnordLessThanEqual, Kind::kFloat, Relation::kLessEqual},
    {spv::Op::OpFOrdGreaterThan, Kind::kFloat, Relation::kGreater},
    {spv::Op::OpFUnordGreaterThan, Kind::kFloat, Relation::kGreater},
    {spv::Op::OpFOrdGreaterThanEqual, Kind::kFloat, Relation::kGreaterEqual},
    {spv::Op::OpFUnordGreaterThanEqual, Kind::kFloat, Relation::kGreaterEqual},
};

const Row* RowOf(uint32_t opcode) {
  for (const Row& row : kRows) {
    if (static_cast<uint32_t>(row.op) == opcode) return &row;
  }
  return nullptr;
}

template <class T>
bool Holds(Relation relation, T a, T b) {
  switch (relation) {
    case Relation::kEqual:
      return a == b;
    case Relation::kNotEqual:
      return a != b;
    case Relation::kLess:
      return a < b;
    case Relation::kLessEqual:
      return a <= b;
    case Relation::kGreater:
      return a > b;
    case Relation::kGreaterEqual:
      return a >= b;
  }
  return false;
}

// The bits of a scalar constant of that kind. Nullopt for others, and for floats that
// implementations may compare differently.
std::optional<uint64_t> BitsOf(const Constant& constant, Kind kind) {
  const message::Type& type = constant.type;
  if (type.declared || type.kind != kind || constant.words.empty()) return std::nullopt;
  uint64_t bits = constant.words[0];
  if (constant.words.size() > 1) bits |= uint64_t{constant.words[1]} << 32;
  if (kind == Kind::kFloat && (type.width != 32 || !IsPlainFloat(32, bits))) return std::nullopt;
  if (kind == Kind::kInt && type.width < 64) bits &= (uint64_t{1} << type.width) - 1;
  return bits;
}

// The result of the comparison; nullopt if it does not support the operands.
std::optional<bool> Evaluate(const Row& row, const Constant& left, const Constant& right) {
  const std::optional<uint64_t> a = BitsOf(left, row.kind);
  const std::optional<uint64_t> b = BitsOf(right, row.kind);
  if (!a || !b || !(left.type == right.type)) return std::nullopt;
  if (row.kind == Kind::kFloat) {
    return Holds(row.relation, std::bit_cast<float>(static_cast<uint32_t>(*a)),
                 std::bit_cast<float>(static_cast<uint32_t>(*b)));
  }
  if (row.is_signed) {
    const uint32_t width = left.type.width;
    return Holds(row.relation, SignExtend(*a, width), SignExtend(*b, width));
  }
  return Holds(row.relation, *a, *b);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const OperandUse place = FindUse(view, message.use);
  if (!place) return No("the given use of a value does not exist");
  const Id constant = module.IdAt(place.user, place.operand);
  const std::optional<bool> value = LiteralBool(module, constant);
  if (!value) return No("the operand is not a boolean constant");
  if (view.facts().Irrelevant(constant) != nullptr) {
    return No("the constant is marked as irrelevant");
  }
  if (!MayBeAnyValue(module, place)) return No("the operand cannot be replaced by another value");
  const Row* row = RowOf(message.comparison);
  if (row == nullptr) return No("the opcode of the comparison is unknown");
  if (!IsDeclarableHere(module, message.left) || !IsDeclarableHere(module, message.right)) {
    return No("a constant cannot be declared in this module");
  }
  const std::optional<bool> result = Evaluate(*row, message.left, message.right);
  if (!result) return No("the comparison does not support these constants");
  if (*result != *value) {
    return No("the result of the comparison differs from the replaced constant");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandUse place = FindUse(module, message.use);
  const Id constant = module.IdAt(place.user, place.operand);
  const Id left = Declare(editor, message.left);
  const Id right = Declare(editor, message.right);
  const Id comparison =
      editor.InsertValue(InsertionPointFor(module, place), static_cast<spv::Op>(message.comparison),
                         module.TypeOf(constant), editor.Made(kComparison), {left, right});
  editor.SetOperand(place.user, place.operand, comparison);
  editor.facts().AddSynonym(Part(comparison), Part(constant), editor.Provenance());
}

// The constants that known inputs equal. If one is compared, a uniform can replace it later.
std::vector<Constant> KnownConstants(const View& view) {
  constexpr size_t kInputs = 64;
  const Module& module = view.module();
  std::vector<Constant> constants;
  for (const KnownValue& known : view.facts().known_inputs()) {
    if (constants.size() == kInputs) break;
    const std::optional<InputPlace> place = FindInput(module, known);
    if (!place || Width(module, place->type) != known.width) continue;
    Constant constant = ScalarConstant(module, place->type, known.bits);
    if (BitsOf(constant, constant.type.kind)) constants.push_back(std::move(constant));
  }
  return constants;
}

// The bits of a small number of the type.
uint64_t SmallNumber(Proposer& proposer, const message::Type& type) {
  const uint64_t number = proposer.Pick(16);
  if (type.kind == Kind::kBool) return number % 2;
  if (type.kind == Kind::kInt) return number - 4;
  return std::bit_cast<uint32_t>((static_cast<float>(number) - 4.0f) * 0.5f);
}

message::Type PickType(Proposer& proposer, const Module& module) {
  message::Type type;
  switch (proposer.Pick(8)) {
    case 0:
      return BoolType();
    case 1:
      return FloatType(32);
    case 2:
      return IntType(32, false);
    default:
      type = IntType(32, true);
      return IsDeclarableHere(module, type) ? type : IntType(32, false);
  }
}

// Picks a comparison whose result is `wanted`. NaNs are not compared.
void PickComparison(Proposer& proposer, bool wanted, const std::vector<Constant>& known,
                    Message* message) {
  if (!known.empty() && proposer.Pick(4) != 0) {
    message->left = known[proposer.Pick(known.size())];
  } else {
    const message::Type type = PickType(proposer, proposer.module());
    message->left = ScalarConstant(type, SmallNumber(proposer, type));
  }
  const message::Type& type = message->left.type;
  std::vector<const Constant*> partners;
  for (const Constant& constant : known) {
    if (constant.type == type) partners.push_back(&constant);
  }
  message->right = !partners.empty() && proposer.Pick(2) == 0
                       ? *partners[proposer.Pick(partners.size())]
                       : ScalarConstant(type, SmallNumber(proposer, type));
  if (proposer.Pick(2) == 0) std::swap(message->left, message->right);
  std::vector<const Row*> fitting;
  for (const Row& row : kRows) {
    if (Evaluate(row, message->left, message->right) == wanted) fitting.push_back(&row);
  }
  if (fitting.empty()) return;
  message->comparison = static_cast<uint32_t>(fitting[proposer.Pick(fitting.size())]->op);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  std::optional<std::vector<Constant>> known;
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
          if (!module.IsId(inst, i)) continue;
          const std::optional<bool> value = LiteralBool(module, module.IdAt(inst, i));
          if (!value || !proposer.ShouldTry() || !MayBeAnyValue(module, {inst, i})) continue;
          if (!known) known = KnownConstants(proposer.view());
          Message message{DescribeUse(module, inst, i), 0, {}, {}};
          PickComparison(proposer, *value, *known, &message);
          if (message.comparison != 0) proposer.Offer(message);
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 90},
     .follow_ons = {"replace_constant_with_uniform", "replace_constant_with_arithmetic",
                    "replace_constant_with_opaque_value"}});

}  // namespace refract::replace_bool_constant_with_comparison
