// SPDX-License-Identifier: Apache-2.0
// Replaces a constant by a load from a uniform or push constant with the same value.
#include "message/replace_constant_with_uniform.h"

#include <algorithm>

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/build/uniform_block.h"
#include "rules/legality/known_values.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::replace_constant_with_uniform {
namespace {

using Message = message::ReplaceConstantWithUniform;
enum Role : uint64_t { kChain = 1, kLoad = 2 };

KnownValue InputOf(const Message& message) {
  KnownValue input;
  input.set = message.set;
  input.binding = message.binding;
  input.push_constant = message.push_constant;
  input.path = message.path;
  return input;
}

// Appends the input values that make the data of type `type` at `place` equal to the constant, or
// to zero if `constant` is kNone. Returns false unless the constant consists of numbers, and of
// vectors and matrices of them, and is not irrelevant.
bool AddNumbers(const View& view, Id type, Id constant, KnownValue* place,
                std::vector<KnownValue>* numbers) {
  const Module& module = view.module();
  if (constant != Id::kNone && view.facts().Irrelevant(constant) != nullptr) return false;
  if (constant != Id::kNone && module.OpcodeOf(constant) == spv::Op::OpConstantNull) {
    constant = Id::kNone;
  }
  if (const uint32_t width = Width(module, type); width != 0) {
    const auto bits =
        constant == Id::kNone ? std::optional<uint64_t>(0) : LiteralValue(module, constant);
    if (!bits) return false;
    KnownValue number = *place;
    number.bits = *bits;
    number.width = width;
    numbers->push_back(std::move(number));
    return true;
  }
  const bool is_whole = IsVector(module, type) || TypeOpcode(module, type) == spv::Op::OpTypeMatrix;
  if (!is_whole ||
      (constant != Id::kNone && module.OpcodeOf(constant) != spv::Op::OpConstantComposite)) {
    return false;
  }
  for (uint32_t i = 0; i < *PartCount(module, type); ++i) {
    const Id part = constant == Id::kNone ? Id::kNone : module.IdAt(module.Definition(constant), i);
    place->path.push_back(i);
    const bool added = AddNumbers(view, PartType(module, type, i), part, place, numbers);
    place->path.pop_back();
    if (!added) return false;
  }
  return true;
}

CheckResult CheckNumbers(const View& view, Id type, const std::vector<KnownValue>& numbers) {
  const Module& module = view.module();
  if (TypeOpcode(module, type) == spv::Op::OpTypeMatrix) type = ElementType(module, type);
  const bool is_float = IsFloat(module, ScalarType(module, type));
  for (const KnownValue& number : numbers) {
    if (!view.IsKnownInput(number)) {
      return No("the uniform is not known to have the value of the constant");
    }
    if (is_float && !IsPlainFloat(number.width, number.bits)) {
      return No("the value is a NaN, an infinity or a denormal");
    }
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const OperandUse place = FindUse(view, message.use);
  if (!place) return No("the given use of a value does not exist");
  const Id constant = module.IdAt(place.user, place.operand);
  if (view.facts().Irrelevant(constant) != nullptr) {
    return No("the constant is marked as irrelevant");
  }
  KnownValue input = InputOf(message);
  std::vector<KnownValue> numbers;
  if (module.TypeOf(constant) == Id::kNone ||
      !AddNumbers(view, module.TypeOf(constant), constant, &input, &numbers)) {
    return No("the operand is not a constant that consists of numbers");
  }
  if (!MayBeAnyValue(module, place)) return No("the operand cannot be replaced by another value");
  const Id type = module.TypeOf(constant);
  if (CheckResult check_result = CheckNumbers(view, type, numbers); !check_result)
    return check_result;
  const std::optional<InputPlace> found = FindInput(module, input);
  if (!found || found->type != type) {
    return No("no uniform with this binding has the type of the constant");
  }
  const Function function = module.FunctionOf(place.user);
  // Inputs are known only for the entry point under test.
  if (!IsReachedByEntryAlone(view.context(), function)) {
    return No("another entry point can reach the function");
  }
  // A uniform that a step has added may always be used, because it has a value whenever the variant
  // runs.
  const bool is_added = module.NameOf(found->variable).step != 0;
  if (!is_added && !IsUsedByEntriesReaching(module, found->variable, function)) {
    return No("an entry point that reaches the function does not use the uniform");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandUse place = FindUse(module, message.use);
  const Id variable = FindInput(module, InputOf(message))->variable;
  const Id constant = module.IdAt(place.user, place.operand);
  const Id type = module.TypeOf(constant);
  const Inst before = InsertionPointFor(module, place);
  Args args{variable};
  for (uint32_t index : message.path) {
    args.push_back(Declare(editor, ScalarConstant(IntType(32, true), index)));
  }
  const spv::StorageClass storage = StorageClassOf(module, module.TypeOf(variable));
  const Id pointer = DeclarePointer(editor, storage, type);
  const Id chain =
      editor.InsertValue(before, spv::Op::OpAccessChain, pointer, editor.Made(kChain), args);
  const Id loaded = editor.InsertValue(before, spv::Op::OpLoad, type, editor.Made(kLoad), {chain});
  editor.AddToInterfaces(variable, module.FunctionOf(place.user));
  editor.SetOperand(place.user, place.operand, loaded);
  editor.facts().AddSynonym(Part(loaded), Part(constant), editor.Provenance());
}

struct Candidate {
  Id constant;
  KnownValue input;
};

// A constant of this type made from the known inputs, beginning with `*next`. The check verifies
// later that these inputs are consecutive parts of one value.
std::optional<message::Constant> WholeFrom(const Module& module, Id type,
                                           const std::vector<KnownValue>& known, size_t* next) {
  if (Width(module, type) != 0) {
    if (*next >= known.size() || known[*next].width != Width(module, type)) return std::nullopt;
    return ScalarConstant(module, type, known[(*next)++].bits);
  }
  message::Constant whole;
  whole.type = Describe(module, type);
  for (uint32_t i = 0; i < PartCount(module, type).value_or(0); ++i) {
    auto part = WholeFrom(module, PartType(module, type, i), known, next);
    if (!part) return std::nullopt;
    whole.parts.push_back(std::move(*part));
  }
  return whole;
}

// True if a step added the variable, or some instruction still uses it.
bool IsUsable(const Module& module, Id variable) {
  bool usable = module.NameOf(variable).step != 0;
  ForEachUse(module, variable,
             [&](Use use) { usable |= module.FunctionOf(module.User(use)) != Function::kNone; });
  return usable;
}

// The constants of the module that equal some input. A composite begins at an input whose path ends
// with zeros, and its numbers are consecutive.
std::vector<Candidate> Candidates(const View& view) {
  constexpr size_t kInputs = 256;
  const Module& module = view.module();
  std::vector<Candidate> candidates;
  Id asked = Id::kNone;
  bool usable = false;
  const std::vector<KnownValue>& known = view.facts().known_inputs();
  for (size_t i = 0; i < std::min(known.size(), kInputs); ++i) {
    KnownValue input = known[i];
    for (int depth = 0; depth < 3; ++depth) {
      const std::optional<InputPlace> place = FindInput(module, input);
      if (!place) break;
      // Consecutive inputs often belong to the same block, so remember the answer.
      if (place->variable != asked) usable = IsUsable(module, place->variable);
      asked = place->variable;
      if (!usable) break;
      size_t next = i;
      const auto whole = WholeFrom(module, place->type, known, &next);
      const Id constant = whole ? FindConstant(module, *whole) : Id::kNone;
      if (constant != Id::kNone) candidates.push_back({constant, input});
      if (input.path.empty() || input.path.back() != 0) break;
      input.path.pop_back();
    }
  }
  return candidates;
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const std::vector<Candidate> candidates = Candidates(proposer.view());
  if (candidates.empty()) return;
  const auto offer = [&](Inst user, uint32_t operand) {
    std::vector<const KnownValue*> inputs;
    for (const Candidate& candidate : candidates) {
      if (candidate.constant == module.IdAt(user, operand)) inputs.push_back(&candidate.input);
    }
    if (inputs.empty() || !proposer.ShouldTry() || !MayBeAnyValue(module, {user, operand})) return;
    if (ShouldSkip(proposer, user)) return;
    const KnownValue& input = *inputs[proposer.Pick(inputs.size())];
    proposer.Offer(Message{DescribeUse(module, user, operand), input.set, input.binding,
                           input.push_constant, input.path});
  };
  ForEachFunction(proposer, [&](Function function) {
    if (!IsReachedByEntryAlone(proposer.view().context(), function)) return;
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
          if (module.IsId(inst, i)) offer(inst, i);
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 90}, .follow_ons = {"add_synonym", "push_id_through_variable"}});

}  // namespace refract::replace_constant_with_uniform
