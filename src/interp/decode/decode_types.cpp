// SPDX-License-Identifier: Apache-2.0
// Types as rows, and as bytes in memory with a layout.
#include <algorithm>

#include "base/text.h"
#include "interp/decode/decode.h"
#include "interp/memory.h"
#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {
namespace {

// Structs are nested at most 255 deep (SPIR-V 2.17), but shared parts may still multiply.
constexpr uint64_t kHuge = uint64_t{1} << 40;

uint64_t Multiplied(uint64_t a, uint64_t b) {
  return a != 0 && b > kHuge / a ? kHuge : a * b;
}

}  // namespace

Status Decoder::TypeOf(Id type, const TypeInfo** info) {
  const auto found = types_.find(type);
  if (found != types_.end()) {
    *info = &found->second;
    return {};
  }
  TypeInfo made;
  if (Status status = MakeType(type, &made); !status) return status;
  *info = &types_.emplace(type, std::move(made)).first->second;
  return {};
}

Status Decoder::MakeType(Id type, TypeInfo* info) {
  const Inst inst = module_.Definition(type);
  info->opcode = module_.Opcode(inst);
  switch (info->opcode) {
    case spv::Op::OpTypeVoid:
      return {};
    case spv::Op::OpTypeBool:
      info->scalar = Scalar::kBool;
      info->rows = info->parts = 1;
      return {};
    case spv::Op::OpTypeInt: {
      const uint32_t width = module_.Word(inst, 0);
      info->scalar = width == 8    ? Scalar::kInt8
                     : width == 16 ? Scalar::kInt16
                     : width == 64 ? Scalar::kInt64
                                   : Scalar::kInt32;
      if (WidthOf(info->scalar) != width) {
        return Cannot(inst, "integers of this width are not supported");
      }
      info->rows = RowsOf(info->scalar);
      info->parts = 1;
      info->is_signed = module_.Word(inst, 1) != 0;
      return {};
    }
    case spv::Op::OpTypeFloat: {
      const uint32_t width = module_.Word(inst, 0);
      info->scalar = width == 16   ? Scalar::kFloat16
                     : width == 64 ? Scalar::kFloat64
                                   : Scalar::kFloat32;
      if (WidthOf(info->scalar) != width || module_.OperandCount(inst) > 1) {
        return Cannot(inst, "floats of this width or encoding are not supported");
      }
      info->rows = RowsOf(info->scalar);
      info->parts = 1;
      return {};
    }
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray: {
      const TypeInfo* element = nullptr;
      info->element = module_.IdAt(inst, 0);
      if (Status status = TypeOf(info->element, &element); !status) return status;
      info->scalar = element->scalar;
      info->is_signed = element->is_signed;
      info->element_rows = element->rows;
      if (info->opcode == spv::Op::OpTypeArray) {
        const std::optional<uint64_t> length = ConstantBits(module_.IdAt(inst, 1));
        if (!length) return Cannot(inst, "the length of the array is not known");
        info->parts = static_cast<uint32_t>(std::min<uint64_t>(*length, UINT32_MAX));
      } else if (info->opcode != spv::Op::OpTypeRuntimeArray) {
        info->parts = module_.Word(inst, 1);
      }
      info->rows = Multiplied(info->element_rows, info->parts);
      return {};
    }
    case spv::Op::OpTypeStruct:
      return MakeStruct(type, info);
    case spv::Op::OpTypePointer: {
      const auto storage = static_cast<spv::StorageClass>(module_.Word(inst, 0));
      info->scalar = Scalar::kPointer;
      info->rows = IsShared(storage) ? 2 : 1;
      info->parts = 1;
      return {};
    }
    case spv::Op::OpTypeImage:
    case spv::Op::OpTypeSampler:
      info->scalar = Scalar::kPointer;
      info->rows = info->parts = 1;
      return {};
    case spv::Op::OpTypeSampledImage:
      info->scalar = Scalar::kPointer;
      info->rows = 2;
      info->parts = 1;
      return {};
    default:
      return Cannot(inst, "values of this type are not supported");
  }
}

Status Decoder::MakeStruct(Id type, TypeInfo* info) {
  const Inst inst = module_.Definition(type);
  for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
    const TypeInfo* member = nullptr;
    if (Status status = TypeOf(module_.IdAt(inst, i), &member); !status) return status;
    info->members.push_back(module_.IdAt(inst, i));
    info->places.push_back(info->rows);
    info->rows = std::min(kHuge, info->rows + member->rows);
  }
  info->parts = static_cast<uint32_t>(info->members.size());
  return {};
}

Status Decoder::ValueType(Inst inst, Id type, const TypeInfo** info) {
  if (Status status = TypeOf(type, info); !status) return status;
  if ((*info)->rows <= kMostRows) return {};
  return Cannot(inst, format("the value has more than {} words", kMostRows));
}

