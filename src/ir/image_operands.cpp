// SPDX-License-Identifier: Apache-2.0
#include "ir/image_operands.h"

#include <bit>

#include "ir/types.h"

namespace refract {
inline namespace ir {
namespace {

using spv::Op;

// The index of the mask; 0 for other instructions.
uint32_t MaskOperand(Op opcode) {
  switch (opcode) {
    case Op::OpImageSampleImplicitLod:
    case Op::OpImageSampleExplicitLod:
    case Op::OpImageSampleProjImplicitLod:
    case Op::OpImageSampleProjExplicitLod:
    case Op::OpImageFetch:
      return 2;
    case Op::OpImageSampleDrefImplicitLod:
    case Op::OpImageSampleDrefExplicitLod:
    case Op::OpImageSampleProjDrefImplicitLod:
    case Op::OpImageSampleProjDrefExplicitLod:
    case Op::OpImageGather:
    case Op::OpImageDrefGather:
      return 3;
    default:
      return 0;
  }
}

}  // namespace

uint32_t ComponentsOf(const Module& module, Id type) {
  return IsVector(module, type) ? PartCount(module, type).value_or(0) : 1;
}

bool IsDepthComparison(Op opcode) {
  return MaskOperand(opcode) == 3 && opcode != Op::OpImageGather;
}

std::optional<ImageOperandList> ImageOperandsOf(const Module& module, Inst inst) {
  using List = ImageOperandList;
  List list;
  list.at = MaskOperand(module.Opcode(inst));
  if (list.at == 0) return std::nullopt;
  if (module.OperandCount(inst) <= list.at) return list;
  list.mask = module.Word(inst, list.at);
  if ((list.mask & ~List::kKnown) != 0) return std::nullopt;
  constexpr uint32_t kOffsets = List::kConstOffset | List::kOffset | List::kConstOffsets;
  if (std::popcount(list.mask & kOffsets) > 1) return std::nullopt;
  uint32_t next = list.at + 1;
  if ((list.mask & List::kBias) != 0) list.bias = module.IdAt(inst, next++);
  if ((list.mask & List::kLod) != 0) list.lod = module.IdAt(inst, next++);
  if ((list.mask & List::kGrad) != 0) {
    list.grad[0] = module.IdAt(inst, next++);
    list.grad[1] = module.IdAt(inst, next++);
  }
  if ((list.mask & kOffsets) != 0) list.offset = module.IdAt(inst, next);
  return list;
}

bool NamesLevel(const Module& module, Inst inst) {
  const auto is_zero = [&](Id level) { return LiteralValue(module, level) == 0; };
  switch (module.Opcode(inst)) {
    case Op::OpImageQueryLevels:
    case Op::OpImageQueryLod:
      return true;
    case Op::OpImageQuerySizeLod:
      return !is_zero(module.IdAt(inst, 1));
    default:
      break;
  }
  const uint32_t at = MaskOperand(module.Opcode(inst));
  if (at == 0 || module.OperandCount(inst) <= at) return false;
  constexpr auto kMinLod = static_cast<uint32_t>(spv::ImageOperandsMask::MinLod);
  using List = ImageOperandList;
  if ((module.Word(inst, at) & (List::kBias | List::kGrad | kMinLod)) != 0) return true;
  // The operand of Lod is the first one if there is no bias.
  return (module.Word(inst, at) & List::kLod) != 0 && !is_zero(module.IdAt(inst, at + 1));
}

Args WithImageOperands(const Module& module, Inst inst, const ImageOperandList& list) {
  Args args;
  for (uint32_t i = 0; i < list.at; ++i) args.push_back(module.IdAt(inst, i));
  if (list.mask == 0) return args;
  args.push_back(list.mask);
  for (const Id id : {list.bias, list.lod, list.grad[0], list.grad[1], list.offset}) {
    if (id != Id::kNone) args.push_back(id);
  }
  return args;
}

AccessedImage AccessedImageOf(const Module& module, Inst inst) {
  Id type = module.TypeOf(module.IdAt(inst, 0));
  if (TypeOpcode(module, type) == Op::OpTypeSampledImage) {
    type = module.IdAt(module.Definition(type), 0);
  }
  if (TypeOpcode(module, type) != Op::OpTypeImage) return {};
  const Inst definition = module.Definition(type);
  AccessedImage image{static_cast<spv::Dim>(module.Word(definition, 1)), 0,
                      module.Word(definition, 3) != 0};
  if (module.Word(definition, 4) != 0) return image;
  switch (image.dim) {
    case spv::Dim::Dim1D:
      image.axes = 1;
      break;
    case spv::Dim::Dim2D:
      image.axes = 2;
      break;
    case spv::Dim::Dim3D:
    case spv::Dim::Cube:
      image.axes = 3;
      break;
    default:
      break;
  }
  return image;
}

}  // namespace ir
}  // namespace refract
