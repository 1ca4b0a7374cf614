// SPDX-License-Identifier: Apache-2.0
// Images and samplers: fetches, reads, writes, samples, gathers and queries. Projective depth
// comparisons and sparse images are refused.
#include <algorithm>
#include <array>
#include <bit>

#include "input/texels.h"
#include "interp/decode/opcode_table.h"
#include "interp/ops/ops.h"
#include "interp/ops/ops_image.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {
namespace {

constexpr uint32_t kBias = 0x1, kLod = 0x2, kGrad = 0x4, kConstOffset = 0x8, kOffset = 0x10,
                   kConstOffsets = 0x20, kSample = 0x40, kMinLod = 0x80, kMakeAvailable = 0x100,
                   kMakeVisible = 0x200, kNonPrivate = 0x400, kVolatile = 0x800, kSigns = 0x3000,
                   kNontemporal = 0x4000;

uint32_t AddImageOperands(Decoder& decoder, const ImageOperands& image) {
  const auto words = std::bit_cast<std::array<uint32_t, kImageOperandsWords>>(image);
  return decoder.writer.AddWords({words.begin(), words.end()});
}

// Requires that all invocations access the same image, and use the same sampler.
Status CheckDescriptors(Decoder& decoder, const Operation& operation) {
  const Result<const TypeInfo*> type = decoder.writer.OperandType(operation, 0);
  if (!type) return type.error();
  const Result<uint32_t> row = decoder.writer.OperandRow(operation, 0);
  if (!row) return row.error();
  decoder.writer.CheckDescriptor(operation, 0, *row, static_cast<uint32_t>((*type)->rows));
  return {};
}

Status EmitImageOp(Decoder& decoder, const Operation& operation, Handler handler,
                   const ImageOperands& image) {
  Op op = decoder.writer.MakeOp(operation.inst, handler);
  const TypeInfo* type = nullptr;
  if (handler == WriteTexel) {
    const Result<const TypeInfo*> texel = decoder.writer.OperandType(operation, 2);
    if (!texel) return texel.error();
    const Result<uint32_t> row = decoder.writer.OperandRow(operation, 2);
    if (!row) return row.error();
    type = *texel;
    op.c = *row;
  } else if (Status status = decoder.writer.ResultRows(operation, &op.result, &type); !status) {
    return status;
  }
  op.scalar = type->scalar;
  op.count = type->parts;
  const bool number = op.scalar == Scalar::kFloat32 || op.scalar == Scalar::kInt32;
  if (!number && handler != QueryImageSize) {
    return decoder.Cannot(operation.inst, "only texels with 32-bit components are supported");
  }
  const Result<uint32_t> row = decoder.writer.OperandRow(operation, 0);
  if (!row) return row.error();
  op.a = *row;
  op.list = AddImageOperands(decoder, image);
  if (Status status = CheckDescriptors(decoder, operation); !status) return status;
  decoder.writer.Emit(op);
  return {};
}

// Reads the shape of the image in operand 0.
Status DecodeImageShape(Decoder& decoder, const Operation& operation, ImageOperands* image) {
  ImageShape shape;
  if (!FindImageShape(decoder.module, decoder.module.TypeOf(operation.IdAt(0)), &shape)) {
    return decoder.Cannot(operation.inst, "images of this dimension are not supported");
  }
  image->axes = shape.axes;
  image->arrayed = shape.arrayed ? 1 : 0;
  image->cube = shape.cube() ? 1 : 0;
  image->attachment = shape.attachment ? 1 : 0;
  return {};
}

// The texels of a cube are addressed by x, y and the number of the face (SPIR-V, OpImageRead), like
// those of an array.
void AddressFaces(ImageOperands* image) {
  if (image->cube == 0) return;
  image->cube = 0;
  image->arrayed = 1;
}

Status DecodeCoordinate(Decoder& decoder, const Operation& operation, uint32_t index,
                        ImageOperands* image) {
  const Result<const TypeInfo*> type = decoder.writer.OperandType(operation, index);
  if (!type) return type.error();
  const Scalar scalar = (*type)->scalar;
  if (scalar != Scalar::kFloat32 && scalar != Scalar::kInt32) {
    return decoder.Cannot(operation.inst, "only 32-bit coordinates are supported");
  }
  if ((*type)->parts < image->axes + image->cube + image->arrayed + image->projective) {
    return decoder.Cannot(operation.inst, "its coordinate has too few components");
  }
  const Result<uint32_t> row = decoder.writer.OperandRow(operation, index);
  if (!row) return row.error();
  image->coordinate = *row;
  image->scalar = static_cast<uint32_t>(scalar);
  image->is_signed = (*type)->is_signed ? 1 : 0;
  return {};
}

Status DecodeScalar(Decoder& decoder, const Operation& operation, uint32_t index, uint32_t* row,
                    uint32_t* scalar) {
  const Result<uint32_t> found = decoder.writer.OperandRow(operation, index);
  if (!found) return found.error();
  const Result<const TypeInfo*> type = decoder.writer.OperandType(operation, index);
  if (!type) return type.error();
  *row = *found;
  *scalar = static_cast<uint32_t>((*type)->scalar);
  return {};
}

// Whether the level of detail can make a difference.
bool HasLevels(const Decoder& decoder) {
  const std::vector<BoundImage>& images = decoder.code.bindings.images;
  return std::any_of(images.begin(), images.end(),
                     [](const BoundImage& image) { return image.levels > 1; });
}

// Reads an operand that is a float or a vector of floats, for the level of detail.
Status DecodeLodOperand(Decoder& decoder, const Operation& operation, uint32_t index,
                        uint32_t* row) {
  uint32_t scalar = 0;
  if (Status status = DecodeScalar(decoder, operation, index, row, &scalar); !status) return status;
  if (scalar == static_cast<uint32_t>(Scalar::kFloat32)) return {};
  return decoder.Cannot(operation.inst, "only 32-bit levels of detail are supported");
}

// The derivatives of the coordinates decide about the level.
Status NeedQuads(Decoder& decoder, const Operation& operation) {
  if (decoder.code.is_compute && !decoder.linear_quads) {
    return decoder.Cannot(operation.inst,
                          "compute shaders need the execution mode DerivativeGroupLinear for "
                          "samples with an implicit level of detail");
  }
  decoder.code.has_collectives = true;
  return {};
}

bool IsImplicit(spv::Op opcode) {
  using enum spv::Op;
  return opcode == OpImageSampleImplicitLod || opcode == OpImageSampleProjImplicitLod ||
         opcode == OpImageSampleDrefImplicitLod;
}

Status DecodeImageOperands(Decoder& decoder, const Operation& operation, uint32_t first,
                           ImageOperands* image) {
  if (IsImplicit(operation.opcode) && HasLevels(decoder)) {
    if (Status status = NeedQuads(decoder, operation); !status) return status;
  }
  if (operation.operand_count <= first) return {};
  const uint32_t mask = operation.WordAt(first);
  constexpr uint32_t kKnown = kBias | kLod | kGrad | kConstOffset | kOffset | kConstOffsets |
                              kSample | kMinLod | kMakeAvailable | kMakeVisible | kNonPrivate |
                              kVolatile | kSigns | kNontemporal;
  if ((mask & ~kKnown) != 0) {
    return decoder.Cannot(operation.inst, "these image operands are not supported");
  }
  uint32_t next = first + 1;
  const auto read_float = [&](uint32_t bit, uint32_t* row) {
    return (mask & bit) != 0 ? DecodeLodOperand(decoder, operation, next++, row) : Status();
  };
  if (Status status = read_float(kBias, &image->bias); !status) return status;
  if (operation.opcode != spv::Op::OpImageFetch) {
    if (Status status = read_float(kLod, &image->lod); !status) return status;
  } else if ((mask & kLod) != 0) {
    Status status = DecodeScalar(decoder, operation, next++, &image->lod, &image->lod_scalar);
    if (!status) return status;
  }
  for (uint32_t& grad : image->grad) {
    if (Status status = read_float(kGrad, &grad); !status) return status;
  }
  if ((mask & (kConstOffset | kOffset)) != 0) {
    Status status = DecodeScalar(decoder, operation, next++, &image->offset, &image->offset_scalar);
    if (!status) return status;
  }
  if ((mask & kConstOffsets) != 0) {
    Status status =
        DecodeScalar(decoder, operation, next++, &image->offsets, &image->offset_scalar);
    if (!status) return status;
  }
  if ((mask & kSample) != 0) {
    Status status = DecodeScalar(decoder, operation, next++, &image->sample, &image->sample_scalar);
    if (!status) return status;
  }
  if (Status status = read_float(kMinLod, &image->min_lod); !status) return status;
  if (image->offset_scalar != 0 && image->offset_scalar != static_cast<uint32_t>(Scalar::kInt32)) {
    return decoder.Cannot(operation.inst, "only 32-bit offsets are supported");
  }
  return {};
}

// `kMask`: the index of the mask of image operands.
template <Handler kHandler, uint32_t kMask, bool kProjective = false>
Status DecodeImageAccess(Decoder& decoder, const Operation& operation) {
  ImageOperands image;
  if (Status status = DecodeImageShape(decoder, operation, &image); !status) return status;
  image.projective = kProjective ? 1 : 0;
  if (kHandler != SampleImage) AddressFaces(&image);
  if (Status status = DecodeCoordinate(decoder, operation, 1, &image); !status) return status;
  if (Status status = DecodeImageOperands(decoder, operation, kMask, &image); !status) {
    return status;
  }
  return EmitImageOp(decoder, operation, kHandler, image);
}

Status DecodeGather(Decoder& decoder, const Operation& operation) {
  ImageOperands image;
  if (Status status = DecodeImageShape(decoder, operation, &image); !status) return status;
  if (Status status = DecodeCoordinate(decoder, operation, 1, &image); !status) return status;
  if (Status status = DecodeImageOperands(decoder, operation, 3, &image); !status) return status;
  Status status = DecodeScalar(decoder, operation, 2, &image.component, &image.component_scalar);
  return status ? EmitImageOp(decoder, operation, GatherTexels, image) : status;
}

// Samples and gathers that compare a depth, operand 2, with the texels.
template <Handler kHandler>
Status DecodeCompare(Decoder& decoder, const Operation& operation) {
  ImageOperands image;
  if (Status status = DecodeImageShape(decoder, operation, &image); !status) return status;
  if (Status status = DecodeCoordinate(decoder, operation, 1, &image); !status) return status;
  if (Status status = DecodeImageOperands(decoder, operation, 3, &image); !status) return status;
  uint32_t scalar = 0;
  Status status = DecodeScalar(decoder, operation, 2, &image.reference, &scalar);
  if (!status) return status;
  if (scalar != static_cast<uint32_t>(Scalar::kFloat32)) {
    return decoder.Cannot(operation.inst, "only 32-bit depths are supported");
  }
  image.component = decoder.constants.RowOfWord(0);
  image.component_scalar = static_cast<uint32_t>(Scalar::kInt32);
  return EmitImageOp(decoder, operation, kHandler, image);
}

Status DecodeQuerySize(Decoder& decoder, const Operation& operation) {
  ImageOperands image;
  if (Status status = DecodeImageShape(decoder, operation, &image); !status) return status;
  if (operation.operand_count > 1) {
    Status status = DecodeScalar(decoder, operation, 1, &image.lod, &image.lod_scalar);
    if (!status) return status;
  }
  return EmitImageOp(decoder, operation, QueryImageSize, image);
}

// OpSampledImage combines an image and a sampler; OpImage extracts the image.
Status DecodeImagePair(Decoder& decoder, const Operation& operation) {
  Op op = decoder.writer.MakeOp(operation.inst, GatherMoves);
  const TypeInfo* type = nullptr;
  if (Status status = decoder.writer.ResultRows(operation, &op.result, &type); !status) {
    return status;
  }
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < type->rows && i < operation.operand_count; ++i) {
    const Result<uint32_t> row = decoder.writer.OperandRow(operation, i);
    if (!row) return row.error();
    rows.push_back(*row);
  }
  op.count = static_cast<uint32_t>(rows.size());
  op.list = decoder.writer.AddWords(rows);
  decoder.writer.Emit(op);
  return {};
}

