// SPDX-License-Identifier: Apache-2.0
// Images: reading and writing PNG, and the numbers of a comparison, computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "image/compare.h"
#include "image/png.h"

namespace refract {
namespace {

/// 256x256, all channels 100; `count` pixels from the start have red raised by `by`.
Image Raised(size_t count, int by) {
  Image image = MakeImage(256, 256, 100, 100, 100, 100);
  for (size_t i = 0; i < count; ++i) image.pixel(i)[0] = static_cast<uint8_t>(100 + by);
  return image;
}

Image Black() {
  return MakeImage(256, 256, 0, 0, 0, 255);
}

Image WithWhiteRed(size_t count) {
  Image image = Black();
  for (size_t i = 0; i < count; ++i) image.pixel(i)[0] = 255;
  return image;
}

void Paint(Image* image, uint32_t x, uint32_t y, uint8_t value) {
  image->pixel(size_t{y} * image->width + x)[1] = value;
}

TEST(Png, RoundTripKeepsEveryByte) {
  Image image = MakeImage(7, 5);
  for (size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = static_cast<char>(i * 37);
  const std::string bytes = EncodePng(image);
  EXPECT_EQ(bytes, EncodePng(image));
  const Result<Image> back = DecodePng(bytes, "x.png");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, image);
}

TEST(Png, BadFilesAreRefusedWithTheirName) {
  const std::string good = EncodePng(MakeImage(64, 64, 1, 2, 3, 4));
  for (size_t cut = 0; cut < good.size(); ++cut) {
    const Result<Image> read = DecodePng(good.substr(0, cut), "cut.png");
    ASSERT_FALSE(read) << cut;
    EXPECT_EQ(read.error().message.substr(0, 8), "cut.png:");
  }
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 0x10);
  EXPECT_FALSE(DecodePng(flipped, "flipped.png"));
  EXPECT_FALSE(DecodePng("P6 1 1 255 abc", "not.png"));
}

TEST(Png, GreyIsExpandedAndSixteenBitsRefused) {
  // 1x1 files made by hand: signature, IHDR, IDAT, IEND with their checksums.
  const unsigned char grey[] = {0x89, 'P', 'N',  'G',  13,   10,   26,   10,   0,    0, 0, 13,
                                'I',  'H', 'D',  'R',  0,    0,    0,    1,    0,    0, 0, 1,
                                8,    0,   0,    0,    0,    0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0,
                                10,   'I', 'D',  'A',  'T',  0x78, 0x9c, 0x63, 0x68, 0, 0, 0,
                                0x82, 0,   0x81, 0x77, 0xcd, 0x72, 0xb6, 0,    0,    0, 0, 'I',
                                'E',  'N', 'D',  0xae, 0x42, 0x60, 0x82};
  const std::string_view bytes(reinterpret_cast<const char*>(grey), sizeof grey);
  const Result<Image> read = DecodePng(bytes, "grey.png");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, MakeImage(1, 1, 0x80, 0x80, 0x80, 255));

  const unsigned char deep[] = {0x89, 'P', 'N', 'G',  13,   10,   26,   10,   0,    0,    0, 13,
                                'I',  'H', 'D', 'R',  0,    0,    0,    1,    0,    0,    0, 1,
                                16,   0,   0,   0,    0,    0x6a, 0xee, 0x47, 0x16, 0,    0, 0,
                                11,   'I', 'D', 'A',  'T',  0x78, 0x9c, 0x63, 0x68, 0x60, 4, 0,
                                1,    4,   0,   0x82, 0x39, 0x9b, 0xc0, 0xba, 0,    0,    0, 0,
                                'I',  'E', 'N', 'D',  0xae, 0x42, 0x60, 0x82};
  const Result<Image> refused =
      DecodePng(std::string_view(reinterpret_cast<const char*>(deep), sizeof deep), "deep.png");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("more than 8 bits"), std::string::npos);
}

TEST(Compare, EqualImagesAgreeUnderEveryRule) {
  const Comparison same = Compare(Black(), Black());
  EXPECT_EQ(same.pixels, 0u);
  EXPECT_EQ(same.max, 0u);
  EXPECT_EQ(same.emd, 0);
  EXPECT_EQ(same.rmse, 0);
  EXPECT_EQ(same.chi2, 0);
  EXPECT_TRUE(Agree(same, CompareRule::kExact));
  EXPECT_TRUE(Agree(same, CompareRule::kStable));
  EXPECT_TRUE(Agree(same, CompareRule::kHistogram));
}

// The constants of Amber's histogram measure (EMD), computed from its definition.
TEST(Compare, HistogramEmdHasAmbersValues) {
  const Image base = Raised(0, 0);
  const auto emd = [&](size_t count, int by) { return Compare(base, Raised(count, by)).emd; };
  EXPECT_DOUBLE_EQ(emd(65536, 1), 1.0 / 256);
  EXPECT_DOUBLE_EQ(emd(65536, 2), 2.0 / 256);
  EXPECT_NEAR(emd(655, 128), 0.0050, 0.00001);
  EXPECT_NEAR(emd(2556, 32), 0.0049, 0.00003);
  EXPECT_NEAR(Compare(Black(), WithWhiteRed(328)).emd, 0.00498, 0.00001);
  EXPECT_NEAR(Compare(Black(), WithWhiteRed(341)).emd, 0.00518, 0.00001);
  EXPECT_TRUE(Agree(Compare(Black(), WithWhiteRed(328)), CompareRule::kHistogram));
  EXPECT_FALSE(Agree(Compare(Black(), WithWhiteRed(341)), CompareRule::kHistogram));
  EXPECT_FALSE(Agree(Compare(base, Raised(65536, 2)), CompareRule::kHistogram));
  EXPECT_TRUE(Agree(Compare(base, Raised(65536, 1)), CompareRule::kHistogram));
}

