// SPDX-License-Identifier: Apache-2.0
// Images and samplers: fetches, reads, writes, samples, gathers and queries. Images have one level
// and one sample. Depth comparisons and sparse images are refused.
#include <array>
#include <bit>

#include "base/text.h"
#include "input/texels.h"
#include "interp/decode/decode.h"
#include "interp/ops/ops_image.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {
namespace {

constexpr uint32_t kBias = 0x1, kLod = 0x2, kGrad = 0x4, kConstOffset = 0x8, kOffset = 0x10,
                   kConstOffsets = 0x20, kMinLod = 0x80, kMakeAvailable = 0x100,
                   kMakeVisible = 0x200, kNonPrivate = 0x400, kVolatile = 0x800, kSigns = 0x3000,
                   kNontemporal = 0x4000;

struct Shape {
  uint32_t axes = 0;
  bool arrayed = false, depth = false, multisampled = false;
};

bool FindShape(const Module& module, Id type, Shape* shape) {
  if (TypeOpcode(module, type) == spv::Op::OpTypeSampledImage) {
    type = module.IdAt(module.Definition(type), 0);
  }
  if (TypeOpcode(module, type) != spv::Op::OpTypeImage) return false;
  const Inst inst = module.Definition(type);
  switch (static_cast<spv::Dim>(module.Word(inst, 1))) {
    case spv::Dim::Dim1D:
      shape->axes = 1;
      break;
    case spv::Dim::Dim2D:
      shape->axes = 2;
      break;
    case spv::Dim::Dim3D:
      shape->axes = 3;
      break;
    default:
      return false;
  }
  shape->depth = module.Word(inst, 2) == 1;
  shape->arrayed = module.Word(inst, 3) != 0;
  shape->multisampled = module.Word(inst, 4) != 0;
  return true;
}

// The kind of an image instruction, and where its operands are.
struct ImageOp {
  Handler handler = nullptr;
  uint32_t operands = 2;  // the index of the mask of image operands
  bool projective = false;
};

ImageOp FindImageOp(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpImageFetch:
    case spv::Op::OpImageRead:
      return {FetchTexel, 2, false};
    case spv::Op::OpImageWrite:
      return {WriteTexel, 3, false};
    case spv::Op::OpImageSampleImplicitLod:
    case spv::Op::OpImageSampleExplicitLod:
      return {SampleImage, 2, false};
    case spv::Op::OpImageSampleProjImplicitLod:
    case spv::Op::OpImageSampleProjExplicitLod:
      return {SampleImage, 2, true};
    case spv::Op::OpImageGather:
      return {GatherTexels, 3, false};
    case spv::Op::OpImageQuerySize:
      return {QueryImageSize, 1, false};
    case spv::Op::OpImageQuerySizeLod:
      return {QueryImageSize, 2, false};
    default:
      return {};
  }
}

}  // namespace

Status Decoder::CheckResource(Inst user, const PointerInfo& pointer) const {
  const BoundImage& image = code_->bindings.images[pointer.place];
  if (!IsSound(image)) return Cannot(user, "the bound image is not consistent");
  if (TypeOpcode(module_, pointer.pointee) == spv::Op::OpTypeSampler) return {};
  Shape shape;
  if (!FindShape(module_, pointer.pointee, &shape)) {
    return Cannot(user, "images of this dimension are not supported");
  }
  const uint32_t axes = image.dim == spv::Dim::Dim1D   ? 1
                        : image.dim == spv::Dim::Dim2D ? 2
                        : image.dim == spv::Dim::Dim3D ? 3
                                                       : 0;
  if (shape.axes != axes || shape.arrayed != image.arrayed || image.kind == BoundImage::kSampler) {
    return Cannot(user, "the bound image has another shape");
  }
  return {};
}

Status Decoder::LoadResource(const Form& form, const PointerInfo& pointer) {
  if (pointer.fixed) {
    if (Status status = CheckResource(form.inst, pointer); !status) return status;
  }
  Op op = MakeOp(form.inst, GatherMoves);
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(form, &op.result, &type); !status) return status;
  const uint32_t row = pointer.fixed ? ConstantWord(pointer.place) : pointer.row;
  op.count = static_cast<uint32_t>(type->rows);  // for sampled images, both rows are the same
  op.list = AddWords(std::vector<uint32_t>(type->rows, row));
  Emit(op);
  return {};
}

