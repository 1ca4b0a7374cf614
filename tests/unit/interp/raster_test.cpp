// SPDX-License-Identifier: Apache-2.0
// Which pixels triangles cover: none twice, none left out, and what is open is said to be.
#include "interp/raster.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace refract {
namespace {

constexpr uint32_t kSide = 32;

// A vertex at a place in pixels.
ClipVertex At(double x, double y, uint32_t number) {
  ClipVertex vertex;
  vertex.at[0] = 2 * x / kSide - 1;
  vertex.at[1] = 2 * y / kSide - 1;
  vertex.at[2] = 0.5;
  vertex.at[3] = 1;
  vertex.number = number;
  return vertex;
}

// How often each pixel is covered by a fan of triangles around a place, over the whole frame.
std::vector<int> CountCovered(double x, double y, uint32_t* open) {
  const ClipVertex middle = At(x, y, 4);
  const ClipVertex corners[] = {At(0, 0, 0), At(kSide, 0, 1), At(kSide, kSide, 2), At(0, kSide, 3)};
  std::vector<int> covered(kSide * kSide);
  for (uint32_t i = 0; i < 4; ++i) {
    const auto primitive =
        MakePrimitive({middle, corners[i], corners[(i + 1) % 4]}, i, kSide, kSide);
    EXPECT_TRUE(primitive.has_value());
    if (!primitive) continue;
    EXPECT_FALSE(primitive->front);  // clockwise
    for (uint32_t pixel = 0; pixel < kSide * kSide; ++pixel) {
      const Coverage coverage = CoverageOf(*primitive, pixel % kSide, pixel / kSide);
      covered[pixel] += coverage.covered ? 1 : 0;
      *open += coverage.open ? 1 : 0;
    }
  }
  return covered;
}

TEST(Raster, CoversEachPixelOnceAroundAnExactVertex) {
  for (const auto& [x, y] : {std::pair(16.0, 16.0), std::pair(16.5, 16.5), std::pair(3.0625, 9.5),
                             std::pair(8.0, 24.0), std::pair(31.5, 0.5)}) {
    uint32_t open = 0;
    EXPECT_EQ(CountCovered(x, y, &open), std::vector<int>(kSide * kSide, 1)) << x << ", " << y;
    // Nothing is where all edges are diagonals.
    if (x == 16 && y == 16) {
      EXPECT_EQ(open, 0u);
    } else {
      EXPECT_LT(open, 100u);
    }
  }
}

TEST(Raster, SaysWhatIsOpenAroundAnInexactVertex) {
  Random random(7);
  for (int i = 0; i < 20; ++i) {
    const double x = 1 + 30.0 * static_cast<double>(random.Below(1000)) / 1000;
    const double y = 1 + 30.0 * static_cast<double>(random.Below(997)) / 997 + 0.001;
    uint32_t open = 0;
    EXPECT_EQ(CountCovered(x, y, &open), std::vector<int>(kSide * kSide, 1)) << x << ", " << y;
    EXPECT_GT(open, 0u);
    EXPECT_LT(open, 200u);
  }
}

TEST(Raster, GivesAnEdgeToTheTriangleBelowAndToTheRight) {
  // A square of two pixels with corners at the centres of pixels.
  const auto upper =
      MakePrimitive({At(4.5, 4.5, 0), At(6.5, 4.5, 1), At(4.5, 6.5, 2)}, 0, kSide, kSide);
  const auto lower =
      MakePrimitive({At(6.5, 4.5, 1), At(6.5, 6.5, 3), At(4.5, 6.5, 2)}, 1, kSide, kSide);
  ASSERT_TRUE(upper && lower);
  EXPECT_TRUE(CoverageOf(*upper, 4, 4).covered);
  EXPECT_TRUE(CoverageOf(*upper, 5, 4).covered);
  EXPECT_FALSE(CoverageOf(*upper, 6, 4).covered);
  EXPECT_FALSE(CoverageOf(*upper, 5, 5).covered);
  EXPECT_TRUE(CoverageOf(*lower, 5, 5).covered);
  EXPECT_FALSE(CoverageOf(*lower, 6, 5).covered);
  EXPECT_FALSE(CoverageOf(*lower, 5, 6).covered);
}

TEST(Raster, SamplesAreAtTheStandardLocations) {
  // A square from (4, 4) to (4.5, 4.5): each quarter of the pixel has one of four samples.
  const auto quarter = MakePrimitive({At(4, 4, 0), At(4, 4.5, 1), At(4.5, 4, 2)}, 0, kSide, kSide);
  const auto rest = MakePrimitive({At(4, 4.5, 1), At(4.5, 4.5, 3), At(4.5, 4, 2)}, 1, kSide, kSide);
  ASSERT_TRUE(quarter && rest);
  const auto mask = [](const Primitive& primitive, uint32_t samples) {
    uint32_t covered = 0;
    for (uint32_t i = 0; i < samples; ++i) {
      const Coverage coverage = CoverageOf(primitive, 4, 4, SampleLocation(samples, i));
      EXPECT_FALSE(coverage.open);
      covered |= coverage.covered ? 1u << i : 0;
    }
    return covered;
  };
  EXPECT_EQ(mask(*quarter, 1) | mask(*rest, 1), 0u);
  EXPECT_EQ(mask(*quarter, 2) | mask(*rest, 2), 2u);
  // Samples on the diagonal belong to the triangle below.
  EXPECT_EQ(mask(*quarter, 4), 0u);
  EXPECT_EQ(mask(*rest, 4), 1u);
  EXPECT_EQ(mask(*quarter, 8), 0u);
  EXPECT_EQ(mask(*rest, 8), 8u | 32u);
}

TEST(Raster, NamesTheOpenEdge) {
  const auto one = MakePrimitive({At(4.03, 4, 0), At(28, 28, 1), At(4, 28.01, 2)}, 0, kSide, kSide);
  const auto two = MakePrimitive({At(4.03, 4, 0), At(28, 4, 3), At(28, 28, 1)}, 1, kSide, kSide);
  ASSERT_TRUE(one && two);
  const Coverage a = CoverageOf(*one, 16, 16), b = CoverageOf(*two, 16, 16);
  ASSERT_TRUE(a.open && a.has_edge && b.open && b.has_edge);
  EXPECT_EQ(a.low, 0u);
  EXPECT_EQ(a.high, 1u);
  EXPECT_EQ(b.low, 0u);
  EXPECT_EQ(b.high, 1u);
  EXPECT_NE(a.forward, b.forward);
  EXPECT_NE(a.covered, b.covered);
}

TEST(Raster, CutsWhatIsBehindTheEyeAndLeavesOutWhatIsNowhere) {
  ClipVertex behind = At(16, 16, 0);
  behind.at[3] = -1;
  behind.at[2] = 0;
  const auto cut = MakePrimitive({behind, At(2, 30, 1), At(30, 30, 2)}, 0, kSide, kSide);
  ASSERT_TRUE(cut.has_value());
  EXPECT_GT(cut->corners.size(), 2u);
  EXPECT_TRUE(CoverageOf(*cut, 16, 31).covered || CoverageOf(*cut, 16, 30).covered);
  EXPECT_FALSE(
      MakePrimitive({At(1, 1, 0), At(9, 9, 1), At(20, 20, 2)}, 0, kSide, kSide).has_value());
  ClipVertex far[] = {At(1, 1, 0), At(9, 1, 1), At(9, 9, 2)};
  for (ClipVertex& vertex : far) vertex.at[2] = 1.5;
  EXPECT_FALSE(MakePrimitive({far[0], far[1], far[2]}, 0, kSide, kSide).has_value());
}

// How many pixels within the bounds are covered, and how many are open.
std::pair<int, int> Count(const std::optional<Primitive>& primitive) {
  int covered = 0, open = 0;
  for (uint32_t pixel = 0; primitive && pixel < kSide * kSide; ++pixel) {
    const uint32_t x = pixel % kSide, y = pixel / kSide;
    if (x < primitive->left || x >= primitive->right) continue;
    if (y < primitive->top || y >= primitive->bottom) continue;
    const Coverage coverage = CoverageOf(*primitive, x, y);
    covered += coverage.covered ? 1 : 0;
    open += coverage.open ? 1 : 0;
  }
  return {covered, open};
}

TEST(Raster, IsOpenWhereADegenerateTriangleMayHaveAnArea) {
  // Three places on the diagonal, which are rounded in different ways by implementations.
  const auto sliver =
      MakePrimitive({At(4.51, 4.51, 0), At(9.53, 9.53, 1), At(20.57, 20.57, 2)}, 0, kSide, kSide);
  const auto [covered, open] = Count(sliver);
  EXPECT_EQ(covered, 0);
  EXPECT_EQ(open, 18);
  // Exact places, the same vertex twice, and a common y leave no doubt.
  EXPECT_FALSE(MakePrimitive({At(4, 4, 0), At(9, 9, 1), At(20, 20, 2)}, 0, kSide, kSide));
  EXPECT_FALSE(MakePrimitive({At(4.51, 4, 0), At(4.51, 4, 0), At(20.03, 9, 2)}, 0, kSide, kSide));
  EXPECT_FALSE(MakePrimitive({At(4.51, 4, 0), At(4.51, 4, 1), At(20.03, 9, 2)}, 0, kSide, kSide));
  EXPECT_FALSE(
      MakePrimitive({At(4.5, 4.51, 0), At(9.3, 4.51, 1), At(20, 4.51, 2)}, 0, kSide, kSide));
}

TEST(Raster, IsOpenWhereTheDepthMayBeClipped) {
  ClipVertex vertices[] = {At(4, 4, 0), At(28, 4, 1), At(4, 28, 2)};
  for (ClipVertex& vertex : vertices) vertex.at[2] = -0x1p-20;
  EXPECT_FALSE(MakePrimitive(vertices, 0, kSide, kSide));
  for (ClipVertex& vertex : vertices) vertex.error[2] = 0x1p-19;
  const auto [covered, open] = Count(MakePrimitive(vertices, 0, kSide, kSide));
  EXPECT_GT(covered, 200);
  EXPECT_GE(open, covered);
}

TEST(Raster, AnInexactDepthMovesTheEdgeThatItCuts) {
  ClipVertex vertices[] = {At(4, 4, 0), At(28, 4, 1), At(4, 28, 2)};
  vertices[0].at[2] = -0.25, vertices[1].at[2] = 0.75, vertices[2].at[2] = -0.25;
  const auto [covered, open] = Count(MakePrimitive(vertices, 0, kSide, kSide));
  for (ClipVertex& vertex : vertices) vertex.error[2] = 0.05;
  const auto [covered_then, open_then] = Count(MakePrimitive(vertices, 0, kSide, kSide));
  EXPECT_EQ(covered_then, covered);
  EXPECT_GT(open_then, open + 20);
}

TEST(Raster, WeightsAreRightInPerspective) {
  ClipVertex vertices[] = {At(0, 0, 0), At(32, 0, 1), At(0, 32, 2)};
  for (int i = 0; i < 4; ++i) vertices[1].at[i] *= 3;  // the same place, w is 3
  const auto primitive = MakePrimitive({vertices[0], vertices[1], vertices[2]}, 0, kSide, kSide);
  ASSERT_TRUE(primitive.has_value());
  const Weights weights = WeightsAt(*primitive, 16, 8, kSide, kSide);
  EXPECT_DOUBLE_EQ(weights.linear[0], 0.25);
  EXPECT_DOUBLE_EQ(weights.linear[1], 0.5);
  EXPECT_DOUBLE_EQ(weights.linear[2], 0.25);
  // 1/4 : 1/2 / 3 : 1/4
  EXPECT_DOUBLE_EQ(weights.perspective[0], 0.375);
  EXPECT_DOUBLE_EQ(weights.perspective[1], 0.25);
  EXPECT_DOUBLE_EQ(weights.perspective[2], 0.375);
}

}  // namespace
}  // namespace refract
