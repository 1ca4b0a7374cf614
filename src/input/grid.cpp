// SPDX-License-Identifier: Apache-2.0
#include "input/grid.h"

namespace refract {
inline namespace input {
namespace {

// -1 + 2 * place / of, rounded once.
float Coordinate(uint32_t place, uint32_t of) {
  return static_cast<float>((2.0 * place - of) / of);
}

}  // namespace

uint64_t GridVertexCount(const Bindings& bindings) {
  return (uint64_t{bindings.grid_columns} + 1) * (uint64_t{bindings.grid_rows} + 1);
}

std::vector<float> GridPositions(const Bindings& bindings) {
  std::vector<float> positions;
  positions.reserve(4 * GridVertexCount(bindings));
  for (uint32_t row = 0; row <= bindings.grid_rows; ++row) {
    for (uint32_t column = 0; column <= bindings.grid_columns; ++column) {
      positions.insert(positions.end(), {Coordinate(column, bindings.grid_columns),
                                         Coordinate(row, bindings.grid_rows), 0, 1});
    }
  }
  return positions;
}

std::vector<uint32_t> GridIndices(const Bindings& bindings) {
  std::vector<uint32_t> indices;
  const uint32_t stride = bindings.grid_columns + 1;
  indices.reserve(6 * size_t{bindings.grid_columns} * bindings.grid_rows);
  for (uint32_t row = 0; row < bindings.grid_rows; ++row) {
    for (uint32_t column = 0; column < bindings.grid_columns; ++column) {
      const uint32_t upper = row * stride + column, lower = upper + stride;
      indices.insert(indices.end(), {upper, lower, upper + 1, upper + 1, lower, lower + 1});
    }
  }
  return indices;
}

}  // namespace input
}  // namespace refract
