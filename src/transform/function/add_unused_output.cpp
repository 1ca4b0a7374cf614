// SPDX-License-Identifier: Apache-2.0
// Adds an output variable to an interface. Inputs are not added: the previous stage must declare
// them, or the draw call must provide them (Vulkan, VUID-RuntimeSpirv-OpEntryPoint-08743,
// VUID-VkGraphicsPipelineCreateInfo-Input-07904), even if nothing reads them.
#include "message/add_unused_output.h"

#include <algorithm>
#include <vector>

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/values.h"
#include "transform/function/entry_points.h"

namespace refract::add_unused_output {
namespace {

using Message = message::AddUnusedOutput;
using Kind = message::Type::Kind;
using Model = spv::ExecutionModel;
enum Role : uint64_t { kVariable = 1, kDecoration = 2 };

// For fragment shaders maxFragmentOutputAttachments, which is also the minimum of
// maxFragmentCombinedOutputResources. For vertex shaders half of maxVertexOutputComponents, because
// built-ins need the rest.
uint32_t MostLocations(Model model) {
  return model == Model::Fragment ? 4 : model == Model::Vertex ? 8 : 0;
}

// How many locations an output of this type takes; 0 for types that this transformation does not
// use.
uint32_t LocationsOf(const message::Type& type) {
  switch (type.kind) {
    case Kind::kInt:
    case Kind::kFloat:
      return type.width == 32 ? 1 : 0;
    case Kind::kVector:
      return type.parts.size() == 1 ? LocationsOf(type.parts[0]) : 0;
    case Kind::kArray:
      if (type.parts.size() != 1 || type.count > 8 || type.parts[0].kind == Kind::kArray) return 0;
      return type.count * LocationsOf(type.parts[0]);
    default:
      return 0;
  }
}

// How many locations an existing output of this type takes; 0 if unknown.
uint64_t LocationsOf(const Module& module, Id type) {
  const uint64_t count = PartCount(module, type).value_or(0);
  switch (TypeOpcode(module, type)) {
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      return 1;
    case spv::Op::OpTypeVector:
      return Width(module, ScalarType(module, type)) > 32 && count > 2 ? 2 : 1;
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeArray:
      return std::min<uint64_t>(count * LocationsOf(module, ElementType(module, type)), 1u << 16);
    default:
      return 0;
  }
}

// For each location, whether an output of the entry point takes it. Nullopt if this is unknown.
std::optional<std::vector<bool>> TakenLocations(const Module& module, const EntryPoint& entry) {
  std::vector<bool> taken(MostLocations(entry.model));
  for (const Id variable : entry.interface) {
    const Id pointee = ElementType(module, module.TypeOf(variable));
    if (StorageClassOf(module, module.TypeOf(variable)) != spv::StorageClass::Output) continue;
    if (FindDecoration(module, variable, spv::Decoration::BuiltIn) != Inst::kNone) continue;
    if (FindMemberDecoration(module, pointee, 0, spv::Decoration::BuiltIn) != Inst::kNone) continue;
    const Inst location = FindDecoration(module, variable, spv::Decoration::Location);
    const uint64_t count = LocationsOf(module, pointee);
    // Dual-source blending reduces the number of locations.
    if (location == Inst::kNone || count == 0 ||
        FindDecoration(module, variable, spv::Decoration::Index) != Inst::kNone) {
      return std::nullopt;
    }
    const uint64_t first = module.Word(location, 2);
    for (uint64_t i = first; i < std::min<uint64_t>(first + count, taken.size()); ++i) {
      taken[i] = true;
    }
  }
  return taken;
}

// Storage buffers and images count as outputs of a fragment shader
// (maxFragmentCombinedOutputResources). An array of them counts as the maximum.
size_t StorageResources(const Module& module) {
  size_t count = 0;
  ForEachGlobalVariable(module, [&](Inst inst) {
    Id type = ElementType(module, module.Type(inst));
    bool many = false;
    while (TypeOpcode(module, type) == spv::Op::OpTypeArray ||
           TypeOpcode(module, type) == spv::Op::OpTypeRuntimeArray) {
      type = ElementType(module, type);
      many = true;
    }
    const spv::StorageClass storage = StorageClassOf(module, module.Type(inst));
    const bool is_image = TypeOpcode(module, type) == spv::Op::OpTypeImage &&
                          module.Word(module.Definition(type), 5) != 1;
    const bool is_buffer =
        storage == spv::StorageClass::StorageBuffer ||
        (storage == spv::StorageClass::Uniform &&
         FindDecoration(module, type, spv::Decoration::BufferBlock) != Inst::kNone);
    if (is_image || is_buffer) count += many ? 4 : 1;
  });
  return count;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const std::optional<EntryPoint> entry = OnlyEntryOf(view, message.function);
  if (!entry) return No("the function must be the function of exactly one entry point");
  const uint32_t most = MostLocations(entry->model);
  if (most == 0) return No("the shader stage is not Vertex or Fragment");
  const uint32_t count = LocationsOf(message.type);
  if (count == 0 || !IsDeclarable(module, message.type)) {
    return No("an output cannot have this type");
  }
  if (message.zero && entry->name == view.context().entry) {
    return No("the initial value of the output would appear in the image");
  }
  const bool is_fragment = entry->model == Model::Fragment;
  if (is_fragment && message.location == 0) {
    return No("the alpha component of location 0 may determine coverage");
  }
  const std::optional<std::vector<bool>> taken = TakenLocations(module, *entry);
  if (!taken) return No("the output locations of the entry point are unknown");
  if (uint64_t{message.location} + count > most) {
    return No("the location exceeds the guaranteed Vulkan limit");
  }
  const auto first = taken->begin() + message.location;
  if (std::find(first, first + count, true) != first + count) {
    return No("the entry point already has an output at the location");
  }
  const auto used = static_cast<size_t>(std::count(taken->begin(), taken->end(), true));
  if (is_fragment && used + count + StorageResources(module) > most) {
    return No("the number of output resources exceeds the guaranteed Vulkan limit");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const EntryPoint entry = *OnlyEntryOf(editor.view(), message.function);
  const Id type = Declare(editor, message.type);
  const Id variable =
      AddVariable(editor, spv::StorageClass::Output, Function::kNone, type, editor.Made(kVariable),
                  message.zero ? DeclareNull(editor, type) : Id::kNone);
  editor.AppendPlain(
      Module::SectionBlock(Section::kAnnotations), spv::Op::OpDecorate, editor.Made(kDecoration),
      {variable, static_cast<uint32_t>(spv::Decoration::Location), message.location});
  AddToInterface(editor, entry.instruction, variable);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  for (const EntryPoint& entry : EntryPoints(module)) {
    const uint32_t most = MostLocations(entry.model);
    if (entry.function == Function::kNone || most == 0 || !proposer.ShouldTry()) continue;
    const message::Type scalar =
        proposer.Pick(3) == 0 ? IntType(32, proposer.Pick(2) == 0) : FloatType(32);
    const auto size = static_cast<uint32_t>(1 + proposer.Pick(4));
    const Message message{module.NameOf(module[entry.function].definition),
                          size == 1 ? scalar : VectorType(scalar, size),
                          static_cast<uint32_t>(proposer.Pick(most)),
                          entry.name != proposer.view().context().entry && proposer.Pick(2) == 0};
    if (Check(message, proposer.view())) proposer.Offer(message);
  }
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule =
    MakeRule<Message, Check, Apply, Propose>({.chance = {20, 80}, .follow_ons = {"set_interface"}});

}  // namespace refract::add_unused_output