Status Decoder::DecodeImage(const Form& form, bool* done) {
  *done = true;
  switch (form.opcode) {
    case spv::Op::OpSampledImage:
    case spv::Op::OpImage:
      return DecodeImagePair(form);
    case spv::Op::OpImageTexelPointer:
      return DecodeTexelPointer(form);
    case spv::Op::OpImageQueryLevels:
      return DecodeQueryLevels(form);
    case spv::Op::OpImageQueryLod:
      return Cannot(form.inst, "the level of a sample is not modelled");
    case spv::Op::OpImageSampleDrefImplicitLod:
    case spv::Op::OpImageSampleDrefExplicitLod:
    case spv::Op::OpImageSampleProjDrefImplicitLod:
    case spv::Op::OpImageSampleProjDrefExplicitLod:
    case spv::Op::OpImageDrefGather:
      return Cannot(form.inst, "depth images are not supported");
    case spv::Op::OpImageQuerySamples:
      return Cannot(form.inst, "multisampled images are not supported");
    default:
      break;
  }
  const ImageOp found = FindImageOp(form.opcode);
  *done = found.handler != nullptr;
  if (!*done) return {};
  ImageForm image;
  if (Status status = DecodeImageForm(form, &image); !status) return status;
  image.projective = found.projective ? 1 : 0;
  const bool queries = found.handler == QueryImageSize;
  if (!queries) {
    if (Status status = DecodeCoordinate(form, 1, &image); !status) return status;
    if (Status status = DecodeImageOperands(form, found.operands, &image); !status) return status;
  } else if (form.operands > 1) {
    if (Status status = DecodeScalar(form, 1, &image.lod, &image.lod_scalar); !status) {
      return status;
    }
  }
  if (found.handler == GatherTexels) {
    Status status = DecodeScalar(form, 2, &image.component, &image.component_scalar);
    if (!status) return status;
  }
  return EmitImageOp(form, found.handler, image);
}

Status Decoder::EmitImageOp(const Form& form, Handler handler, const ImageForm& image) {
  Op op = MakeOp(form.inst, handler);
  const TypeInfo* type = nullptr;
  if (handler == WriteTexel) {
    const Result<const TypeInfo*> texel = OperandType(form, 2);
    if (!texel) return texel.error();
    const Result<uint32_t> row = RowOf(form.inst, OperandId(form, 2));
    if (!row) return row.error();
    type = *texel;
    op.c = *row;
  } else if (Status status = ResultRows(form, &op.result, &type); !status) {
    return status;
  }
  op.scalar = type->scalar;
  op.count = type->parts;
  const bool number = op.scalar == Scalar::kFloat32 || op.scalar == Scalar::kInt32;
  if (!number && handler != QueryImageSize) {
    return Cannot(form.inst, "only texels of 32 bits are supported");
  }
  const Result<uint32_t> row = RowOf(form.inst, OperandId(form, 0));
  if (!row) return row.error();
  op.a = *row;
  op.list = AddImageForm(image);
  Emit(op);
  return {};
}

uint32_t Decoder::AddImageForm(const ImageForm& image) {
  const auto words = std::bit_cast<std::array<uint32_t, kImageFormWords>>(image);
  return AddWords({words.begin(), words.end()});
}

// Reads the shape of the image in operand 0.
Status Decoder::DecodeImageForm(const Form& form, ImageForm* image) {
  Shape shape;
  if (!FindShape(module_, module_.TypeOf(OperandId(form, 0)), &shape)) {
    return Cannot(form.inst, "images of this dimension are not supported");
  }
  if (shape.multisampled) return Cannot(form.inst, "multisampled images are not supported");
  image->axes = shape.axes;
  image->arrayed = shape.arrayed ? 1 : 0;
  return {};
}

Status Decoder::DecodeCoordinate(const Form& form, uint32_t index, ImageForm* image) {
  const Result<const TypeInfo*> type = OperandType(form, index);
  if (!type) return type.error();
  const Scalar scalar = (*type)->scalar;
  if (scalar != Scalar::kFloat32 && scalar != Scalar::kInt32) {
    return Cannot(form.inst, "only coordinates of 32 bits are supported");
  }
  if ((*type)->parts < image->axes + image->arrayed + image->projective) {
    return Cannot(form.inst, "its coordinate has too few components");
  }
  const Result<uint32_t> row = RowOf(form.inst, OperandId(form, index));
  if (!row) return row.error();
  image->coordinate = *row;
  image->scalar = static_cast<uint32_t>(scalar);
  image->is_signed = (*type)->is_signed ? 1 : 0;
  return {};
}

