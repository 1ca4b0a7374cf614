// SPDX-License-Identifier: Apache-2.0
// The vertices that a vertex shader is run for: those of a grid of cells over the whole frame, row
// by row from the top, each row from the left. A cell is two triangles that share the diagonal from
// the lower left to the upper right; cells are drawn row by row.
#pragma once

#include <cstdint>
#include <vector>

#include "input/bindings.h"

namespace refract::inline input {

/// A grid has at most so many vertices.
constexpr uint64_t kMaxGridVertices = uint64_t{1} << 22;

uint64_t GridVertexCount(const Bindings& bindings);

/// The attribute at location 0: four floats a vertex, x and y from -1 (left, top) to 1 with columns
/// and rows evenly between them, 0 and 1.
std::vector<float> GridPositions(const Bindings& bindings);

/// Three vertices a triangle.
std::vector<uint32_t> GridIndices(const Bindings& bindings);

}  // namespace refract::inline input
