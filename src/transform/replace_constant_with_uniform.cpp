// SPDX-License-Identifier: Apache-2.0
#include "message/replace_constant_with_uniform.h"

#include <algorithm>

#include "ir/types.h"
#include "transform/declare.h"
#include "transform/known_values.h"
#include "transform/uniform_block.h"
#include "transform/uses.h"
#include "transform/values.h"

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

// The number that the use is of: of an OpConstant or OpConstantNull of int or float type.
std::optional<uint64_t> NumberAt(const Module& module, Id constant) {
  if (Width(module, module.TypeOf(constant)) == 0) return std::nullopt;
  return LiteralValue(module, constant);
}

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const OperandPlace place = FindUse(view, message.use);
  if (!place) return No("the use is not there");
  const Id constant = module.IdAt(place.user, place.operand);
  const std::optional<uint64_t> bits = NumberAt(module, constant);
  if (!bits) return No("what is used is not the constant of a number");
  if (view.facts().Irrelevant(constant) != nullptr) return No("the constant is irrelevant");
  if (!MayBeAnyValue(module, place)) return No("the use cannot be any value");
  const Id type = module.TypeOf(constant);
  KnownValue input = InputOf(message);
  input.bits = *bits;
  input.width = Width(module, type);
  if (!view.IsKnownInput(input)) {
    return No("the input is not known to have that value");
  }
  if (IsFloat(module, type) && !IsPlainFloat(Width(module, type), *bits)) {
    return No("the value is a NaN, an infinity or a denormal");
  }
  const std::optional<InputPlace> found = FindInput(module, input);
  if (!found || found->type != type) return No("no uniform of that type is there");
  const Function function = module.FunctionOf(place.user);
  // Inputs are known for the entry point under test alone.
  if (!IsReachedByEntryAlone(view.context(), function)) {
    return No("not only the entry point under test reaches the function");
  }
  // What a step has added is there to be used; it has a value wherever the variant is run.
  const bool is_added = module.NameOf(found->variable).step != 0;
  if (!is_added && !IsUsedByEntriesReaching(module, found->variable, function)) {
    return No("the entry point does not use the uniform");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandPlace place = FindUse(module, message.use);
  const Id variable = FindInput(module, InputOf(message))->variable;
  const Id type = module.TypeOf(module.IdAt(place.user, place.operand));
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
}

struct Candidate {
  Id constant;
  const KnownValue* input;
};

// Constants of the module that some input equals.
std::vector<Candidate> Candidates(const View& view) {
  constexpr size_t kInputs = 256;
  const Module& module = view.module();
  std::vector<Candidate> candidates;
  const std::vector<KnownValue>& known = view.facts().known_inputs();
  for (size_t i = 0; i < std::min(known.size(), kInputs); ++i) {
    const std::optional<InputPlace> place = FindInput(module, known[i]);
    if (!place || Width(module, place->type) != known[i].width) continue;
    const Id constant = FindConstant(module, ScalarConstant(module, place->type, known[i].bits));
    if (constant != Id::kNone) candidates.push_back({constant, &known[i]});
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
      if (candidate.constant == module.IdAt(user, operand)) inputs.push_back(candidate.input);
    }
    if (inputs.empty() || !proposer.Toss() || !MayBeAnyValue(module, {user, operand})) return;
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