Status Decoder::DecodeScalar(const Form& form, uint32_t index, uint32_t* row, uint32_t* scalar) {
  const Result<uint32_t> found = RowOf(form.inst, OperandId(form, index));
  if (!found) return found.error();
  const Result<const TypeInfo*> type = OperandType(form, index);
  if (!type) return type.error();
  *row = *found;
  *scalar = static_cast<uint32_t>((*type)->scalar);
  return {};
}

// Images have one level, so Bias, Grad and MinLod have no effect, and Lod has one only in fetches.
Status Decoder::DecodeImageOperands(const Form& form, uint32_t first, ImageForm* image) {
  if (form.operands <= first) return {};
  const uint32_t mask = OperandWord(form, first);
  constexpr uint32_t kKnown = kBias | kLod | kGrad | kConstOffset | kOffset | kConstOffsets |
                              kMinLod | kMakeAvailable | kMakeVisible | kNonPrivate | kVolatile |
                              kSigns | kNontemporal;
  if ((mask & ~kKnown) != 0) return Cannot(form.inst, "these image operands are not supported");
  uint32_t next = first + 1;
  if ((mask & kBias) != 0) ++next;
  if ((mask & kLod) != 0) {
    if (form.opcode == spv::Op::OpImageFetch) {
      Status status = DecodeScalar(form, next, &image->lod, &image->lod_scalar);
      if (!status) return status;
    }
    ++next;
  }
  if ((mask & kGrad) != 0) next += 2;
  if ((mask & (kConstOffset | kOffset)) != 0) {
    Status status = DecodeScalar(form, next++, &image->offset, &image->offset_scalar);
    if (!status) return status;
  }
  if ((mask & kConstOffsets) != 0) {
    Status status = DecodeScalar(form, next++, &image->offsets, &image->offset_scalar);
    if (!status) return status;
  }
  if (image->offset_scalar != 0 && image->offset_scalar != static_cast<uint32_t>(Scalar::kInt32)) {
    return Cannot(form.inst, "only offsets of 32 bits are supported");
  }
  return {};
}

// OpSampledImage combines an image and a sampler; OpImage extracts the image.
Status Decoder::DecodeImagePair(const Form& form) {
  Op op = MakeOp(form.inst, GatherMoves);
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(form, &op.result, &type); !status) return status;
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < type->rows && i < form.operands; ++i) {
    const Result<uint32_t> row = RowOf(form.inst, OperandId(form, i));
    if (!row) return row.error();
    rows.push_back(*row);
  }
  op.count = static_cast<uint32_t>(rows.size());
  op.list = AddWords(rows);
  Emit(op);
  return {};
}

Status Decoder::DecodeTexelPointer(const Form& form) {
  const Result<PointerInfo> variable = PointerOf(form.inst, OperandId(form, 0));
  if (!variable) return variable.error();
  Shape shape;
  if (!FindShape(module_, variable->pointee, &shape) || shape.multisampled) {
    return Cannot(form.inst, "images of this kind are not supported");
  }
  if (!variable->fixed) return Cannot(form.inst, "only images in variables are supported");
  if (Status status = CheckResource(form.inst, *variable); !status) return status;
  const BoundImage& bound = code_->bindings.images[variable->place];
  const TexelFormat* format = FindTexelFormat(bound.format);
  if (bound.kind != BoundImage::kStorage || format->components != 1 || format->width != 32) {
    return Cannot(form.inst, "only texels with one component of 32 bits are supported");
  }
  ImageForm image;
  image.axes = shape.axes;
  image.arrayed = shape.arrayed ? 1 : 0;
  if (Status status = DecodeCoordinate(form, 1, &image); !status) return status;
  Op op = MakeOp(form.inst, PointToTexel);
  op.a = ConstantWord(variable->place);
  op.result = NewRows(2);
  op.list = AddImageForm(image);
  Emit(op);
  PointerInfo pointer;
  pointer.storage = spv::StorageClass::Image;
  pointer.pointee = ElementType(module_, module_.Type(form.inst));
  pointer.row = op.result;
  pointers_[module_.Result(form.inst)] = pointer;
  return {};
}

Status Decoder::DecodeQueryLevels(const Form& form) {
  Op op = MakeOp(form.inst, CopyRows);
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(form, &op.result, &type); !status) return status;
  if (type->rows != 1) return Cannot(form.inst, "only levels of 32 bits are supported");
  op.a = ConstantWord(1);
  Emit(op);
  return {};
}

}  // namespace interp
}  // namespace refract
