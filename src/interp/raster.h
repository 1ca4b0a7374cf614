// SPDX-License-Identifier: Apache-2.0
// Which pixels a triangle covers (Vulkan 1.3, "Basic Polygon Rasterization" and "Primitive
// Clipping"), and where the specification leaves this open.
//
// Corners are stored in units of 1/256 pixel. The position of a corner is exact if it is a multiple
// of 1/16 pixel, which is the coarsest grid of an implementation (subPixelPrecisionBits is at least
// 4), its w is 1 and it is not approximate. Other corners may be off by 1/16 pixel plus their own
// error. Pixels whose centres are that close to an edge are open.
//
// Edges between exact corners that are not horizontal, vertical or diagonal may be off by 1/32
// pixel, because some implementations step along them row by row.
//
// For a centre exactly on an edge, Vulkan says only that exactly one of the two triangles at the
// edge covers it. The interpreter assumes the rule of Direct3D, which implementations use: the
// triangle covers it for which the edge is a top or left edge.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace refract {
inline namespace interp {

/// A vertex in clip coordinates, with the error of each coordinate.
struct ClipVertex {
  double at[4] = {};
  double error[4] = {};
  uint32_t number = 0;
};

/// A triangle of a draw, in the frame.
struct Primitive {
  static constexpr uint32_t kMadeByClipping = 0xffffffffu;
  struct Corner {
    int64_t x = 0, y = 0;  ///< in units of 1/256 pixel
    double slack = 0;      ///< error in pixels
    uint32_t vertex =
        kMadeByClipping;  ///< the number of the vertex; kMadeByClipping: made by clipping
  };
  uint32_t number = 0;       ///< its number in the draw
  uint32_t in_instance = 0;  ///< its number in the instance, which is the built-in PrimitiveId
  ClipVertex vertices[3];
  std::vector<Corner> corners;  ///< three, or more after clipping
  bool front = true;
  int orientation = 1;  ///< +1: the corners are clockwise on the screen
  double slack = 0;     ///< the largest `slack` of a corner
  /// It may be clipped away or not, or its corners may be on one line: all pixels are open.
  bool uncertain = false;
  /// The pixels that it may cover; `right` and `bottom` are one past the last.
  uint32_t left = 0, top = 0, right = 0, bottom = 0;
};

/// The triangle in the frame; nullopt if it covers no pixel in any implementation.
std::optional<Primitive> MakePrimitive(const ClipVertex (&vertices)[3], uint32_t number,
                                       uint32_t width, uint32_t height);

struct Coverage {
  bool covered = false;  ///< by the top-left rule
  bool open = false;     ///< an implementation may decide the opposite
  /// If open: true if the reason is only one edge, between two vertices.
  bool has_edge = false;
  uint32_t low = 0, high = 0;  ///< the numbers of its vertices
  /// The edge goes from `low` to `high` clockwise around this triangle.
  bool forward = false;
};
/// A place in a pixel, in units of 1/16 pixel from its upper left corner.
struct PixelPlace {
  uint32_t x = 8, y = 8;  ///< the centre
  double right() const { return x / 16.0; }
  double down() const { return y / 16.0; }
};
/// The standard location of a sample (Vulkan 1.3, "Standard Sample Locations"). `samples` is 1, 2,
/// 4 or 8.
PixelPlace SampleLocation(uint32_t samples, uint32_t sample);

/// Whether the triangle covers the place in the pixel (x, y).
Coverage CoverageOf(const Primitive& primitive, uint32_t x, uint32_t y,
                    const PixelPlace& place = {});

/// The weight of each vertex at a point, also outside of the triangle.
struct Weights {
  double perspective[3] = {};
  double linear[3] = {};
};
/// `x` and `y` are in pixels.
Weights WeightsAt(const Primitive& primitive, double x, double y, uint32_t width, uint32_t height);

}  // namespace interp
}  // namespace refract
