// SPDX-License-Identifier: Apache-2.0
// Records that two values are equal: constants, or operations with equal operands.
#include "message/record_equal_values.h"

#include <map>
#include <utility>

#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/context_editor.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::record_equal_values {
namespace {

using Message = message::RecordEqualValues;
using Op = spv::Op;

constexpr int kMostDepth = 8;

// True if the constants are equal: all parts are literals, and none is irrelevant.
bool AreConstantsEqual(const View& view, Id a, Id b, int depth) {
  const Module& module = view.module();
  if (view.facts().Irrelevant(a) != nullptr || view.facts().Irrelevant(b) != nullptr) return false;
  const std::optional<uint64_t> value = LiteralValue(module, a);
  if (value) return LiteralValue(module, b) == value;
  const Inst one = module.Definition(a), other = module.Definition(b);
  const bool a_is_null = module.Opcode(one) == Op::OpConstantNull;
  const bool b_is_null = module.Opcode(other) == Op::OpConstantNull;
  if (a_is_null && b_is_null) return true;
  if (!a_is_null && module.Opcode(one) != Op::OpConstantComposite) return false;
  if (!b_is_null && module.Opcode(other) != Op::OpConstantComposite) return false;
  if (depth == kMostDepth) return false;
  // A null constant equals a composite all of whose parts are null.
  const auto is_zero = [&](Id part, const auto& self, int at) -> bool {
    if (view.facts().Irrelevant(part) != nullptr || at == kMostDepth) return false;
    if (const auto bits = LiteralValue(module, part)) return *bits == 0;
    const Inst inst = module.Definition(part);
    if (module.Opcode(inst) == Op::OpConstantNull) return true;
    if (module.Opcode(inst) != Op::OpConstantComposite) return false;
    for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
      if (!self(module.IdAt(inst, i), self, at + 1)) return false;
    }
    return true;
  };
  if (a_is_null) return is_zero(b, is_zero, depth);
  if (b_is_null) return is_zero(a, is_zero, depth);
  for (uint32_t i = 0; i < module.OperandCount(one); ++i) {
    if (!AreConstantsEqual(view, module.IdAt(one, i), module.IdAt(other, i), depth + 1)) {
      return false;
    }
  }
  return true;
}

// True if the operation only moves values and computes nothing, so that floats keep their bits.
bool OnlyMoves(Op op) {
  switch (op) {
    case Op::OpSelect:
    case Op::OpCopyObject:
    case Op::OpTranspose:
    case Op::OpVectorShuffle:
    case Op::OpCompositeConstruct:
    case Op::OpCompositeExtract:
    case Op::OpCompositeInsert:
      return true;
    default:
      return false;
  }
}

bool IsIntOrBool(const Module& module, Id type) {
  const Id scalar = ScalarType(module, type);
  return scalar != Id::kNone && !IsFloat(module, scalar);
}

// True if the operation always yields the same result for the same operands.
bool IsFunction(const Module& module, Inst inst) {
  const Properties& properties = PropertiesOf(module, inst);
  if (!properties.pure || properties.convergent || properties.exactness != Exactness::kExact ||
      FindDecoration(module, module.Result(inst), spv::Decoration::RelaxedPrecision) !=
          Inst::kNone) {
    return false;
  }
  if (OnlyMoves(module.Opcode(inst))) return true;
  if (!IsIntOrBool(module, module.Type(inst))) return false;
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    if (!module.IsId(inst, i)) continue;
    const Id type = module.TypeOf(module.IdAt(inst, i));
    if (type != Id::kNone && !IsIntOrBool(module, type)) return false;
  }
  return true;
}

// False for undefined and irrelevant values, which can differ at each use.
bool IsOneValue(const View& view, Id id) {
  return view.module().OpcodeOf(id) != Op::OpUndef && view.facts().Irrelevant(id) == nullptr;
}

