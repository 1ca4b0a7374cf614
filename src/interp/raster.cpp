// SPDX-License-Identifier: Apache-2.0
#include "interp/raster.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace refract {
inline namespace interp {
namespace {

constexpr double kSubPixels = 256;
constexpr double kCoarsest = 16;
constexpr double kSlanted = 1.0 / 32;
// A triangle is clipped if it extends beyond this many times the size of the frame.
constexpr double kGuard = 16;

using Point = ClipVertex;

// The planes that clip a triangle: 0 <= z <= w, and planes far outside the frame. A point that is
// in front of all of them has a w above 0.
double Before(int plane, const double (&p)[4]) {
  switch (plane) {
    case 0:
      return p[2];
    case 1:
      return p[3] - p[2];
    case 2:
      return kGuard * p[3] + p[0];
    case 3:
      return kGuard * p[3] - p[0];
    case 4:
      return kGuard * p[3] + p[1];
    default:
      return kGuard * p[3] - p[1];
  }
}
constexpr int kDepthPlanes = 2, kPlanes = 6;

// The error of Before.
double ErrorBefore(int plane, const double (&error)[4]) {
  switch (plane) {
    case 0:
      return error[2];
    case 1:
      return error[3] + error[2];
    case 2:
    case 3:
      return kGuard * error[3] + error[0];
    default:
      return kGuard * error[3] + error[1];
  }
}

// `share_error` is the error of `share`.
Point Between(const Point& from, const Point& to, double share, double share_error) {
  Point made;
  made.number = Primitive::kMadeByClipping;
  for (int i = 0; i < 4; ++i) {
    made.at[i] = from.at[i] + share * (to.at[i] - from.at[i]);
    made.error[i] =
        std::max(from.error[i], to.error[i]) + share_error * std::abs(to.at[i] - from.at[i]);
  }
  return made;
}

// Vertices up to `margin` on the wrong side of the plane count as before it.
std::vector<Point> Cut(const std::vector<Point>& polygon, int plane, double margin) {
  std::vector<Point> kept;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Point& from = polygon[i];
    const Point& to = polygon[(i + 1) % polygon.size()];
    const double a = Before(plane, from.at) + margin, b = Before(plane, to.at) + margin;
    if (a >= 0) kept.push_back(from);
    if ((a < 0) == (b < 0)) continue;
    const double error = std::max(ErrorBefore(plane, from.error), ErrorBefore(plane, to.error));
    kept.push_back(Between(from, to, a / (a - b), error == 0 ? 0 : error / std::abs(a - b)));
  }
  return kept;
}

bool IsExactPlace(double place) {
  return place * kCoarsest == std::floor(place * kCoarsest);
}

Primitive::Corner CornerOf(const Point& point, bool cut, uint32_t width, uint32_t height) {
  const double w = point.at[3];
  const double x = (point.at[0] / w + 1) / 2 * width, y = (point.at[1] / w + 1) / 2 * height;
  Primitive::Corner corner;
  corner.x = std::llround(x * kSubPixels);
  corner.y = std::llround(y * kSubPixels);
  corner.vertex = point.number;
  const bool sure = point.error[0] == 0 && point.error[1] == 0 && point.error[3] == 0;
  if (!cut && sure && w == 1 && IsExactPlace(x) && IsExactPlace(y)) return corner;
  const auto moved = [&](int axis, uint32_t side) {
    return (point.error[axis] + std::abs(point.at[axis] / w) * point.error[3]) / w * side / 2;
  };
  corner.slack = 1 / kCoarsest + moved(0, width) + moved(1, height);
  return corner;
}

// Twice the area, in (1/256 pixel)^2; positive if the corners are clockwise on the screen, with y
// downwards.
double TwiceArea(const std::vector<Primitive::Corner>& corners) {
  double area = 0;
  for (size_t i = 0; i < corners.size(); ++i) {
    const Primitive::Corner& a = corners[i];
    const Primitive::Corner& b = corners[(i + 1) % corners.size()];
    area += static_cast<double>(a.x * b.y - b.x * a.y);
  }
  return area;
}

// Whether the corners are on one line however they are rounded: two are the same vertex or at the
// same place, or all have the same x or the same y.
bool IsFlat(const ClipVertex (&vertices)[3]) {
  const auto is_equal = [](const ClipVertex& a, const ClipVertex& b, int axis) {
    return a.at[axis] == b.at[axis] && a.error[axis] == 0 && b.error[axis] == 0;
  };
  const auto on_line = [&](const ClipVertex& a, const ClipVertex& b, int axis) {
    return is_equal(a, b, axis) && is_equal(a, b, 3);
  };
  for (int i = 0; i < 3; ++i) {
    const ClipVertex& a = vertices[i];
    const ClipVertex& b = vertices[(i + 1) % 3];
    if (a.number == b.number || (on_line(a, b, 0) && on_line(a, b, 1))) return true;
  }
  for (int axis = 0; axis < 2; ++axis) {
    if (on_line(vertices[0], vertices[1], axis) && on_line(vertices[1], vertices[2], axis)) {
      return true;
    }
  }
  return false;
}

void SetBounds(uint32_t width, uint32_t height, Primitive* primitive) {
  double left = width, top = height, right = 0, bottom = 0;
  for (const Primitive::Corner& corner : primitive->corners) {
    const double x = static_cast<double>(corner.x) / kSubPixels;
    const double y = static_cast<double>(corner.y) / kSubPixels;
    left = std::min(left, x), right = std::max(right, x);
    top = std::min(top, y), bottom = std::max(bottom, y);
  }
  const auto pixel = [&](double place, uint32_t side) {
    return static_cast<uint32_t>(std::clamp(place, 0.0, static_cast<double>(side)));
  };
  primitive->left = pixel(std::floor(left - primitive->slack), width);
  primitive->top = pixel(std::floor(top - primitive->slack), height);
  primitive->right = pixel(std::ceil(right + primitive->slack) + 1, width);
  primitive->bottom = pixel(std::ceil(bottom + primitive->slack) + 1, height);
}

}  // namespace

