// SPDX-License-Identifier: Apache-2.0
#include "target/agreement.h"

#include <gtest/gtest.h>

namespace refract {
namespace {

using Judge = Agreement::Judge;

Outputs Drawn(char level, size_t differing_pixels = 4) {
  Outputs outputs;
  ColourTarget target;
  target.location = 0;
  target.format = spv::ImageFormat::Rgba8;
  target.width = target.height = 2;
  target.texels.assign(16, 0);
  for (size_t i = 0; i < 4 * differing_pixels; ++i) target.texels[i] = level;
  outputs.targets.push_back(std::move(target));
  return outputs;
}

// Compares targets a, b, c, ... that drew `levels`.
Agreement Compared(const std::vector<int>& levels, std::optional<size_t> exact = {},
                   CompareRule rule = CompareRule::kExact) {
  std::vector<std::string> names;
  std::vector<Outputs> outputs;
  for (size_t i = 0; i < levels.size(); ++i) {
    names.emplace_back(1, static_cast<char>('a' + i));
    outputs.push_back(Drawn(static_cast<char>(levels[i])));
  }
  std::vector<TargetOutputs> list;
  for (size_t i = 0; i < levels.size(); ++i) list.push_back({&names[i], &outputs[i]});
  return CompareTargets(list, exact, rule, {});
}

std::vector<std::vector<size_t>> GroupsOf(const Agreement& agreement) {
  std::vector<std::vector<size_t>> groups;
  for (const Agreement::Group& group : agreement.groups) groups.push_back(group.targets);
  return groups;
}

using Groups = std::vector<std::vector<size_t>>;

TEST(Agreement, TheMajorityIsRight) {
  const Agreement agreement = Compared({9, 5, 5});
  EXPECT_EQ(GroupsOf(agreement), (Groups{{1, 2}, {0}}));
  EXPECT_EQ(agreement.judge, Judge::kMajority);
  EXPECT_FALSE(agreement.same());
  EXPECT_EQ(agreement.groups[0].difference, "");
  EXPECT_EQ(agreement.groups[1].difference,
            "the images differ: 4 of 4 pixels, by at most 4 levels, largest region 4");
}

TEST(Agreement, HalfOfTheTargetsIsNoMajority) {
  const Agreement two = Compared({9, 5});
  EXPECT_EQ(GroupsOf(two), (Groups{{0}, {1}}));
  EXPECT_EQ(two.judge, Judge::kNone);
  const Agreement four = Compared({1, 2, 3, 3});
  EXPECT_EQ(GroupsOf(four), (Groups{{2, 3}, {0}, {1}}));
  EXPECT_EQ(four.judge, Judge::kNone);
}

TEST(Agreement, AnExactInterpreterIsRightAgainstAMajority) {
  const Agreement agreement = Compared({5, 5, 9}, 2);
  EXPECT_EQ(GroupsOf(agreement), (Groups{{2}, {0, 1}}));
  EXPECT_EQ(agreement.judge, Judge::kInterpreter);
  EXPECT_EQ(GroupsOf(Compared({5, 9, 9}, 2)), (Groups{{1, 2}, {0}}));
}

TEST(Agreement, EqualOutputsAreOneGroup) {
  EXPECT_TRUE(Compared({5, 5, 5}).same());
  EXPECT_TRUE(Compared({}).same());
  // One level is within the tolerance of the rule stable.
  EXPECT_TRUE(Compared({5, 6}, {}, CompareRule::kStable).same());
  EXPECT_FALSE(Compared({5, 6}).same());
}

TEST(Agreement, DifferencesOfBuffersNameTheTargets) {
  Outputs one, other;
  one.buffers.push_back({0, 3, true, std::string("\1\0\0\0", 4)});
  other.buffers.push_back({0, 3, true, std::string("\2\0\0\0", 4)});
  const std::string a = "left", b = "right";
  const Agreement agreement =
      CompareTargets({{&a, &one}, {&b, &other}}, {}, CompareRule::kExact, {});
  ASSERT_EQ(agreement.groups.size(), 2U);
  EXPECT_EQ(agreement.groups[1].difference,
            "buffer at set 0, binding 3: elements that differ: 1; the first, byte 0, is 0x2 in "
            "right and 0x1 in left");
}

}  // namespace
}  // namespace refract
