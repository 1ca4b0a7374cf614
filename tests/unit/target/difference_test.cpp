// SPDX-License-Identifier: Apache-2.0
#include "target/difference.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "input/texels.h"

namespace refract {
namespace {

std::string Bytes(std::initializer_list<uint32_t> words) {
  std::string bytes;
  for (const uint32_t word : words) {
    bytes.append(reinterpret_cast<const char*>(&word), 4);
  }
  return bytes;
}

uint32_t Bits(float value) {
  return std::bit_cast<uint32_t>(value);
}

Outputs WithTarget(spv::ImageFormat format, std::string texels) {
  Outputs outputs;
  const auto width = static_cast<uint32_t>(texels.size() / TexelSize(format) / 2);
  outputs.targets = {{3, format, width, 2, std::move(texels)}};
  return outputs;
}

Outputs WithBuffer(std::string bytes) {
  Outputs outputs;
  outputs.buffers = {{1, 2, true, std::move(bytes)}};
  return outputs;
}

constexpr CompareRule kRules[] = {CompareRule::kExact, CompareRule::kStable,
                                  CompareRule::kHistogram};

TEST(Differences, EqualOutputsHaveNone) {
  Outputs outputs = WithTarget(spv::ImageFormat::Rgba32f, Bytes({1, 2, 3, 4, 5, 6, 7, 0x7fc00000}));
  outputs.buffers = WithBuffer("seven b").buffers;
  for (const CompareRule rule : kRules) EXPECT_TRUE(Differences(outputs, outputs, rule).empty());
}

TEST(Differences, ImagesAreNotCompared) {
  EXPECT_TRUE(Differences(WithTarget(spv::ImageFormat::Rgba8, Bytes({0, 1})),
                          WithTarget(spv::ImageFormat::Rgba8, Bytes({7, 9})), CompareRule::kExact)
                  .empty());
}

TEST(Differences, ReportsTheFirstElementAndTheNumberOfElements) {
  const auto found =
      Differences(WithTarget(spv::ImageFormat::Rgba32i,
                             Bytes({0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8})),
                  WithTarget(spv::ImageFormat::Rgba32i,
                             Bytes({0, 0, 0, 0, 0, 0, 0, 0, 1, 2, ~0u, 4, 5, 6, 7, 9})),
                  CompareRule::kStable);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "target");
  EXPECT_EQ(found[0].place, "location 3");
  EXPECT_EQ(found[0].elements, 2u);
  EXPECT_EQ(found[0].element, "texel (0, 1, 0), component 2");
  EXPECT_EQ(found[0].a, "3");
  EXPECT_EQ(found[0].b, "-1");
}

TEST(Differences, FloatsMayDifferSlightlyUnlessExact) {
  const struct {
    float a, b;
    bool near;
  } rows[] = {{1, 1 + 0x1p-16f, true},    {1, 1 + 0x1p-15f, false}, {-3e30f, -3.00001e30f, true},
              {0.0f, -0.0f, true},        {0, 0x1p-127f, true},     {0, 0x1p-126f, false},
              {INFINITY, 3.4e38f, false}, {1, NAN, false},          {1, -1, false}};
  for (const auto& row : rows) {
    const auto a = WithTarget(spv::ImageFormat::Rgba32f, Bytes({Bits(row.a), 0, 0, 0, 0, 0, 0, 0}));
    const auto b = WithTarget(spv::ImageFormat::Rgba32f, Bytes({Bits(row.b), 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(Differences(a, b, CompareRule::kExact).size(), 1u) << row.a << " " << row.b;
    EXPECT_EQ(Differences(a, b, CompareRule::kStable).empty(), row.near) << row.a << " " << row.b;
    EXPECT_EQ(Differences(b, a, CompareRule::kHistogram).empty(), row.near)
        << row.a << " " << row.b;
  }
}

// uint, float, then 3 bytes of padding, a half, and a byte at the end.
TEST(Differences, OnlyTheFloatsOfABufferMayDiffer) {
  const std::vector<BufferLayout> layouts = {{1,
                                              2,
                                              {{{0, 32, LaidOutScalar::kInteger, {0}},
                                                {4, 32, LaidOutScalar::kFloat, {1}},
                                                {12, 16, LaidOutScalar::kFloat, {2}}},
                                               14,
                                               {},
                                               false}}};
  const std::string base = Bytes({7, Bits(1), 0x00ffffff, 0x00003c00}) + "x";
  const auto differs = [&](size_t at, char value, CompareRule rule) {
    std::string other = base;
    other[at] = value;
    const auto found = Differences(WithBuffer(base), WithBuffer(other), rule, layouts);
    return found.empty() ? std::string() : found[0].element + ": " + found[0].a + ", " + found[0].b;
  };
  EXPECT_EQ(differs(0, 8, CompareRule::kStable), "byte 0: 0x7, 0x8");
  EXPECT_EQ(differs(4, 1, CompareRule::kStable), "");
  EXPECT_EQ(differs(4, 1, CompareRule::kExact), "byte 4: 1.0, 1.0000001");
  EXPECT_EQ(differs(9, 1, CompareRule::kStable), "byte 8: 0xffffff, 0xff01ff");
  EXPECT_EQ(differs(12, 1, CompareRule::kStable), "");
  EXPECT_EQ(differs(12, 1, CompareRule::kExact), "byte 12: 1.0, 1.0009766");
  EXPECT_EQ(differs(14, 1, CompareRule::kStable), "byte 14: 0x0, 0x1");
  EXPECT_EQ(differs(16, 'y', CompareRule::kStable), "byte 16: 0x78, 0x79");
  std::string other = base;
  other[4] = 1;
  EXPECT_EQ(Differences(WithBuffer(base), WithBuffer(other), CompareRule::kStable).size(), 1u)
      << "without a layout, no part is a float";
}

TEST(Differences, LevelsMayDifferByOne) {
  Outputs a, b;
  BoundImage image;
  image.kind = BoundImage::kStorage;
  image.format = spv::ImageFormat::Rgba8Snorm;
  image.texels = std::string("\x7f\x80\0\xff", 4);
  a.images = {image};
  image.texels = std::string("\x7e\x81\x01\0", 4);
  b.images = {image};
  EXPECT_TRUE(Differences(a, b, CompareRule::kStable).empty());
  ASSERT_EQ(Differences(a, b, CompareRule::kExact).size(), 1u);
  EXPECT_EQ(Differences(a, b, CompareRule::kExact)[0].elements, 4u);
  b.images[0].texels[1] = '\x7f';
  const auto found = Differences(a, b, CompareRule::kStable);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].place, "set 0, binding 0");
  EXPECT_EQ(found[0].a, "-128");
  EXPECT_EQ(found[0].b, "127");
  b.images[0].format = a.images[0].format = spv::ImageFormat::Rgba8ui;
  EXPECT_EQ(Differences(a, b, CompareRule::kStable)[0].elements, 4u);
}

TEST(Differences, MissingOutputsAndOtherSizesAreDifferences) {
  const Outputs none;
  const Outputs target = WithTarget(spv::ImageFormat::Rgba32ui, std::string(32, '\0'));
  for (const CompareRule rule : kRules) {
    auto found = Differences(target, none, rule);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].elements, 0u);
    EXPECT_EQ(found[0].a, "present");
    EXPECT_EQ(found[0].b, "missing");
    found = Differences(none, WithTarget(spv::ImageFormat::Rgba8, std::string(8, '\0')), rule);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].b, "present");
    found = Differences(target, WithTarget(spv::ImageFormat::Rgba32i, std::string(32, '\0')), rule);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].a, "1x2x1 rgba32ui");
    EXPECT_EQ(found[0].b, "1x2x1 rgba32i");
    found = Differences(WithBuffer("abc"), WithBuffer("abcd"), rule);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].b, "4 bytes");
  }
}

}  // namespace
}  // namespace refract
