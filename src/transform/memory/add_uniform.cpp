// SPDX-License-Identifier: Apache-2.0
// Adds a uniform block or push constants with a value. The module and the inputs change together,
// in one step.
#include "message/add_uniform.h"

#include "base/check.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/build/uniform_block.h"
#include "rules/legality/known_values.h"
#include "rules/values.h"

namespace refract::add_uniform {
namespace {

using Message = message::AddUniform;
using Kind = message::Type::Kind;
enum Role : uint64_t { kArray = kRolesOfBlock + 1, kArrayStride = kRolesOfBlock + 2 };

constexpr size_t kMostScalars = 256;
// Vulkan 1.3, "Required Limits": maxPushConstantsSize.
constexpr uint64_t kPushedBytes = 128;

bool IsNumber(const message::Type& type) {
  return (type.kind == Kind::kInt || type.kind == Kind::kFloat) && type.width >= 32;
}

// Appends the scalars of a value. Returns false if a block cannot contain the value without further
// capabilities.
bool AddScalars(const message::Constant& value, std::vector<message::Constant>* scalars) {
  if (value.is_null || scalars->size() >= kMostScalars) return false;
  if (IsNumber(value.type)) {
    scalars->push_back(value);
    return true;
  }
  const Kind kind = value.type.kind;
  if (kind != Kind::kVector && kind != Kind::kMatrix && kind != Kind::kArray) return false;
  for (const message::Constant& part : value.parts) {
    if (part.type.kind == Kind::kArray || !AddScalars(part, scalars)) return false;
  }
  return true;
}

std::vector<message::Constant> Scalars(const message::Constant& value) {
  std::vector<message::Constant> scalars;
  if (!AddScalars(value, &scalars)) return {};
  return scalars;
}

uint64_t BitsOf(const message::Constant& scalar) {
  return scalar.words[0] | (scalar.words.size() > 1 ? uint64_t{scalar.words[1]} << 32 : 0);
}

NewBinding PlaceOf(const Message& message) {
  return {message.set, message.binding, message.push_constant};
}

// The minimum stride of array elements or matrix columns (std140).
uint32_t StrideOf(const message::Type& type) {
  if (type.kind == Kind::kMatrix) return StrideOf(type.parts[0]);
  const uint32_t count = type.kind == Kind::kVector ? type.count : 1;
  const message::Type& scalar = type.kind == Kind::kVector ? type.parts[0] : type;
  const Extent extent = ExtentOfNumbers(scalar.width, count);
  return static_cast<uint32_t>((extent.size + 15) / 16 * 16);
}

uint64_t SizeOf(const message::Type& type) {
  if (type.kind == Kind::kMatrix) return uint64_t{StrideOf(type)} * type.count;
  if (type.kind == Kind::kArray && type.parts[0].kind == Kind::kMatrix) {
    return SizeOf(type.parts[0]) * type.count;
  }
  return uint64_t{StrideOf(type.kind == Kind::kArray ? type.parts[0] : type)} *
         (type.kind == Kind::kArray ? type.count : 1);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (view.context().entry.empty() || !HasCapability(module, spv::Capability::Shader)) {
    return No("the module has no shader entry point that is run with inputs");
  }
  if (!IsDeclarableHere(module, message.value)) {
    return No("the constant cannot be declared in this module");
  }
  const std::vector<message::Constant> scalars = Scalars(message.value);
  if (scalars.empty()) return No("the value does not consist of 32-bit or 64-bit numbers");
  for (const message::Constant& scalar : scalars) {
    if (scalar.type.kind == Kind::kFloat && !IsPlainFloat(scalar.type.width, BitsOf(scalar))) {
      return No("the value is a NaN, an infinity or a denormal");
    }
  }
  if (message.push_constant && (message.set != 0 || message.binding != 0)) {
    return No("a push constant cannot have a set or binding");
  }
  if (message.push_constant && SizeOf(message.value.type) > kPushedBytes) {
    return No("the push constant size exceeds the guaranteed Vulkan limit");
  }
  return MayBind(view, PlaceOf(message));
}

// The type of the member. An array type in a block has an identity, because its stride is a
// decoration.
Id DeclareMember(const message::Type& type, ContextEditor& editor) {
  if (type.kind != Kind::kArray) return Declare(editor, type);
  const message::Type& element = type.parts[0];
  const Id part = Declare(editor, element);
  const Id length = Declare(editor, ScalarConstant(IntType(32, false), type.count));
  const Id array =
      editor.DeclareDistinct(spv::Op::OpTypeArray, Id::kNone, editor.Made(kArray), {part, length});
  const uint32_t columns = element.kind == Kind::kMatrix ? element.count : 1;
  editor.AppendPlain(
      Module::SectionBlock(Section::kAnnotations), spv::Op::OpDecorate, editor.Made(kArrayStride),
      {array, static_cast<uint32_t>(spv::Decoration::ArrayStride), StrideOf(element) * columns});
  return array;
}

void Apply(const Message& message, ContextEditor& editor) {
  const message::Type& type = message.value.type;
  const Id member = DeclareMember(type, editor);
  const Id variable = AddUniformBlock(editor, {{member, 0}}, PlaceOf(message));
  const message::Type& element = type.kind == Kind::kArray ? type.parts[0] : type;
  if (element.kind == Kind::kMatrix) {
    DecorateMember(editor, variable, 0, spv::Decoration::MatrixStride, StrideOf(element));
    DecorateMember(editor, variable, 0, spv::Decoration::ColMajor, std::nullopt);
  }
  const Module& module = editor.module();
  const Result<Layout> layout = LayOut(module, ElementType(module, module.TypeOf(variable)), 0);
  const std::vector<message::Constant> values = Scalars(message.value);
  CHECK(layout && layout->scalars.size() == values.size());
  std::vector<NewScalar> scalars;
  for (size_t i = 0; i < values.size(); ++i) {
    scalars.push_back({layout->scalars[i], BitsOf(values[i]), values[i].type.is_signed});
  }
  RecordBlockInputs(editor, PlaceOf(message), scalars, true);
}

// `count` elements: the first is `other`, the rest are `one`. Such a value has a layout that a
// compiler can get wrong, and parts that can be selected.
message::Constant Several(Kind kind, uint32_t count, const message::Constant& one,
                          const message::Constant& other) {
  message::Constant value;
  value.type.kind = kind;
  value.type.count = count;
  value.type.parts = {one.type};
  value.parts.assign(count, one);
  value.parts[0] = other;
  return value;
}

message::Constant PickValue(Proposer& proposer, const std::vector<message::Constant>& values) {
  message::Constant value = values[proposer.Pick(values.size())];
  // A vector or matrix constant of the module is used as it is, so that the uniform can be loaded
  // as a whole.
  if (!IsNumber(value.type)) return value;
  const message::Type scalar = value.type;
  const auto count = [&] { return 2 + static_cast<uint32_t>(proposer.Pick(3)); };
  message::Constant other = ScalarConstant(scalar, 0);
  const size_t shape = proposer.Pick(6);
  if (shape < 3) return value;
  if (shape == 3 || scalar.kind == Kind::kFloat) {
    const uint32_t rows = count();
    value = Several(Kind::kVector, rows, value, other);
    if (shape == 3) return value;
    other = Several(Kind::kVector, rows, other, values[0].type == scalar ? values[0] : other);
  }
  if (shape == 4 && scalar.kind == Kind::kFloat) {
    return Several(Kind::kMatrix, count(), value, other);
  }
  return Several(Kind::kArray, count(), value, other);
}

// Offers the value of a constant of the module, which the uniform can then replace.
void OfferOne(Proposer& proposer, const std::vector<message::Constant>& values) {
  Message message{static_cast<uint32_t>(proposer.Pick(2)), static_cast<uint32_t>(proposer.Pick(32)),
                  PickValue(proposer, values), false};
  if (proposer.Pick(8) == 0) {
    message.set = message.binding = 0;
    message.push_constant = true;
  }
  if (Check(message, proposer.view())) proposer.Offer(message);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  std::vector<message::Constant> values;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    const spv::Op opcode = module.Opcode(inst);
    if (opcode != spv::Op::OpConstant && opcode != spv::Op::OpConstantComposite) return;
    if (auto value = DescribeConstant(module, module.Result(inst))) {
      if (!Scalars(*value).empty()) values.push_back(std::move(*value));
    }
  });
  if (values.empty()) return;
  for (int i = 0; i < 2; ++i) {
    if (proposer.ShouldTry()) OfferOne(proposer, values);
  }
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80},
     .follow_ons = {"replace_constant_with_uniform", "set_block_layout", "split_uniform_block",
                    "move_declaration_down"}});

}  // namespace refract::add_uniform