CheckResult CheckOperands(const View& view, Inst first, Inst second) {
  const Module& module = view.module();
  for (uint32_t i = 0; i < module.OperandCount(first); ++i) {
    if (module.IsId(first, i) != module.IsId(second, i) ||
        (!module.IsId(first, i) && module.Word(first, i) != module.Word(second, i))) {
      return No("the two operations have different literal operands");
    }
    if (!module.IsId(first, i)) continue;
    const Id a = module.IdAt(first, i), b = module.IdAt(second, i);
    if (module.TypeOf(a) != Id::kNone && !(IsOneValue(view, a) && IsOneValue(view, b))) {
      return No("an operand is marked as irrelevant or is undefined");
    }
    const bool are_equal =
        a == b || (module.TypeOf(a) != Id::kNone && module.TypeOf(a) == module.TypeOf(b) &&
                   view.AreSynonymous(Part(a), Part(b)));
    if (!are_equal) return No("the operands of the two operations are not known to be equal");
    view.DependOn(first, i);
    view.DependOn(second, i);
  }
  return Yes();
}

CheckResult CheckDefinitions(const View& view, Id first, Id second) {
  const Module& module = view.module();
  const Op op = module.OpcodeOf(first);
  if (IsConstant(op) || IsConstant(module.OpcodeOf(second))) {
    if (AreConstantsEqual(view, first, second, 0)) return Yes();
    return No("the two values are not the same constant");
  }
  const Inst one = module.Definition(first), other = module.Definition(second);
  if (op != module.Opcode(other) || module.OperandCount(one) != module.OperandCount(other)) {
    return No("the two values are results of different operations");
  }
  if (!IsFunction(module, one) || !IsFunction(module, other)) {
    return No("the operation may have a different result in each execution");
  }
  return CheckOperands(view, one, other);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Id first = view.Value(message.first), second = view.Value(message.second);
  if (first == Id::kNone || second == Id::kNone) return No("a value does not exist");
  if (module.TypeOf(first) != module.TypeOf(second)) {
    return No("the two values have different types");
  }
  if (const CheckResult v = MayHaveSynonym(view, first); !v) return v;
  if (const CheckResult v = MayHaveSynonym(view, second); !v) return v;
  if (const CheckResult v = CheckDefinitions(view, first, second); !v) return v;
  if (view.facts().Synonymous(module, Part(first), Part(second))) {
    return No("the two values are already known to be equal");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  // The check has recorded what makes the operands equal as dependencies of the step.
  editor.facts().AddSynonym(Part(module.FindId(message.first)), Part(module.FindId(message.second)),
                            editor.Provenance());
}

// The most recent values of each kind, with which the next one is compared.
class Seen {
 public:
  explicit Seen(Proposer& proposer) : proposer_(proposer) {}

  void Add(Inst inst) {
    const Module& module = proposer_.module();
    std::vector<Id>& others = kinds_[{KindOf(module.Opcode(inst)), module.Type(inst)}];
    const Id id = module.Result(inst);
    if (!others.empty() && proposer_.ShouldTry()) {
      for (size_t i = others.size(); i > 0; --i) {
        const Message message{module.NameOf(others[i - 1]), module.NameOf(id)};
        if (!Check(message, proposer_.view())) continue;
        proposer_.Offer(message);
        break;
      }
    }
    constexpr size_t kMost = 12;
    if (others.size() == kMost) others.erase(others.begin());
    others.push_back(id);
  }

 private:
  // All constants count as one kind.
  static Op KindOf(Op op) { return IsConstant(op) ? Op::OpConstant : op; }

  Proposer& proposer_;
  std::map<std::pair<Op, Id>, std::vector<Id>> kinds_;
};

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  Seen constants(proposer);
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (IsConstant(module.Opcode(inst))) constants.Add(inst);
  });
  ForEachFunction(proposer, [&](Function function) {
    Seen operations(proposer);
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (module.Type(inst) != Id::kNone && IsFunction(module, inst)) operations.Add(inst);
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 90}, .follow_ons = {"replace_id_with_synonym", "add_phi_synonym"}});

}  // namespace refract::record_equal_values