// The row with the image to which a pointer points.
Result<uint32_t> PointedImage(Decoder& decoder, const Operation& operation,
                              const PointerInfo& pointer) {
  if (!pointer.fixed) return pointer.row;
  if (Status status = decoder.pointers.CheckImage(operation.inst, pointer); !status) {
    return status.error();
  }
  return decoder.constants.RowOfWord(pointer.address);
}

Status DecodeTexelPointer(Decoder& decoder, const Operation& operation) {
  const Result<PointerInfo> variable = decoder.pointers.Of(operation.inst, operation.IdAt(0));
  if (!variable) return variable.error();
  ImageShape shape;
  if (!FindImageShape(decoder.module, variable->pointee, &shape) || shape.multisampled ||
      shape.attachment) {
    return decoder.Cannot(operation.inst, "images of this kind are not supported");
  }
  const Result<uint32_t> row = PointedImage(decoder, operation, *variable);
  if (!row) return row.error();
  const Inst type = decoder.module.Definition(variable->pointee);
  const TexelFormat* format =
      FindTexelFormat(static_cast<spv::ImageFormat>(decoder.module.Word(type, 6)));
  if (format == nullptr || format->components != 1 || format->width != 32) {
    return decoder.Cannot(operation.inst, "only texels with one 32-bit component are supported");
  }
  ImageOperands image;
  image.axes = shape.axes;
  image.arrayed = shape.arrayed || shape.cube() ? 1 : 0;
  if (Status status = DecodeCoordinate(decoder, operation, 1, &image); !status) return status;
  Op op = decoder.writer.MakeOp(operation.inst, PointToTexel);
  op.a = *row;
  op.result = decoder.rows.Allocate(2);
  op.list = AddImageOperands(decoder, image);
  decoder.writer.Emit(op);
  PointerInfo pointer;
  pointer.storage = spv::StorageClass::Image;
  pointer.pointee = ElementType(decoder.module, decoder.module.Type(operation.inst));
  pointer.row = op.result;
  decoder.pointers.Set(decoder.module.Result(operation.inst), pointer);
  return {};
}