std::optional<Primitive> MakePrimitive(const ClipVertex (&vertices)[3], uint32_t number,
                                       uint32_t width, uint32_t height) {
  Primitive primitive;
  primitive.number = number;
  std::vector<Point> polygon(vertices, vertices + 3);
  std::copy(vertices, vertices + 3, primitive.vertices);
  bool cut = false;
  for (int plane = 0; plane < kPlanes; ++plane) {
    // Where it is open on which side of a clip plane a vertex is, the primitive is as large as it
    // can be.
    double margin = 0;
    for (const Point& point : polygon) {
      const double error = plane < kDepthPlanes ? ErrorBefore(plane, point.error) : 0;
      if (std::abs(Before(plane, point.at)) <= error) margin = std::max(margin, error);
    }
    primitive.uncertain |= margin > 0;
    const bool cuts = std::any_of(polygon.begin(), polygon.end(), [&](const Point& point) {
      return Before(plane, point.at) + margin < 0;
    });
    if (!cuts) continue;
    cut = true;
    polygon = Cut(polygon, plane, margin);
    if (polygon.size() < 3) return std::nullopt;
  }
  for (const Point& point : polygon) {
    if (point.at[3] <= 0) return std::nullopt;  // the whole triangle is at the eye
    primitive.corners.push_back(CornerOf(point, cut, width, height));
    primitive.slack = std::max(primitive.slack, primitive.corners.back().slack);
  }
  const double area = TwiceArea(primitive.corners);
  if (area == 0) {
    if (primitive.slack == 0 || IsFlat(vertices)) return std::nullopt;
    primitive.uncertain = true;  // with corners that are rounded otherwise, it may have an area
  }
  primitive.orientation = area > 0 ? 1 : -1;
  // Counter-clockwise is the front if y goes downwards (Vulkan, the sign of a polygon's area).
  primitive.front = area < 0;
  SetBounds(width, height, &primitive);
  return primitive;
}

