// SPDX-License-Identifier: Apache-2.0
// Types as bytes in shared memory, as Offset and strides place them. Without these decorations,
// scalars follow one another, with 4 or 8 bytes each. Private to this library.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/decode/type_table.h"

namespace refract {
inline namespace interp {

/// The memory layout of a matrix, or of a vector that is a column of a matrix.
struct MatrixLayout {
  uint32_t stride = 0;
  bool row_major = false;
};

class MemoryLayout {
 public:
  MemoryLayout(const DecodeSource& source, TypeTable& types) : source_(source), types_(types) {}

  /// Appends the scalars of a type at `offset`. Errors name `user`.
  Status LayOut(Inst user, Id type, uint64_t offset, MatrixLayout matrix,
                std::vector<MemoryScalar>* scalars);
  /// The bytes from one element of an array, vector or matrix to the next.
  Result<uint32_t> StrideIn(Id type, MatrixLayout matrix);
  /// The offset of a member; `natural` if it has no decoration Offset.
  uint32_t OffsetOf(Id structure, uint32_t member, uint64_t natural) const;
  MatrixLayout MemberMatrix(Id structure, uint32_t member) const;

 private:
  const DecodeSource& source_;
  TypeTable& types_;
};

}  // namespace interp
}  // namespace refract
