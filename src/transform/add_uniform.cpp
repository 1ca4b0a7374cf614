// SPDX-License-Identifier: Apache-2.0
// The one transformation that changes the inputs: module and inputs change together, in one step.
#include "message/add_uniform.h"

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "input/inputs.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "transform/declare.h"
#include "transform/known_values.h"
#include "transform/values.h"

namespace refract::add_uniform {
namespace {

using Message = message::AddUniform;
using Kind = message::Type::Kind;
enum Role : uint64_t {
  kBlock = 1,
  kVariable = 2,
  kOffset = 3,
  kIsBlock = 4,
  kSet = 5,
  kBinding = 6
};

// What every Vulkan implementation has (Vulkan 1.3, "Required Limits": maxBoundDescriptorSets,
// maxPerStageDescriptorUniformBuffers), and more bindings than a module needs.
constexpr uint32_t kSets = 4;
constexpr uint32_t kBindings = 1024;
constexpr uint32_t kUniformBuffers = 12;

// The scalars of a value that a block may hold without further capabilities; empty if it is none.
std::vector<message::Constant> Scalars(const message::Constant& value) {
  const bool is_vector = value.type.kind == Kind::kVector;
  std::vector<message::Constant> scalars =
      is_vector ? value.parts : std::vector<message::Constant>{value};
  for (const message::Constant& scalar : scalars) {
    const message::Type& type = scalar.type;
    const bool is_number = type.kind == Kind::kInt || type.kind == Kind::kFloat;
    if (!is_number || type.width < 32 || scalar.is_null) return {};
  }
  return scalars;
}

uint64_t BitsOf(const message::Constant& scalar) {
  return scalar.words[0] | (scalar.words.size() > 1 ? uint64_t{scalar.words[1]} << 32 : 0);
}

bool HasWord(const Module& module, Id id, spv::Decoration decoration, uint32_t value) {
  const Inst inst = FindDecoration(module, id, decoration);
  return inst != Inst::kNone && module.OperandCount(inst) > 2 && module.Word(inst, 2) == value;
}

std::string NameOfInput(const Message& message) {
  return format("added_{}_{}", message.set, message.binding);
}

Verdict CheckPlace(const Message& message, const View& view) {
  const Module& module = view.module();
  if (message.set >= kSets || message.binding >= kBindings) {
    return No("not every implementation has that set or binding");
  }
  uint32_t buffers = 1;
  Verdict verdict = Yes();
  ForEachGlobalVariable(module, [&](Inst inst) {
    const Id variable = module.Result(inst);
    if (HasWord(module, variable, spv::Decoration::Binding, message.binding) &&
        HasWord(module, variable, spv::Decoration::DescriptorSet, message.set)) {
      verdict = No("something is bound there");
    }
    if (module.Word(inst, 0) != static_cast<uint32_t>(spv::StorageClass::Uniform)) return;
    const Id block = ElementType(module, module.Type(inst));
    buffers += TypeOpcode(module, block) == spv::Op::OpTypeStruct ? 1 : kUniformBuffers;
  });
  if (!verdict) return verdict;
  if (buffers > kUniformBuffers) return No("not every implementation has so many buffers");
  const Inputs* inputs = view.context().inputs.get();
  if (inputs == nullptr) return Yes();
  if (inputs->Find(NameOfInput(message)) != nullptr ||
      std::any_of(inputs->values.begin(), inputs->values.end(), [&](const InputValue& value) {
        return value.has_binding && value.set == message.set && value.binding == message.binding;
      })) {
    return No("the inputs have a value for it");
  }
  return Yes();
}

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (view.context().entry.empty() || !HasCapability(module, spv::Capability::Shader)) {
    return No("no entry point is run with inputs");
  }
  if (!IsDeclarableHere(module, message.value)) return No("the value cannot be declared");
  const std::vector<message::Constant> scalars = Scalars(message.value);
  if (scalars.empty()) return No("the value is no number and no vector of 32 or 64 bits");
  for (const message::Constant& scalar : scalars) {
    if (scalar.type.kind == Kind::kFloat && !IsPlainFloat(scalar.type.width, BitsOf(scalar))) {
      return No("the value is a NaN, an infinity or a denormal");
    }
  }
  return CheckPlace(message, view);
}

// The value as shader.json has it.
InputValue ToInput(const Message& message, const std::vector<message::Constant>& scalars) {
  const message::Type& type = scalars[0].type;
  InputValue input;
  input.name = NameOfInput(message);
  input.set = message.set;
  input.binding = message.binding;
  input.has_binding = true;
  input.offset = 0;
  input.scalar = type.kind == Kind::kFloat ? InputValue::kFloat
                 : type.is_signed          ? InputValue::kInt
                                           : InputValue::kUint;
  input.width = type.width;
  input.rows = static_cast<uint32_t>(scalars.size());
  for (const message::Constant& scalar : scalars) input.words.push_back(BitsOf(scalar));
  return input;
}

void AddToInputs(const Message& message, ContextEditor& editor) {
  const std::vector<message::Constant> scalars = Scalars(message.value);
  const Inputs* old = editor.view().context().inputs.get();
  auto inputs = std::make_shared<Inputs>(old != nullptr ? *old : Inputs());
  inputs->values.push_back(ToInput(message, scalars));
  editor.SetInputs(std::move(inputs));

  std::vector<KnownValue> known = editor.facts().known_inputs();
  for (uint32_t i = 0; i < scalars.size(); ++i) {
    KnownValue value;
    value.set = message.set;
    value.binding = message.binding;
    value.path = {0};
    if (scalars.size() > 1) value.path.push_back(i);
    value.bits = BitsOf(scalars[i]);
    value.width = scalars[i].type.width;
    value.added_by = editor.step();
    known.push_back(std::move(value));
  }
  editor.facts().SetKnownInputs(std::make_shared<const std::vector<KnownValue>>(std::move(known)));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Id type = Declare(editor, message.value.type);
  const Id block =
      editor.DeclareDistinct(spv::Op::OpTypeStruct, Id::kNone, editor.Made(kBlock), {type});
  const Block annotations = Module::SectionBlock(Section::kAnnotations);
  const auto word = [](auto value) { return static_cast<uint32_t>(value); };
  editor.AppendPlain(annotations, spv::Op::OpMemberDecorate, editor.Made(kOffset),
                     {block, 0u, word(spv::Decoration::Offset), 0u});
  editor.AppendPlain(annotations, spv::Op::OpDecorate, editor.Made(kIsBlock),
                     {block, word(spv::Decoration::Block)});
  const Id pointer = DeclarePointer(editor, spv::StorageClass::Uniform, block);
  const Id variable = editor.DeclareDistinct(spv::Op::OpVariable, pointer, editor.Made(kVariable),
                                             {word(spv::StorageClass::Uniform)});
  editor.AppendPlain(annotations, spv::Op::OpDecorate, editor.Made(kSet),
                     {variable, word(spv::Decoration::DescriptorSet), message.set});
  editor.AppendPlain(annotations, spv::Op::OpDecorate, editor.Made(kBinding),
                     {variable, word(spv::Decoration::Binding), message.binding});
  AddToInputs(message, editor);
}

// Offers the value of some constant of the module: it may then be replaced by the uniform.
void OfferOne(Proposer& proposer, const std::vector<message::Constant>& values) {
  Message message{static_cast<uint32_t>(proposer.Pick(2)), static_cast<uint32_t>(proposer.Pick(32)),
                  values[proposer.Pick(values.size())]};
  // Beside it others, so that there is something to select from.
  if (proposer.Pick(3) == 0) {
    const message::Constant scalar = message.value;
    message.value = {};
    message.value.type.kind = Kind::kVector;
    message.value.type.count = 2 + static_cast<uint32_t>(proposer.Pick(3));
    message.value.type.parts = {scalar.type};
    message.value.parts.assign(message.value.type.count, scalar);
    message.value.parts[0] = ScalarConstant(scalar.type, 0);
  }
  if (Check(message, proposer.view())) proposer.Offer(std::move(message));
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  std::vector<message::Constant> values;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpConstant) return;
    if (auto value = DescribeConstant(module, module.Result(inst))) {
      if (!Scalars(*value).empty()) values.push_back(std::move(*value));
    }
  });
  if (values.empty()) return;
  for (int i = 0; i < 2; ++i) {
    if (proposer.Toss()) OfferOne(proposer, values);
  }
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80}, .follow_ons = {"replace_constant_with_uniform"}});

}  // namespace refract::add_uniform