Status Decoder::Flatten(Id type, std::vector<Scalar>* scalars) {
  const TypeInfo* info = nullptr;
  if (Status status = TypeOf(type, &info); !status) return status;
  if (info->opcode == spv::Op::OpTypeStruct) {
    for (const Id member : info->members) {
      if (Status status = Flatten(member, scalars); !status) return status;
    }
    return {};
  }
  if (info->element == Id::kNone) {
    for (uint64_t i = 0; i < info->rows; i += RowsOf(info->scalar))
      scalars->push_back(info->scalar);
    return {};
  }
  for (uint32_t i = 0; i < info->parts; ++i) {
    if (Status status = Flatten(info->element, scalars); !status) return status;
    if (info->element_rows == 0) break;
  }
  return {};
}

// --- memory with bytes

bool Decoder::IsShared(spv::StorageClass storage) {
  switch (storage) {
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
    case spv::StorageClass::PushConstant:
    case spv::StorageClass::Workgroup:
      return true;
    default:
      return false;
  }
}

MatrixPlace Decoder::MemberMatrix(Id structure, uint32_t member) const {
  MatrixPlace place;
  const Inst stride =
      FindMemberDecoration(module_, structure, member, spv::Decoration::MatrixStride);
  if (stride != Inst::kNone) place.stride = module_.Word(stride, 3);
  place.row_major = HasMemberDecoration(module_, structure, member, spv::Decoration::RowMajor);
  return place;
}

// The stride between the elements of an array, vector or matrix in memory.
Result<uint32_t> Decoder::StrideIn(Id type, MatrixPlace matrix) {
  const TypeInfo* info = nullptr;
  if (Status status = TypeOf(type, &info); !status) return status.error();
  if (info->opcode == spv::Op::OpTypeVector) {
    // The components of a column of a row-major matrix are one stride apart.
    return matrix.row_major && matrix.stride != 0 ? matrix.stride : BytesOf(info->scalar);
  }
  if (info->opcode == spv::Op::OpTypeMatrix) {
    const TypeInfo* column = nullptr;
    if (Status status = TypeOf(info->element, &column); !status) return status.error();
    if (matrix.stride == 0) return BytesOf(info->scalar) * column->parts;
    return matrix.row_major ? BytesOf(info->scalar) : matrix.stride;
  }
  const Inst stride = FindDecoration(module_, type, spv::Decoration::ArrayStride);
  if (stride != Inst::kNone) return module_.Word(stride, 2);
  const Result<uint64_t> size = SizeOf(info->element);
  if (!size) return size.error();
  return static_cast<uint32_t>(std::min<uint64_t>(*size, UINT32_MAX));
}

uint32_t Decoder::OffsetOf(Id structure, uint32_t member, uint64_t natural) const {
  const Inst offset = FindMemberDecoration(module_, structure, member, spv::Decoration::Offset);
  return offset != Inst::kNone ? module_.Word(offset, 3) : static_cast<uint32_t>(natural);
}

// The size of a type in memory without decorations: scalars of 4 or 8 bytes one after the other.
Result<uint64_t> Decoder::SizeOf(Id type) {
  const TypeInfo* info = nullptr;
  if (Status status = TypeOf(type, &info); !status) return status.error();
  return Multiplied(info->rows, 4);
}

Status Decoder::LayOut(Inst user, Id type, uint64_t offset, MatrixPlace matrix,
                       std::vector<MemoryScalar>* scalars) {
  const TypeInfo* info = nullptr;
  if (Status status = TypeOf(type, &info); !status) return status;
  if (offset > UINT32_MAX || scalars->size() > kMostRows) {
    return Cannot(user, "the type is too large");
  }
  if (info->opcode == spv::Op::OpTypeStruct) {
    for (uint32_t i = 0; i < info->parts; ++i) {
      const uint64_t place = offset + OffsetOf(type, i, 4 * info->places[i]);
      if (Status status = LayOut(user, info->members[i], place, MemberMatrix(type, i), scalars);
          !status) {
        return status;
      }
    }
    return {};
  }
  if (info->element == Id::kNone) {
    scalars->push_back({static_cast<uint32_t>(offset), info->scalar});
    return {};
  }
  const Result<uint32_t> stride = StrideIn(type, matrix);
  if (!stride) return stride.error();
  for (uint32_t i = 0; i < info->parts && info->element_rows != 0; ++i) {
    if (Status status =
            LayOut(user, info->element, offset + uint64_t{i} * *stride, matrix, scalars);
        !status) {
      return status;
    }
  }
  return {};
}

}  // namespace interp
}  // namespace refract
