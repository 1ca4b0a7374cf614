// SPDX-License-Identifier: Apache-2.0
#include "interp/decode/row_table.h"

namespace refract {
inline namespace interp {

uint32_t RowTable::Allocate(uint64_t count) {
  const uint32_t first = code_.rows;
  code_.rows += static_cast<uint32_t>(count);
  return first;
}

uint32_t RowTable::AtOrAllocate(Id id, uint64_t count) {
  if (!Has(id)) Set(id, Allocate(count));
  return At(id);
}

}  // namespace interp
}  // namespace refract
