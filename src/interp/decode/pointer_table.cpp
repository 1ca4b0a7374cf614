// SPDX-License-Identifier: Apache-2.0
#include "interp/decode/pointer_table.h"

#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {

const PointerInfo* PointerTable::Find(Id pointer) const {
  const auto found = pointers_.find(pointer);
  return found != pointers_.end() ? &found->second : nullptr;
}

Result<PointerInfo> PointerTable::Of(Inst user, Id pointer) {
  if (const PointerInfo* found = Find(pointer)) return *found;
  if (const auto unusable = unusable_.find(pointer); unusable != unusable_.end()) {
    return source_.Cannot(source_.module.Definition(pointer), unusable->second);
  }
  const Id type = source_.module.TypeOf(pointer);
  if (TypeOpcode(source_.module, type) != spv::Op::OpTypePointer) {
    return source_.Cannot(user, "the operand is not a pointer");
  }
  PointerInfo info;
  info.storage = StorageClassOf(source_.module, type);
  info.pointee = ElementType(source_.module, type);
  info.shared = IsShared(info.storage);
  info.row = rows_.AtOrAllocate(pointer, info.shared ? 2 : 1);
  Set(pointer, info);
  return info;
}

Result<uint32_t> PointerTable::RowOf(Inst user, Id pointer) {
  const Result<PointerInfo> info = Of(user, pointer);
  if (!info) return info.error();
  const spv::Op pointee = TypeOpcode(source_.module, info->pointee);
  if (info->matrix.stride != 0 && (pointee == spv::Op::OpTypeMatrix || info->matrix.row_major)) {
    return source_.Cannot(user,
                          "pointers to matrices with a memory layout are not supported as values");
  }
  if (!info->fixed) return info->row;
  if (info->storage == spv::StorageClass::UniformConstant) {
    if (Status status = CheckImage(user, *info); !status) return status.error();
  }
  if (!info->shared) return constants_.RowOfWord(info->address);
  const uint32_t row = rows_.Allocate(2);
  constants_.Set(row, info->object);
  constants_.Set(row + 1, info->address);
  rows_.Set(pointer, row);
  return row;
}

Status PointerTable::CheckImage(Inst user, const PointerInfo& pointer) const {
  if (!IsDescriptorArray(source_.module, pointer)) {
    return CheckImage(user, pointer.pointee, bindings_.images[pointer.address]);
  }
  const Id type = ElementType(source_.module, pointer.pointee);
  const BoundImage& first = bindings_.images[pointer.address];
  for (size_t i = pointer.address; i < bindings_.images.size(); ++i) {
    const BoundImage& image = bindings_.images[i];
    if (image.set != first.set || image.binding != first.binding) break;
    if (Status status = CheckImage(user, type, image); !status) return status;
  }
  return {};
}

Status PointerTable::CheckImage(Inst user, Id type, const BoundImage& image) const {
  if (TypeOpcode(source_.module, type) == spv::Op::OpTypeAccelerationStructureKHR) {
    return source_.Cannot(user, "acceleration structures are not supported");
  }
  if (!IsSound(image)) {
    return source_.Cannot(user, "the description of the bound image is not consistent");
  }
  if (TypeOpcode(source_.module, type) == spv::Op::OpTypeSampler) return {};
  ImageShape shape;
  if (!FindImageShape(source_.module, type, &shape)) {
    return source_.Cannot(user, "images of this dimension are not supported");
  }
  if (shape.dim != image.dim || shape.arrayed != image.arrayed ||
      shape.multisampled != (image.samples > 1) ||
      shape.attachment != (image.kind == BoundImage::kAttachment) || !HasTexels(image.kind)) {
    return source_.Cannot(user, "the dimensions of the bound image do not match the image type");
  }
  return {};
}

bool IsDescriptorArray(const Module& module, const PointerInfo& pointer) {
  switch (pointer.storage) {
    case spv::StorageClass::UniformConstant:
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
      break;
    default:
      return false;
  }
  if (TypeOpcode(module, pointer.pointee) != spv::Op::OpTypeArray) return false;
  const Id element = ElementType(module, pointer.pointee);
  return TypeOpcode(module, element) != spv::Op::OpTypeStruct
             ? pointer.storage == spv::StorageClass::UniformConstant
             : FindDecoration(module, element, spv::Decoration::Block) != Inst::kNone ||
                   FindDecoration(module, element, spv::Decoration::BufferBlock) != Inst::kNone;
}

bool FindImageShape(const Module& module, Id type, ImageShape* shape) {
  if (TypeOpcode(module, type) == spv::Op::OpTypeSampledImage) {
    type = module.IdAt(module.Definition(type), 0);
  }
  if (TypeOpcode(module, type) != spv::Op::OpTypeImage) return false;
  const Inst inst = module.Definition(type);
  shape->dim = static_cast<spv::Dim>(module.Word(inst, 1));
  switch (shape->dim) {
    case spv::Dim::Dim1D:
    case spv::Dim::Buffer:
      shape->axes = 1;
      break;
    case spv::Dim::Dim2D:
    case spv::Dim::Cube:
      shape->axes = 2;
      break;
    case spv::Dim::Dim3D:
      shape->axes = 3;
      break;
    case spv::Dim::SubpassData:
      shape->axes = 2;
      shape->attachment = true;
      shape->dim = spv::Dim::Dim2D;
      break;
    default:
      return false;
  }
  shape->arrayed = module.Word(inst, 3) != 0;
  shape->multisampled = module.Word(inst, 4) != 0;
  return true;
}

}  // namespace interp
}  // namespace refract
