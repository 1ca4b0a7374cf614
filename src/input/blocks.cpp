// SPDX-License-Identifier: Apache-2.0
#include "input/blocks.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/text.h"
#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace input {
namespace {

constexpr size_t kMaxScalars = size_t{1} << 22;  // in all blocks together

bool IsResourceClass(spv::StorageClass storage_class) {
  switch (storage_class) {
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
    case spv::StorageClass::PushConstant:
    case spv::StorageClass::UniformConstant:
      return true;
    default:
      return false;
  }
}

class Collector {
 public:
  Collector(const Module& module, const EntryPoint& entry, const BlockNames& names,
            const std::vector<BoundConstant>& constants, bool leave_out)
      : module_(module),
        entry_(entry),
        names_(names),
        constants_(constants),
        leave_out_(leave_out),
        functions_(ReachedFlags(module, entry.function)) {}

  Result<std::vector<BlockVariable>> Run();

 private:
  Result<std::vector<BlockVariable>> Describe(Id variable) const;
  std::optional<BlockPlace> PlaceOf(Id variable) const;
  std::string NameOf(Id variable) const {
    const std::string name = names_.Describe(variable, {});
    return name.empty() ? format("%{}", module_.FileId(variable)) : name;
  }

  const Module& module_;
  const EntryPoint& entry_;
  const BlockNames& names_;
  const std::vector<BoundConstant>& constants_;
  const bool leave_out_;
  const std::vector<bool> functions_;
};

// The place of a variable; nullopt without set and binding, because then no device can fill it.
std::optional<BlockPlace> Collector::PlaceOf(Id variable) const {
  const spv::StorageClass storage_class = StorageClassOf(module_, module_.TypeOf(variable));
  if (storage_class == spv::StorageClass::PushConstant) return BlockPlace(true, 0, 0);
  const Inst set = FindDecoration(module_, variable, spv::Decoration::DescriptorSet);
  const Inst binding = FindDecoration(module_, variable, spv::Decoration::Binding);
  if (set == Inst::kNone || binding == Inst::kNone) return std::nullopt;
  return BlockPlace(false, module_.Word(set, 2), module_.Word(binding, 2));
}

// True for an image, a sampler, an acceleration structure or an array of these (images.h describes
// those).
bool IsImage(const Module& module, Id type) {
  type = WithoutArrays(module, type);
  switch (TypeOpcode(module, type)) {
    case spv::Op::OpTypeImage:
    case spv::Op::OpTypeSampledImage:
    case spv::Op::OpTypeSampler:
    case spv::Op::OpTypeAccelerationStructureKHR:
      return true;
    default:
      return false;
  }
}

// Describes the blocks of a variable. Nothing for images, and for blocks that cannot be described
// if the entry point does not use them.
Result<std::vector<BlockVariable>> Collector::Describe(Id variable) const {
  const spv::StorageClass storage_class = StorageClassOf(module_, module_.TypeOf(variable));
  BlockVariable block;
  block.variable = variable;
  block.type = ElementType(module_, module_.TypeOf(variable));
  const std::vector<BlockVariable> nothing;
  if (IsImage(module_, block.type)) return nothing;
  block.use = UseOf(module_, variable, functions_);
  const bool is_push_constant = storage_class == spv::StorageClass::PushConstant;
  if (is_push_constant && !block.use.used) return nothing;
  uint32_t count = 1;
  if (IsBlockArray(module_, variable)) {
    const Result<uint32_t> length = DescriptorCount(module_, block.type, constants_);
    if (!length && !block.use.used) return nothing;
    if (!length) {
      return Error{format("the entry point {} uses {}, {}; Refract does not support such resources",
                          entry_.name, NameOf(variable), length.error().message),
                   ErrorKind::kUnavailable};
    }
    count = *length;
    block.in_array = true;
    block.type = ElementType(module_, block.type);
  }
  if (storage_class == spv::StorageClass::UniformConstant ||
      TypeOpcode(module_, block.type) != spv::Op::OpTypeStruct) {
    if (!block.use.used) return nothing;
    return Error{
        format("the entry point {} uses {}, which is not a block of scalars, an image or a "
               "sampler; Refract does not support such resources",
               entry_.name, NameOf(variable)),
        ErrorKind::kUnavailable};
  }
  block.storage = storage_class == spv::StorageClass::StorageBuffer ||
                  FindDecoration(module_, block.type, spv::Decoration::BufferBlock) != Inst::kNone;
  const auto place = PlaceOf(variable);
  if (!place.has_value()) {
    if (!block.use.used) return nothing;
    return Error{format("{}, which the entry point {} uses, has no DescriptorSet and Binding",
                        NameOf(variable), entry_.name),
                 ErrorKind::kUnavailable};
  }
  block.place = *place;
  Result<Layout> layout = LayOut(module_, block.type, 0, constants_);
  if (!layout) {
    if (!block.use.used) return nothing;
    return Error{
        format("{} ({}): {}", NameOf(variable), PlaceText(block.place), layout.error().message),
        ErrorKind::kUnavailable};
  }
  block.layout = std::move(*layout);
  std::vector<BlockVariable> blocks(count, block);
  for (uint32_t i = 0; i < count; ++i) blocks[i].place.element = i;
  return blocks;
}

Result<std::vector<BlockVariable>> Collector::Run() {
  std::vector<BlockVariable> blocks;
  size_t scalars = 0;
  const Block declarations = Module::SectionBlock(Section::kDeclarations);
  for (Inst inst = module_.First(declarations); inst != Inst::kNone; inst = module_.Next(inst)) {
    if (module_.Opcode(inst) != spv::Op::OpVariable || !IsPointer(module_, module_.Type(inst)) ||
        !IsResourceClass(StorageClassOf(module_, module_.Type(inst)))) {
      continue;
    }
    auto described = Describe(module_.Result(inst));
    if (!described && leave_out_) continue;
    if (!described) return described.error();
    size_t more = 0;
    for (const BlockVariable& block : *described) more += block.layout.scalars.size();
    if (scalars + more > kMaxScalars) {
      if (leave_out_) continue;
      return Error{format("the blocks have more than {} scalars", kMaxScalars),
                   ErrorKind::kUnavailable};
    }
    scalars += more;
    std::move(described->begin(), described->end(), std::back_inserter(blocks));
  }
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const auto& a, const auto& b) { return a.place < b.place; });
  return blocks;
}

}  // namespace

std::string PlaceText(const BlockPlace& place) {
  return place.push_constant ? "push constants"
                             : PlaceText(place.set, place.binding, place.element);
}

std::vector<uint32_t> PathInVariable(const BlockVariable& block, std::vector<uint32_t> path) {
  if (block.in_array) path.insert(path.begin(), block.place.element);
  return path;
}

Result<std::vector<BlockVariable>> BlocksOf(const Module& module, const EntryPoint& entry,
                                            const BlockNames& names,
                                            const std::vector<BoundConstant>& constants,
                                            bool leave_out) {
  return Collector(module, entry, names, constants, leave_out).Run();
}

Result<Layout> LayoutWithin(const Module& module, const BlockVariable& block, uint64_t bytes,
                            const std::vector<BoundConstant>& constants) {
  if (!block.layout.has_unsized) return block.layout;
  const Result<RuntimeArrayPlace> array = PlaceOfRuntimeArray(module, block.layout, block.type);
  if (!array) return array.error();
  const uint64_t room = bytes > array->offset ? bytes - array->offset : 0;
  return LayOut(module, block.type,
                static_cast<uint32_t>(std::min<uint64_t>(room / array->stride, 0xffffffffu)),
                constants);
}

}  // namespace input
}  // namespace refract