PixelPlace SampleLocation(uint32_t samples, uint32_t sample) {
  constexpr PixelPlace kTwo[] = {{12, 12}, {4, 4}};
  constexpr PixelPlace kFour[] = {{6, 2}, {14, 6}, {2, 10}, {10, 14}};
  constexpr PixelPlace kEight[] = {{9, 5},  {7, 11}, {13, 9},  {5, 3},
                                   {3, 13}, {1, 7},  {11, 15}, {15, 1}};
  CHECK(sample < samples);
  return samples == 1   ? PixelPlace()
         : samples == 2 ? kTwo[sample]
         : samples == 4 ? kFour[sample]
                        : kEight[sample];
}

Coverage CoverageOf(const Primitive& primitive, uint32_t x, uint32_t y, const PixelPlace& place) {
  constexpr int64_t kUnits = 256 / 16;
  const int64_t cx = int64_t{x} * 256 + place.x * kUnits, cy = int64_t{y} * 256 + place.y * kUnits;
  Coverage result;
  result.covered = true;
  uint32_t open = 0;
  const std::vector<Primitive::Corner>& corners = primitive.corners;
  for (size_t i = 0; i < corners.size(); ++i) {
    const Primitive::Corner* from = &corners[i];
    const Primitive::Corner* to = &corners[(i + 1) % corners.size()];
    if (primitive.orientation < 0) std::swap(from, to);  // clockwise: the inside is on the right
    const int64_t dx = to->x - from->x, dy = to->y - from->y;
    const int64_t inside = dx * (cy - from->y) - dy * (cx - from->x);
    double slack = std::max(from->slack, to->slack) * kSubPixels;
    const bool straight = dx == 0 || dy == 0 || dx == dy || dx == -dy;
    if (!straight) slack = std::max(slack, kSlanted * kSubPixels);
    const double band = slack * std::sqrt(static_cast<double>(dx) * static_cast<double>(dx) +
                                          static_cast<double>(dy) * static_cast<double>(dy));
    if (static_cast<double>(inside) < -band) return {};
    const bool top_left = (dy == 0 && dx > 0) || dy < 0;
    if (inside < 0 || (inside == 0 && !top_left)) result.covered = false;
    if (slack == 0 || static_cast<double>(inside) > band) continue;
    ++open;
    result.has_edge =
        from->vertex != Primitive::kMadeByClipping && to->vertex != Primitive::kMadeByClipping;
    result.low = std::min(from->vertex, to->vertex);
    result.high = std::max(from->vertex, to->vertex);
    result.forward = from->vertex == result.low;
  }
  result.open = open > 0 || primitive.uncertain;
  result.has_edge = result.has_edge && open == 1 && !primitive.uncertain;
  return result;
}

// Uses homogeneous coordinates, so vertices on the other side of the eye need no clipping. The
// weights l satisfy l0 p0 + l1 p1 + l2 p2 = (X, Y, 1) up to a factor, where p is (x, y, w).
Weights WeightsAt(const Primitive& primitive, double x, double y, uint32_t width, uint32_t height) {
  const double at[3] = {2 * x / width - 1, 2 * y / height - 1, 1};
  const auto& vertices = primitive.vertices;
  double weight[3] = {}, sum = 0, sum_w = 0;
  for (int i = 0; i < 3; ++i) {
    const double(&a)[4] = vertices[(i + 1) % 3].at;
    const double(&b)[4] = vertices[(i + 2) % 3].at;
    weight[i] = (a[1] * b[3] - a[3] * b[1]) * at[0] + (a[3] * b[0] - a[0] * b[3]) * at[1] +
                (a[0] * b[1] - a[1] * b[0]) * at[2];
    sum += weight[i];
    sum_w += weight[i] * vertices[i].at[3];
  }
  Weights result;
  for (int i = 0; i < 3; ++i) {
    result.perspective[i] = weight[i] / sum;
    result.linear[i] = weight[i] * vertices[i].at[3] / sum_w;
  }
  return result;
}

}  // namespace interp
}  // namespace refract
