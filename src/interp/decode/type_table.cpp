// SPDX-License-Identifier: Apache-2.0
#include "interp/decode/type_table.h"

#include <algorithm>

#include "base/text.h"

namespace refract {
inline namespace interp {
namespace {

// Structs are nested at most 255 deep (SPIR-V 2.17), but shared parts may still multiply.
constexpr uint64_t kMaxSize = uint64_t{1} << 40;

uint64_t MultiplySizes(uint64_t a, uint64_t b) {
  return a != 0 && b > kMaxSize / a ? kMaxSize : a * b;
}

}  // namespace

Status TypeTable::TypeOf(Id type, const TypeInfo** info) {
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

Status TypeTable::MakeType(Id type, TypeInfo* info) {
  const Inst inst = source_.module.Definition(type);
  info->opcode = source_.module.Opcode(inst);
  switch (info->opcode) {
    case spv::Op::OpTypeVoid:
      return {};
    case spv::Op::OpTypeBool:
      info->scalar = Scalar::kBool;
      info->rows = info->parts = 1;
      return {};
    case spv::Op::OpTypeInt: {
      const uint32_t width = source_.module.Word(inst, 0);
      info->scalar = width == 8    ? Scalar::kInt8
                     : width == 16 ? Scalar::kInt16
                     : width == 64 ? Scalar::kInt64
                                   : Scalar::kInt32;
      if (WidthOf(info->scalar) != width) {
        return source_.Cannot(inst, "integers of this width are not supported");
      }
      info->rows = RowsOf(info->scalar);
      info->parts = 1;
      info->is_signed = source_.module.Word(inst, 1) != 0;
      return {};
    }
    case spv::Op::OpTypeFloat: {
      const uint32_t width = source_.module.Word(inst, 0);
      info->scalar = width == 16   ? Scalar::kFloat16
                     : width == 64 ? Scalar::kFloat64
                                   : Scalar::kFloat32;
      if (WidthOf(info->scalar) != width || source_.module.OperandCount(inst) > 1) {
        return source_.Cannot(inst, "floats of this width or encoding are not supported");
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
      info->element = source_.module.IdAt(inst, 0);
      if (Status status = TypeOf(info->element, &element); !status) return status;
      info->scalar = element->scalar;
      info->is_signed = element->is_signed;
      info->element_rows = element->rows;
      if (info->opcode == spv::Op::OpTypeArray) {
        const std::optional<uint64_t> length = ConstantValue(source_.module.IdAt(inst, 1));
        if (!length) return source_.Cannot(inst, "the length of the array is not known");
        info->parts = static_cast<uint32_t>(std::min<uint64_t>(*length, UINT32_MAX));
      } else if (info->opcode != spv::Op::OpTypeRuntimeArray) {
        info->parts = source_.module.Word(inst, 1);
      }
      info->rows = MultiplySizes(info->element_rows, info->parts);
      return {};
    }
    case spv::Op::OpTypeStruct:
      return MakeStruct(type, info);
    case spv::Op::OpTypePointer: {
      const auto storage = static_cast<spv::StorageClass>(source_.module.Word(inst, 0));
      const bool is_address = storage == spv::StorageClass::PhysicalStorageBuffer;
      info->scalar = is_address ? Scalar::kAddress : Scalar::kPointer;
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
      return source_.Cannot(inst, "values of this type are not supported");
  }
}

Status TypeTable::MakeStruct(Id type, TypeInfo* info) {
  const Inst inst = source_.module.Definition(type);
  for (uint32_t i = 0; i < source_.module.OperandCount(inst); ++i) {
    const TypeInfo* member = nullptr;
    if (Status status = TypeOf(source_.module.IdAt(inst, i), &member); !status) return status;
    info->members.push_back(source_.module.IdAt(inst, i));
    info->member_rows.push_back(info->rows);
    info->rows = std::min(kMaxSize, info->rows + member->rows);
  }
  info->parts = static_cast<uint32_t>(info->members.size());
  return {};
}

Status TypeTable::ValueType(Inst inst, Id type, const TypeInfo** info) {
  if (Status status = TypeOf(type, info); !status) return status;
  if ((*info)->rows <= kMaxValueRows) return {};
  return source_.Cannot(inst, format("the value has more than {} words", kMaxValueRows));
}

Status TypeTable::Flatten(Id type, std::vector<Scalar>* scalars) {
  const TypeInfo* info = nullptr;
  if (Status status = TypeOf(type, &info); !status) return status;
  if (info->opcode == spv::Op::OpTypeStruct) {
    for (const Id member : info->members) {
      if (Status status = Flatten(member, scalars); !status) return status;
    }
    return {};
  }
  if (info->element == Id::kNone) {
    for (uint64_t i = 0; i < info->rows; i += RowsOf(info->scalar)) {
      scalars->push_back(info->scalar);
    }
    return {};
  }
  for (uint32_t i = 0; i < info->parts; ++i) {
    if (Status status = Flatten(info->element, scalars); !status) return status;
    if (info->element_rows == 0) break;
  }
  return {};
}

std::optional<uint64_t> TypeTable::ConstantValue(Id constant) {
  if (!constants_.IsDecoded(constant)) return std::nullopt;
  const TypeInfo* type = nullptr;
  if (Status status = TypeOf(source_.module.TypeOf(constant), &type); !status) return std::nullopt;
  return constants_.ValueOf(constant, type->scalar);
}

bool IsShared(spv::StorageClass storage) {
  switch (storage) {
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
    case spv::StorageClass::PushConstant:
    case spv::StorageClass::Workgroup:
    case spv::StorageClass::PhysicalStorageBuffer:
      return true;
    default:
      return false;
  }
}

}  // namespace interp
}  // namespace refract
