// SPDX-License-Identifier: Apache-2.0
#include "interp/decode/memory_layout.h"

#include <algorithm>

#include "interp/memory.h"
#include "ir/decorations.h"

namespace refract {
inline namespace interp {

// The stride between the elements of an array, vector or matrix in memory.
Result<uint32_t> MemoryLayout::StrideIn(Id type, MatrixLayout matrix) {
  const TypeInfo* info = nullptr;
  if (Status status = types_.TypeOf(type, &info); !status) return status.error();
  if (info->opcode == spv::Op::OpTypeVector) {
    // The components of a column of a row-major matrix are one stride apart.
    return matrix.row_major && matrix.stride != 0 ? matrix.stride : BytesOf(info->scalar);
  }
  if (info->opcode == spv::Op::OpTypeMatrix) {
    const TypeInfo* column = nullptr;
    if (Status status = types_.TypeOf(info->element, &column); !status) return status.error();
    if (matrix.stride == 0) return BytesOf(info->scalar) * column->parts;
    return matrix.row_major ? BytesOf(info->scalar) : matrix.stride;
  }
  const Inst stride = FindDecoration(source_.module, type, spv::Decoration::ArrayStride);
  if (stride != Inst::kNone) return source_.module.Word(stride, 2);
  // Without decorations: scalars of 4 or 8 bytes one after the other.
  return static_cast<uint32_t>(std::min<uint64_t>(4 * info->element_rows, UINT32_MAX));
}

uint32_t MemoryLayout::OffsetOf(Id structure, uint32_t member, uint64_t natural) const {
  const Inst offset =
      FindMemberDecoration(source_.module, structure, member, spv::Decoration::Offset);
  return offset != Inst::kNone ? source_.module.Word(offset, 3) : static_cast<uint32_t>(natural);
}

Status MemoryLayout::LayOut(Inst user, Id type, uint64_t offset, MatrixLayout matrix,
                            std::vector<MemoryScalar>* scalars) {
  const TypeInfo* info = nullptr;
  if (Status status = types_.TypeOf(type, &info); !status) return status;
  if (offset > UINT32_MAX || scalars->size() > kMaxValueRows) {
    return source_.Cannot(user, "the type is too large");
  }
  if (info->opcode == spv::Op::OpTypeStruct) {
    for (uint32_t i = 0; i < info->parts; ++i) {
      const uint64_t place = offset + OffsetOf(type, i, 4 * info->member_rows[i]);
      if (Status status = LayOut(user, info->members[i], place,
                                 MatrixLayoutOf(source_.module, type, i), scalars);
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