// The number of levels or of samples.
template <Handler kHandler>
Status DecodeQueryCount(Decoder& decoder, const Operation& operation) {
  Op op = decoder.writer.MakeOp(operation.inst, kHandler);
  const TypeInfo* type = nullptr;
  if (Status status = decoder.writer.ResultRows(operation, &op.result, &type); !status) {
    return status;
  }
  if (type->rows != 1) {
    return decoder.Cannot(operation.inst, "only 32-bit counts of levels and samples are supported");
  }
  if (Status status = CheckDescriptors(decoder, operation); !status) return status;
  const Result<uint32_t> row = decoder.writer.OperandRow(operation, 0);
  if (!row) return row.error();
  op.a = *row;
  decoder.writer.Emit(op);
  return {};
}

// The coordinate has no layer.
Status DecodeQueryLod(Decoder& decoder, const Operation& operation) {
  ImageOperands image;
  if (Status status = DecodeImageShape(decoder, operation, &image); !status) return status;
  image.arrayed = 0;
  if (Status status = DecodeCoordinate(decoder, operation, 1, &image); !status) return status;
  if (Status status = NeedQuads(decoder, operation); !status) return status;
  return EmitImageOp(decoder, operation, QueryImageLod, image);
}

Status RefuseProjectiveDepth(Decoder& decoder, const Operation& operation) {
  return decoder.Cannot(operation.inst, "projective depth comparisons are not supported");
}

}  // namespace

