// SPDX-License-Identifier: Apache-2.0
#include "input/companion.h"

#include <algorithm>

#include "base/text.h"
#include "input/pipeline/stages.h"
#include "ir/binary.h"
#include "ir/decorations.h"
#include "ir/tools.h"

namespace refract {
inline namespace input {
namespace {

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

}  // namespace input
}  // namespace refract
