// SPDX-License-Identifier: Apache-2.0
// The vertices for which a vertex shader is run: a grid of cells over the whole frame. They are
// numbered row by row from the top, each row from the left. A cell is two triangles that share the
// diagonal from the lower left to the upper right. Cells are drawn row by row.
#pragma once

#include <cstdint>
#include <vector>

#include "input/bindings.h"

namespace refract {
inline namespace input {

/// The largest number of vertices of a grid.
constexpr uint64_t kMaxGridVertices = uint64_t{1} << 22;

uint64_t GridVertexCount(const Bindings& bindings);

/// The values of the attribute at location 0, four floats for each vertex: x and y from -1 (left,
/// top) to 1, evenly spaced over columns and rows, then 0 and 1.
std::vector<float> GridPositions(const Bindings& bindings);

/// The indices of the vertices of all triangles, three for each triangle.
std::vector<uint32_t> GridIndices(const Bindings& bindings);

}  // namespace input
}  // namespace refract