std::span<const OpcodeRow> ImageOpcodes() {
  using enum spv::Op;
  static constexpr OpcodeRow kRows[] = {
      {OpSampledImage, DecodeImagePair},
      {OpImage, DecodeImagePair},
      {OpImageTexelPointer, DecodeTexelPointer},
      {OpImageFetch, DecodeImageAccess<FetchTexel, 2>},
      {OpImageRead, DecodeImageAccess<FetchTexel, 2>},
      {OpImageWrite, DecodeImageAccess<WriteTexel, 3>},
      {OpImageSampleImplicitLod, DecodeImageAccess<SampleImage, 2>},
      {OpImageSampleExplicitLod, DecodeImageAccess<SampleImage, 2>},
      {OpImageSampleProjImplicitLod, DecodeImageAccess<SampleImage, 2, true>},
      {OpImageSampleProjExplicitLod, DecodeImageAccess<SampleImage, 2, true>},
      {OpImageGather, DecodeGather},
      {OpImageQuerySize, DecodeQuerySize},
      {OpImageQuerySizeLod, DecodeQuerySize},
      {OpImageQueryLevels, DecodeQueryCount<QueryImageLevels>},
      {OpImageQueryLod, DecodeQueryLod},
      {OpImageSampleDrefImplicitLod, DecodeCompare<SampleImage>},
      {OpImageSampleDrefExplicitLod, DecodeCompare<SampleImage>},
      {OpImageSampleProjDrefImplicitLod, RefuseProjectiveDepth},
      {OpImageSampleProjDrefExplicitLod, RefuseProjectiveDepth},
      {OpImageDrefGather, DecodeCompare<GatherTexels>},
      {OpImageQuerySamples, DecodeQueryCount<QueryImageSamples>},
  };
  return kRows;
}

}  // namespace interp
}  // namespace refract
