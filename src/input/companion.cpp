// SPDX-License-Identifier: Apache-2.0
#include "input/companion.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "input/stage_interface.h"
#include "ir/binary.h"
#include "ir/decorations.h"
#include "ir/tools.h"
#include "ir/types.h"

namespace refract {
inline namespace input {
namespace {

constexpr uint32_t kShown = 4;  // locations that every device can draw to

std::string_view StageName(spv::ExecutionModel model) {
  return model == spv::ExecutionModel::Vertex ? "vertex" : "fragment";
}

void NotePlaces(const Module& module, Companion* companion) {
  const auto word = [&](Id id, spv::Decoration decoration) -> std::optional<uint32_t> {
    const Inst found = FindDecoration(module, id, decoration);
    if (found == Inst::kNone) return std::nullopt;
    return module.Word(found, 2);
  };
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    const Id id = module.Result(inst);
    if (id == Id::kNone) return;
    if (const auto spec_id = word(id, spv::Decoration::SpecId)) {
      companion->spec_ids.push_back(*spec_id);
    }
    if (module.Opcode(inst) != spv::Op::OpVariable) return;
    if (static_cast<spv::StorageClass>(module.Word(inst, 0)) == spv::StorageClass::PushConstant) {
      companion->places.emplace_back(true, 0, 0);
    }
    const auto binding = word(id, spv::Decoration::Binding);
    if (!binding) return;
    companion->places.emplace_back(false, word(id, spv::Decoration::DescriptorSet).value_or(0),
                                   *binding);
  });
}

Result<EntryPoint> ChooseEntry(const Module& module, const std::string& file,
                               spv::ExecutionModel model) {
  std::vector<EntryPoint> matching;
  for (EntryPoint& entry : EntryPoints(module)) {
    if (entry.model == model && entry.function != Function::kNone) {
      matching.push_back(std::move(entry));
    }
  }
  if (matching.empty()) {
    return Error{format("{}: the module has no {} shader", file, StageName(model))};
  }
  if (matching.size() == 1) return matching[0];
  for (const EntryPoint& entry : matching) {
    if (entry.name == "main") return entry;
  }
  return Error{format("{}: the module has several {} shaders, but none of them is named main", file,
                      StageName(model))};
}

// --- a fragment shader that draws its inputs

struct Shown {
  uint32_t location = 0;
  uint32_t components = 1;
  InterfaceSlot::Kind kind = InterfaceSlot::kFloat;
  bool flat = false, no_perspective = false;
};

std::string_view ScalarName(InterfaceSlot::Kind kind) {
  return kind == InterfaceSlot::kFloat ? "float" : kind == InterfaceSlot::kInt ? "int" : "uint";
}

std::string TypeName(const Shown& shown) {
  const std::string_view scalar = ScalarName(shown.kind);
  return shown.components == 1 ? std::string(scalar) : format("{}{}", scalar, shown.components);
}

std::string ShowingText(const std::vector<Shown>& all) {
  std::string interface, decorations, variables, body;
  for (const Shown& shown : all) {
    const uint32_t at = shown.location;
    const std::string type = TypeName(shown);
    interface += format(" %in{} %out{}", at, at);
    decorations +=
        format("OpDecorate %in{} Location {}\nOpDecorate %out{} Location {}\n", at, at, at, at);
    if (shown.flat) decorations += format("OpDecorate %in{} Flat\n", at);
    if (shown.no_perspective) decorations += format("OpDecorate %in{} NoPerspective\n", at);
    variables += format("%in{} = OpVariable %in_{} Input\n%out{} = OpVariable %out_{} Output\n", at,
                        type, at, type);
    body += format("%value{} = OpLoad %{} %in{}\nOpStore %out{} %value{}\n", at, type, at, at, at);
  }
  if (all.empty()) {
    interface = " %out0";
    decorations = "OpDecorate %out0 Location 0\n";
    variables = "%out0 = OpVariable %out_float4 Output\n";
    body = "OpStore %out0 %white\n";
  }
  std::string types;
  for (const auto& [name, declaration] :
       {std::pair("float", "OpTypeFloat 32"), std::pair("int", "OpTypeInt 32 1"),
        std::pair("uint", "OpTypeInt 32 0")}) {
    types += format("%{} = {}\n", name, declaration);
    for (uint32_t size = 1; size <= 4; ++size) {
      const std::string type = size == 1 ? std::string(name) : format("{}{}", name, size);
      if (size > 1) types += format("%{} = OpTypeVector %{} {}\n", type, name, size);
      types += format("%in_{} = OpTypePointer Input %{}\n%out_{} = OpTypePointer Output %{}\n",
                      type, type, type, type);
    }
  }
  return format(
      "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
      "OpEntryPoint Fragment %main \"main\"{}\nOpExecutionMode %main OriginUpperLeft\n{}"
      "%void = OpTypeVoid\n%function = OpTypeFunction %void\n{}%one = OpConstant %float 1\n"
      "%white = OpConstantComposite %float4 %one %one %one %one\n{}"
      "%main = OpFunction %void None %function\n%entry = OpLabel\n{}OpReturn\nOpFunctionEnd\n",
      interface, decorations, types, variables, body);
}

}  // namespace

