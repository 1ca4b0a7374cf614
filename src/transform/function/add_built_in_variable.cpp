// SPDX-License-Identifier: Apache-2.0
// Adds a built-in input to an entry point. Every implementation supports the built-ins listed here,
// and declaring them has no effect. SampleId, for example, would make a fragment shader run once
// for each sample.
#include "message/add_built_in_variable.h"

#include <iterator>

#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/values.h"
#include "transform/function/entry_points.h"

namespace refract::add_built_in_variable {
namespace {

using Message = message::AddBuiltInVariable;
using Model = spv::ExecutionModel;
using spv::BuiltIn;
enum Role : uint64_t { kVariable = 1, kDecoration = 2 };

enum class Shape : uint8_t { kBool, kInt, kUint, kUint3, kFloat4 };

struct Row {
  BuiltIn built_in;
  Model model;
  Shape shape;
};
// Vulkan, "Built-In Variables". PointCoord is missing because it is undefined unless points are
// drawn.
constexpr Row kRows[] = {
    {BuiltIn::FragCoord, Model::Fragment, Shape::kFloat4},
    {BuiltIn::FrontFacing, Model::Fragment, Shape::kBool},
    {BuiltIn::VertexIndex, Model::Vertex, Shape::kInt},
    {BuiltIn::InstanceIndex, Model::Vertex, Shape::kInt},
    {BuiltIn::NumWorkgroups, Model::GLCompute, Shape::kUint3},
    {BuiltIn::WorkgroupId, Model::GLCompute, Shape::kUint3},
    {BuiltIn::LocalInvocationId, Model::GLCompute, Shape::kUint3},
    {BuiltIn::GlobalInvocationId, Model::GLCompute, Shape::kUint3},
    {BuiltIn::LocalInvocationIndex, Model::GLCompute, Shape::kUint},
};

message::Type TypeOf(Shape shape) {
  switch (shape) {
    case Shape::kBool:
      return BoolType();
    case Shape::kInt:
      return IntType(32, true);
    case Shape::kUint:
      return IntType(32, false);
    case Shape::kUint3:
      return VectorType(IntType(32, false), 3);
    case Shape::kFloat4:
      break;
  }
  return VectorType(FloatType(32), 4);
}

const Row* RowOf(uint32_t built_in) {
  for (const Row& row : kRows) {
    if (static_cast<uint32_t>(row.built_in) == built_in) return &row;
  }
  return nullptr;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const std::optional<EntryPoint> entry = OnlyEntryOf(view, message.function);
  if (!entry) return No("the function must be the function of exactly one entry point");
  const Row* row = RowOf(message.built_in);
  if (row == nullptr || row->model != entry->model) {
    return No("the shader stage does not always support this built-in");
  }
  // Vulkan, VUID-StandaloneSpirv-OpEntryPoint-09658: an interface contains a built-in at most once.
  for (const Id variable : entry->interface) {
    if (IsBuiltIn(module, variable, row->built_in)) {
      return No("the entry point already has this built-in");
    }
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const EntryPoint entry = *OnlyEntryOf(editor.view(), message.function);
  const Id type = Declare(editor, TypeOf(RowOf(message.built_in)->shape));
  const Id variable = AddVariable(editor, spv::StorageClass::Input, Function::kNone, type,
                                  editor.Made(kVariable), Id::kNone);
  editor.AppendPlain(Module::SectionBlock(Section::kAnnotations), spv::Op::OpDecorate,
                     editor.Made(kDecoration),
                     {variable, static_cast<uint32_t>(spv::Decoration::BuiltIn), message.built_in});
  AddToInterface(editor, entry.instruction, variable);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  for (const EntryPoint& entry : EntryPoints(module)) {
    if (entry.function == Function::kNone || !proposer.ShouldTry()) continue;
    // Several tries, because most built-ins belong to other stages.
    for (int tries = 0; tries < 4; ++tries) {
      const Row& row = kRows[proposer.Pick(std::size(kRows))];
      const Message message{module.NameOf(module[entry.function].definition),
                            static_cast<uint32_t>(row.built_in)};
      if (!Check(message, proposer.view())) continue;
      proposer.Offer(message);
      break;
    }
  }
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80},
     .follow_ons = {"access", "add_lane_condition", "replace_constant_with_opaque_value",
                    "set_interface"}});

}  // namespace refract::add_built_in_variable
