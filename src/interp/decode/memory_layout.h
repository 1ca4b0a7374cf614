// SPDX-License-Identifier: Apache-2.0
// Types as bytes in shared memory, as Offset and strides place them. Without these decorations,
// scalars follow one another, with 4 or 8 bytes each. Private to this library.
#pragma once

#include <cstdint>
#include <vector>

#include "input/layout_rules.h"
#include "interp/decode/type_table.h"

namespace refract {
inline namespace interp {

class MemoryLayout {
 public:
  MemoryLayout(const DecodeSource& source, TypeTable& types) : source_(source), types_(types) {}

  /// Appends the scalars of a type at `offset`. `matrix` is the layout of a matrix, or of the
  /// matrix that a vector is a column of. Errors name `user`.
  Status LayOut(Inst user, Id type, uint64_t offset, MatrixLayout matrix,
                std::vector<MemoryScalar>* scalars);
  /// The bytes from one element of an array, vector or matrix to the next.
  Result<uint32_t> StrideIn(Id type, MatrixLayout matrix);
  /// The offset of a member; `natural` if it has no decoration Offset.
  uint32_t OffsetOf(Id structure, uint32_t member, uint64_t natural) const;

 private:
  const DecodeSource& source_;
  TypeTable& types_;
};

}  // namespace interp
}  // namespace refract