bool Companion::HasPlace(bool push_constant, uint32_t set, uint32_t binding) const {
  const std::tuple place(push_constant, push_constant ? 0 : set, push_constant ? 0 : binding);
  return std::find(places.begin(), places.end(), place) != places.end();
}

bool Companion::HasSpecId(uint32_t id) const {
  return std::find(spec_ids.begin(), spec_ids.end(), id) != spec_ids.end();
}

Result<std::shared_ptr<const Companion>> MakeCompanion(std::vector<uint32_t> spirv,
                                                       const std::string& file,
                                                       spv::ExecutionModel model) {
  const Result<Module> module = ReadModule(spirv, file);
  if (!module) return module.error();
  if (Status valid = ValidateWithin(spirv, UniversalEnvironment(module->version())); !valid) {
    return Error{format("{}: {}", file, valid.error().message)};
  }
  const Result<EntryPoint> entry = ChooseEntry(*module, file, model);
  if (!entry) return entry.error();
  auto companion = std::make_shared<Companion>();
  companion->file = file;
  companion->spirv = std::move(spirv);
  companion->entry = entry->name;
  companion->model = model;
  NotePlaces(*module, companion.get());
  return std::shared_ptr<const Companion>(std::move(companion));
}

Result<std::shared_ptr<const Companion>> MakePassThroughCompanion(const Module& module,
                                                                  const EntryPoint& entry,
                                                                  const std::string& file) {
  const Result<std::vector<InterfaceSlot>> slots =
      InterfaceOf(module, entry, spv::StorageClass::Output);
  // Errors of the interface are reported when the two shaders are linked.
  std::vector<Shown> shown;
  for (const InterfaceSlot& slot : slots ? *slots : std::vector<InterfaceSlot>()) {
    if (slot.built_in || !slot.whole || slot.component != 0 || slot.location >= kShown) continue;
    const bool taken = std::any_of(shown.begin(), shown.end(), [&](const Shown& other) {
      return other.location == slot.location;
    });
    if (taken) continue;
    const bool flat = slot.flat || slot.kind != InterfaceSlot::kFloat;
    shown.push_back(
        {slot.location, slot.components, slot.kind, flat, slot.no_perspective && !flat});
  }
  std::sort(shown.begin(), shown.end(),
            [](const Shown& a, const Shown& b) { return a.location < b.location; });
  Result<std::vector<uint32_t>> words =
      Assemble(ShowingText(shown), TargetEnvironment::kUniversal10);
  CHECK(static_cast<bool>(words));
  return MakeCompanion(std::move(*words), file, spv::ExecutionModel::Fragment);
}

}  // namespace input
}  // namespace refract