TEST(Compare, OnlyHistogramsMissAMovedShape) {
  Image left = Black(), right = Black();
  for (uint32_t y = 0; y < 10; ++y) {
    for (uint32_t x = 0; x < 10; ++x) {
      Paint(&left, x, y, 200);
      Paint(&right, 100 + x, y, 200);
    }
  }
  const Comparison moved = Compare(left, right);
  EXPECT_EQ(moved.emd, 0);
  EXPECT_EQ(moved.chi2, 0);
  EXPECT_EQ(moved.pixels, 200u);
  EXPECT_EQ(moved.region, 100u);
  EXPECT_TRUE(Agree(moved, CompareRule::kHistogram));
  EXPECT_FALSE(Agree(moved, CompareRule::kStable));
  EXPECT_DOUBLE_EQ(moved.rmse, std::sqrt(200.0 * 200 * 200 / (4 * 65536)));
}

TEST(Compare, ChiSquareIsSymmetricAndBounded) {
  EXPECT_DOUBLE_EQ(Compare(Black(), WithWhiteRed(65536)).chi2, 1.0);
  // p = (1, 0), q = (3/4, 1/4): ((1/4)^2 / (7/4) + (1/4)^2 / (1/4)) / 2.
  EXPECT_DOUBLE_EQ(Compare(Black(), WithWhiteRed(16384)).chi2, (1.0 / 28 + 0.25) / 2);
  EXPECT_DOUBLE_EQ(Compare(WithWhiteRed(16384), Black()).chi2, (1.0 / 28 + 0.25) / 2);
}

TEST(Compare, RegionsAreEightConnected) {
  Image diagonal = Black();
  for (uint32_t i = 0; i < 15; ++i) Paint(&diagonal, i, i, 9);
  Paint(&diagonal, 255, 255, 9);
  Comparison result = Compare(Black(), diagonal);
  EXPECT_EQ(result.pixels, 16u);
  EXPECT_EQ(result.region, 15u);
  EXPECT_EQ(result.region_over_8, 15u);
  EXPECT_TRUE(Agree(result, CompareRule::kStable));
  Paint(&diagonal, 15, 15, 9);
  EXPECT_FALSE(Agree(Compare(Black(), diagonal), CompareRule::kStable));
  // The left and the right edge are not neighbours.
  Image edges = Black();
  for (uint32_t y = 0; y < 10; ++y) Paint(&edges, y % 2 == 0 ? 255 : 0, y, 50);
  EXPECT_EQ(Compare(Black(), edges).region, 1u);
}

TEST(Compare, StableAllowsOneLevelEverywhereAndMoreInOnePixelOfAThousand) {
  const Image base = Raised(0, 0);
  EXPECT_TRUE(Agree(Compare(base, Raised(65536, 1)), CompareRule::kStable));
  EXPECT_TRUE(Agree(Compare(base, Raised(65, 2)), CompareRule::kStable));
  EXPECT_FALSE(Agree(Compare(base, Raised(66, 2)), CompareRule::kStable));
  EXPECT_EQ(Compare(base, Raised(66, 8)).region_over_8, 0u);
  EXPECT_EQ(Compare(base, Raised(66, 9)).region_over_8, 66u);
  EXPECT_FALSE(Agree(Compare(base, Raised(1, 1)), CompareRule::kExact));
}

TEST(Compare, AlphaCounts) {
  Image image = Black();
  image.pixel(5)[3] = 0;
  const Comparison result = Compare(Black(), image);
  EXPECT_EQ(result.pixels, 1u);
  EXPECT_EQ(result.max, 255u);
}

TEST(Compare, DifferentSizesNeverAgree) {
  const Comparison result = Compare(MakeImage(2, 3), MakeImage(3, 2));
  EXPECT_FALSE(result.same_size());
  EXPECT_TRUE(std::isnan(result.emd));
  for (const CompareRule rule :
       {CompareRule::kExact, CompareRule::kStable, CompareRule::kHistogram}) {
    EXPECT_FALSE(Agree(result, rule));
    EXPECT_EQ(RuleByName(RuleName(rule)), rule);
  }
  EXPECT_EQ(RuleByName("other"), std::nullopt);
}

TEST(Compare, DiffImageShowsDifferencesInRed) {
  Image a = MakeImage(2, 1, 80, 80, 80, 255), b = MakeImage(3, 1, 80, 80, 80, 255);
  b.pixel(1)[2] = 90;
  const Image diff = DiffImage(a, b);
  ASSERT_EQ(diff.width, 3u);
  EXPECT_EQ(diff.pixel(0)[0], 20);
  EXPECT_EQ(diff.pixel(1)[0], 255);
  EXPECT_EQ(diff.pixel(1)[1], 245);
  EXPECT_EQ(diff.pixel(2)[2], 255);
}

}  // namespace
}  // namespace refract
