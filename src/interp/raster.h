// SPDX-License-Identifier: Apache-2.0
// Which pixels a triangle covers (Vulkan 1.3, "Basic Polygon Rasterization" and "Primitive
// Clipping"), and how far the specification leaves that open.
//
// Corners are kept in 256ths of a pixel. A corner counts as exactly where it is if it is a multiple
// of a 16th of a pixel, the coarsest grid that an implementation may have (subPixelPrecisionBits is
// 4 at least), its w is 1 and nothing about it is approximate. Other corners may be off by a 16th
// of a pixel and their own error; pixels whose centres are that close to an edge are open.
//
// Edges between such corners that are neither horizontal, vertical nor diagonal are followed to a
// 32nd of a pixel: some implementations step along them, row by row.
//
// Of a centre right on an edge Vulkan says only that exactly one of two triangles with that edge
// covers it. We take which one for fixed: implementations have one rule, that of Direct3D, by which
// it is the triangle that has it as a top or left edge.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace refract::inline interp {

/// A vertex in clip coordinates, with how far off each may be.
struct ClipVertex {
  double at[4] = {};
  double error[4] = {};
  uint32_t number = 0;
};

/// A triangle of a draw as it lies in the frame.
struct Primitive {
  static constexpr uint32_t kMade = 0xffffffffu;
  struct Corner {
    int64_t x = 0, y = 0;     ///< 256ths of a pixel
    double slack = 0;         ///< pixels that it may be off
    uint32_t vertex = kMade;  ///< its number; kMade: clipping made it
  };
  uint32_t number = 0;  ///< in the draw
  ClipVertex vertices[3];
  std::vector<Corner> corners;  ///< three, or more where it is clipped
  bool front = true;
  int orientation = 1;  ///< +1: the corners go around clockwise as they are seen
  double slack = 0;     ///< the largest of a corner
  uint32_t left = 0, top = 0, right = 0,
           bottom = 0;  ///< pixels that it may cover; right, bottom beyond
};

/// Nothing where it covers nothing, whoever draws it.
std::optional<Primitive> MakePrimitive(const ClipVertex (&vertices)[3], uint32_t number,
                                       uint32_t width, uint32_t height);

struct Coverage {
  bool covered = false;  ///< by the top-left rule
  bool open = false;     ///< it may as well be the other way round
  /// Of an open one: the edge, if it is one between two vertices and nothing else is open.
  bool has_edge = false;
  uint32_t low = 0, high = 0;  ///< its vertices by number
  bool forward = false;        ///< clockwise around this triangle it goes from low to high
};
Coverage CoverageOf(const Primitive& primitive, uint32_t x, uint32_t y);

/// By how much each vertex counts at a pixel's centre; also beside the triangle.
struct Weights {
  double perspective[3] = {};
  double linear[3] = {};
};
/// `x` and `y` in pixels.
Weights WeightsAt(const Primitive& primitive, double x, double y, uint32_t width, uint32_t height);

}  // namespace refract::inline interp
