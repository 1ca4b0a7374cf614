// SPDX-License-Identifier: Apache-2.0
// The rules `bounded` and `spatial`, and their thresholds.
#include <gtest/gtest.h>

#include "image/compare.h"

namespace refract {
namespace {

constexpr uint32_t kSide = 64;

// A disc, bars and a gradient: no two parts look the same.
Image Scene() {
  Image image = MakeImage(kSide, kSide, 0, 0, 0, 255);
  for (uint32_t y = 0; y < kSide; ++y) {
    for (uint32_t x = 0; x < kSide; ++x) {
      uint8_t* pixel = image.pixel(size_t{y} * kSide + x);
      const int dx = static_cast<int>(x) - 20, dy = static_cast<int>(y) - 24;
      if (dx * dx + dy * dy < 150) pixel[0] = 220;
      if (x > 40 && y % 8 < 3) pixel[1] = 140;
      pixel[2] = static_cast<uint8_t>(3 * y);
    }
  }
  return image;
}

/// The image whose pixel (x, y) is the pixel `from(x, y)` of `image`.
template <class From>
Image Moved(const Image& image, From from) {
  Image moved = image;
  for (uint32_t y = 0; y < image.height; ++y) {
    for (uint32_t x = 0; x < image.width; ++x) {
      const auto [fx, fy] = from(x, y);
      std::copy_n(image.pixel(size_t{fy % image.height} * image.width + fx % image.width), 4,
                  moved.pixel(size_t{y} * image.width + x));
    }
  }
  return moved;
}

void Fill(Image* image, uint32_t left, uint32_t top, uint32_t side, uint8_t level) {
  for (uint32_t y = top; y < top + side; ++y) {
    for (uint32_t x = left; x < left + side; ++x) {
      std::fill_n(image->pixel(size_t{y} * image->width + x), 3, level);
    }
  }
}

bool AgreeBy(const Image& a, const Image& b, const ComparisonRule& rule) {
  return Agree(Compare(a, b, rule), rule);
}

TEST(SpatialRule, SeesWhatHistogramsDoNotSee) {
  const Image scene = Scene();
  using Place = std::pair<uint32_t, uint32_t>;
  Image hole = scene;
  Fill(&hole, 12, 20, 10, 0);
  const Image changed[] = {
      Moved(scene, [](uint32_t x, uint32_t y) { return Place(kSide - 1 - x, y); }),
      Moved(scene, [](uint32_t x, uint32_t y) { return Place(y, kSide - 1 - x); }),
      Moved(scene, [](uint32_t x, uint32_t y) { return Place(x + 9, y); }),
  };
  for (const Image& image : changed) {
    EXPECT_TRUE(AgreeBy(scene, image, CompareRule::kHistogram));
    EXPECT_FALSE(AgreeBy(scene, image, CompareRule::kSpatial));
  }
  EXPECT_FALSE(AgreeBy(scene, hole, CompareRule::kSpatial));
}

// A border between two colours may move by a pixel, and single pixels may have any colour.
TEST(SpatialRule, AllowsWhatRoundingDoes) {
  const Image scene = Scene();
  Image border = scene;
  for (uint32_t y = 0; y < kSide; ++y) {
    uint8_t* pixel = border.pixel(size_t{y} * kSide + 40);
    pixel[1] = y % 8 < 3 ? 140 : 0;
  }
  EXPECT_GT(Compare(scene, border).pixels_over_1, 20u);
  EXPECT_TRUE(AgreeBy(scene, border, CompareRule::kSpatial));
  Image pixel = scene;
  Fill(&pixel, 30, 30, 1, 255);
  EXPECT_TRUE(AgreeBy(scene, pixel, CompareRule::kSpatial));
  Image level = scene;
  for (size_t i = 0; i < level.pixel_count(); ++i) ++level.pixel(i)[0];
  EXPECT_TRUE(AgreeBy(scene, level, CompareRule::kSpatial));
}

TEST(SpatialRule, EachMeasureHasAThreshold) {
  const Image scene = Scene();
  Image square = scene;
  Fill(&square, 44, 30, 4, 255);
  const SpatialMeasures found = Compare(scene, square).spatial;
  EXPECT_EQ(found.square, 4u);
  EXPECT_LT(found.similarity, 1);
  EXPECT_GT(found.shift, 1);
  ComparisonRule rule = CompareRule::kSpatial;
  EXPECT_FALSE(AgreeBy(scene, square, rule));
  rule.thresholds = *ParseThresholds("square=5,similarity=0,shift=255");
  EXPECT_TRUE(AgreeBy(scene, square, rule));
  for (const char* text : {"square=4", "similarity=0.99", "shift=1", "levels=8,square=4"}) {
    ComparisonRule strict = rule;
    strict.thresholds = *ParseThresholds(text, rule.thresholds);
    EXPECT_FALSE(AgreeBy(scene, square, strict)) << text;
  }
}

// The square must fit into a small image.
TEST(SpatialRule, SmallImages) {
  EXPECT_FALSE(AgreeBy(MakeImage(1, 1, 10, 0, 0, 255), MakeImage(1, 1, 200, 0, 0, 255),
                       CompareRule::kSpatial));
  EXPECT_FALSE(AgreeBy(MakeImage(2, 3, 10), MakeImage(2, 3, 200), CompareRule::kSpatial));
}

/// Bounds of `by` levels around the levels of an image.
ComparisonRule BoundsAround(const Image& image, int by, CompareRule rest = CompareRule::kSpatial) {
  LevelBounds bounds;
  for (const char c : image.pixels) {
    const int level = static_cast<uint8_t>(c);
    bounds.lowest += static_cast<char>(std::max(0, level - by));
    bounds.highest += static_cast<char>(std::min(255, level + by));
  }
  ComparisonRule rule = CompareRule::kBounded;
  rule.rest = rest;
  rule.bounds = std::make_shared<const std::vector<LevelBounds>>(std::vector{bounds});
  return rule;
}

TEST(BoundedRule, OnePixelOutsideIsADifference) {
  const Image scene = Scene();
  const ComparisonRule rule = BoundsAround(scene, 2);
  Image changed = scene;
  changed.pixel(100)[1] = 3;  // the bounds and the slack
  EXPECT_TRUE(AgreeBy(scene, changed, rule));
  changed.pixel(100)[1] = 4;
  const Comparison found = Compare(scene, changed, rule);
  EXPECT_FALSE(Agree(found, rule));
  EXPECT_EQ(found.bounded.outside, 1u);
  EXPECT_EQ(found.bounded.decided, scene.pixel_count());
  EXPECT_EQ(RuleText(found, rule), "1 pixel outside of the bounds of the interpreter");
  ComparisonRule lax = rule;
  lax.thresholds.slack = 2;
  EXPECT_TRUE(AgreeBy(scene, changed, lax));
}

// Such a pixel says that the bounds do not hold there on this target.
TEST(BoundedRule, PixelsOfTheOriginalOutsideAreNoDifference) {
  const Image scene = Scene();
  const ComparisonRule rule = BoundsAround(scene, 2);
  Image drawn = scene, same = scene;
  drawn.pixel(100)[1] = 9;
  same.pixel(101)[1] = 9;
  const Comparison found = Compare(drawn, scene, rule);
  EXPECT_EQ(found.bounded.outside_a, 1u);
  EXPECT_EQ(found.bounded.beyond_a, 7u);
  EXPECT_TRUE(Agree(found, rule));
  EXPECT_EQ(RuleText(found, rule),
            "outside of the bounds of the interpreter: 1 pixel of the original by up to 7 levels "
            "too, so they are compared under rule spatial");
  // The target may be as imprecise at another place.
  EXPECT_TRUE(AgreeBy(drawn, same, rule));
  same.pixel(101)[1] = 10;
  EXPECT_FALSE(AgreeBy(drawn, same, rule));
}

TEST(BoundedRule, BoundsThatDoNotHoldAtAllDecideNothing) {
  const Image scene = Scene();
  const ComparisonRule rule = BoundsAround(scene, 2);
  Image drawn = scene, changed = scene;
  drawn.pixel(100)[1] = 90;
  Fill(&changed, 5, 5, 1, 255);
  EXPECT_TRUE(AgreeBy(drawn, changed, rule));
  EXPECT_FALSE(AgreeBy(scene, changed, rule));
}

TEST(BoundedRule, PixelsWithoutNarrowBoundsAreComparedByTheOtherRule) {
  const Image scene = Scene();
  Image line = scene, hole = scene;
  for (uint32_t x = 0; x < 6; ++x) line.pixel(x)[0] = 99;
  Fill(&hole, 12, 20, 10, 0);
  const ComparisonRule wide = BoundsAround(scene, 255);
  EXPECT_TRUE(AgreeBy(scene, line, wide));
  EXPECT_FALSE(AgreeBy(scene, hole, wide));
  EXPECT_FALSE(AgreeBy(scene, line, BoundsAround(scene, 255, CompareRule::kStable)));
  // What the bounds decide is not compared again.
  EXPECT_TRUE(AgreeBy(scene, Moved(scene, [](uint32_t x, uint32_t y) { return std::pair(x, y); }),
                      BoundsAround(scene, 0)));
  const Comparison decided = Compare(scene, hole, BoundsAround(scene, 8));
  EXPECT_EQ(decided.spatial.square, 0u);
  EXPECT_EQ(decided.bounded.region_over_8, 0u);
  EXPECT_GT(decided.bounded.outside, 90u);
}

TEST(BoundedRule, WithoutBoundsTheOtherRuleDecidesEverything) {
  const Image scene = Scene();
  Image pixel = scene, hole = scene;
  Fill(&pixel, 30, 30, 1, 255);
  Fill(&hole, 12, 20, 10, 0);
  EXPECT_TRUE(AgreeBy(scene, pixel, CompareRule::kBounded));
  EXPECT_FALSE(AgreeBy(scene, hole, CompareRule::kBounded));
}

TEST(Thresholds, TextsAreReadAgain) {
  Thresholds thresholds;
  thresholds.slack = 7;
  thresholds.similarity = 0.125;
  const Result<Thresholds> read = ParseThresholds(ThresholdsText(thresholds));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, thresholds);
  EXPECT_EQ(*ParseThresholds(""), Thresholds());
}

TEST(Thresholds, ErrorsNameThePart) {
  for (const auto& [text, part] : {std::pair("sluck=1", "'sluck' is not a threshold"),
                                   std::pair("slack=256", "slack=256: the value must be"),
                                   std::pair("slack", "slack: the value must be"),
                                   std::pair("slack=1.5", "slack=1.5: the value must be"),
                                   std::pair("similarity=1.1", "from 0 to 1"),
                                   std::pair("shift=-1", "shift=-1: the value must be")}) {
    const Result<Thresholds> read = ParseThresholds(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find(part), std::string::npos) << read.error().message;
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
  }
}

TEST(LevelBounds, AreKeptInAnImage) {
  const std::vector<LevelBounds> bounds = {{std::string(24, '\1'), std::string(24, '\7')},
                                           {},
                                           {std::string(24, '\2'), std::string(24, '\5')}};
  const Image image = ImageOfBounds(bounds, 3);
  EXPECT_EQ(image.width, 3u);
  EXPECT_EQ(image.height, 12u);
  const auto read = BoundsOfImage(image, 3, "bounds.png");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ((*read)[0], bounds[0]);
  EXPECT_EQ((*read)[1].highest, std::string(24, '\xff'));
  EXPECT_EQ((*read)[2], bounds[2]);
  EXPECT_FALSE(BoundsOfImage(image, 5, "bounds.png"));
  EXPECT_FALSE(BoundsOfImage(image, 0, "bounds.png"));
  EXPECT_EQ(ImageOfBounds({LevelBounds()}, 3).pixel_count(), 0u);
}

}  // namespace
}  // namespace refract
