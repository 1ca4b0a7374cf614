// SPDX-License-Identifier: Apache-2.0
// Adds a specialization constant. Compilers know its value only when the pipeline is created, so
// they fold it late, or again. If its default is another value, the inputs give the value.
#include "message/add_spec_constant.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "input/inputs.h"
#include "ir/call_graph.h"
#include "rules/build/declare.h"
#include "rules/legality/known_values.h"
#include "rules/values.h"

namespace refract::add_spec_constant {
namespace {

using Message = message::AddSpecConstant;
using Kind = message::Type::Kind;
enum Role : uint64_t { kConstant = 1, kSpecId = 2 };

// More than a module needs; a specialization id can be any number.
constexpr uint32_t kIds = 0x10000;

uint64_t BitsOf(const message::Constant& scalar) {
  return scalar.words[0] | (scalar.words.size() > 1 ? uint64_t{scalar.words[1]} << 32 : 0);
}

// shader.json cannot express other types.
CheckResult IsScalarOfInputs(const message::Constant& value) {
  const message::Type& type = value.type;
  const bool is_scalar =
      type.kind == Kind::kBool || type.kind == Kind::kInt || type.kind == Kind::kFloat;
  if (!is_scalar || value.is_null) return No("the value is not a numeric or boolean scalar");
  if (type.kind != Kind::kFloat) return Yes();
  if (type.width != 32 && type.width != 64) return No("inputs cannot contain floats of this width");
  if (!IsPlainFloat(type.width, BitsOf(value))) {
    return No("the value is a NaN, an infinity or a denormal");
  }
  return Yes();
}

CheckResult CheckId(uint32_t id, const View& view) {
  const Module& module = view.module();
  if (id >= kIds) return No("the specialization id is too large");
  bool taken = false;
  ForEachInstruction(module, Module::SectionBlock(Section::kAnnotations), [&](Inst inst) {
    taken |= module.Opcode(inst) == spv::Op::OpDecorate &&
             module.Word(inst, 1) == static_cast<uint32_t>(spv::Decoration::SpecId) &&
             module.Word(inst, 2) == id;
  });
  if (const Inputs* inputs = view.context().inputs.get()) {
    for (const SpecConstant& given : inputs->spec_constants) taken |= given.id == id;
    taken |= inputs->companion != nullptr && inputs->companion->HasSpecId(id);
  }
  return taken ? No("the specialization id is already in use") : Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (view.context().entry.empty() || !HasCapability(module, spv::Capability::Shader)) {
    return No("the module has no shader entry point that is run with inputs");
  }
  if (!IsDeclarableHere(module, message.value) || !IsDeclarableHere(module, message.preset)) {
    return No("the constant cannot be declared in this module");
  }
  if (!(message.value.type == message.preset.type)) {
    return No("the two values have different types");
  }
  if (CheckResult check_result = IsScalarOfInputs(message.value); !check_result)
    return check_result;
  if (CheckResult check_result = IsScalarOfInputs(message.preset); !check_result)
    return check_result;
  if (!(message.value == message.preset) && EntryPoints(module).size() != 1) {
    return No("the module has more than one entry point");
  }
  return CheckId(message.spec_id, view);
}

SpecConstant ToInput(const Message& message) {
  const message::Type& type = message.value.type;
  const uint64_t bits = BitsOf(message.value);
  SpecConstant given;
  given.id = message.spec_id;
  given.bits = bits;
  if (type.kind == Kind::kBool) {
    given.kind = SpecConstant::kBool;
  } else if (type.kind == Kind::kFloat) {
    given.kind = SpecConstant::kReal;
    if (type.width == 32) {
      const double value = std::bit_cast<float>(static_cast<uint32_t>(bits));
      given.bits = std::bit_cast<uint64_t>(value);
    }
  } else {
    const uint32_t unused = type.width < 64 ? 64 - type.width : 0;
    given.bits = type.is_signed
                     ? static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused)
                     : bits << unused >> unused;
    given.negative = type.is_signed && given.bits >> 63 != 0;
  }
  return given;
}

void Apply(const Message& message, ContextEditor& editor) {
  const Id value = Declare(editor, message.value);
  const Id type = editor.module().TypeOf(value);
  Args words;
  spv::Op opcode = spv::Op::OpSpecConstant;
  if (message.preset.type.kind == Kind::kBool) {
    opcode =
        message.preset.words[0] != 0 ? spv::Op::OpSpecConstantTrue : spv::Op::OpSpecConstantFalse;
  } else {
    words.assign(message.preset.words.begin(), message.preset.words.end());
  }
  const Id constant = editor.DeclareDistinct(opcode, type, editor.Made(kConstant), words);
  editor.AppendPlain(Module::SectionBlock(Section::kAnnotations), spv::Op::OpDecorate,
                     editor.Made(kSpecId),
                     {constant, static_cast<uint32_t>(spv::Decoration::SpecId), message.spec_id});
  if (!(message.value == message.preset)) {
    const Inputs* old = editor.view().context().inputs.get();
    auto inputs = std::make_shared<Inputs>(old != nullptr ? *old : Inputs());
    inputs->spec_constants.push_back(ToInput(message));
    editor.SetInputs(std::move(inputs));
  }
  if (editor.facts().Irrelevant(value) == nullptr) {
    editor.facts().AddSynonym(Part(constant), Part(value), editor.Provenance());
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  std::vector<message::Constant> values;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    const spv::Op opcode = module.Opcode(inst);
    if (opcode != spv::Op::OpConstant && opcode != spv::Op::OpConstantTrue &&
        opcode != spv::Op::OpConstantFalse) {
      return;
    }
    const auto value = DescribeConstant(module, module.Result(inst));
    if (value && IsScalarOfInputs(*value)) values.push_back(*value);
  });
  for (int i = 0; i < 3 && !values.empty(); ++i) {
    if (!proposer.ShouldTry()) continue;
    Message message;
    message.value = values[proposer.Pick(values.size())];
    message.preset = message.value;
    message.spec_id = static_cast<uint32_t>(proposer.Pick(256));
    // Give it another value as default: that of a constant of the same type.
    const message::Constant& other = values[proposer.Pick(values.size())];
    if (proposer.Pick(3) != 0) {
      message.preset = other.type == message.value.type
                           ? other
                           : ScalarConstant(message.value.type, BitsOf(message.value) == 0 ? 1 : 0);
    }
    if (Check(message, proposer.view())) proposer.Offer(std::move(message));
  }
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80},
     .follow_ons = {"replace_id_with_synonym", "add_spec_constant_op", "move_declaration_down"}});

}  // namespace refract::add_spec_constant
