// SPDX-License-Identifier: Apache-2.0
// Recordings and permanent names depend on these numbers: the values below must never change. They
// were computed from the published algorithms, independently of our code.
#include "base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "base/name.h"

namespace refract {
namespace {

TEST(Random, MixNeverChanges) {
  EXPECT_EQ(Mix(0, uint64_t{0}), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(Mix(0, uint64_t{1}), 0xbeeb8da1658eec67u);
  EXPECT_EQ(Mix(1, uint64_t{0}), 0xe99ff867dbf682c9u);
  EXPECT_EQ(Mix(0x0123456789abcdefu, ~uint64_t{0}), 0x61228819c2255be5u);
  static_assert(Mix(1, uint64_t{2}) != Mix(2, uint64_t{1}), "order matters");
}

TEST(Random, NextNeverChanges) {
  const std::array<uint64_t, 4> zero = {0xb3f2af6d0fc710c5u, 0x870bd1c364d7df46u,
                                        0xeb2f3cc2b0f90070u, 0x9c85b7652476c262u};
  const std::array<uint64_t, 4> large = {0x2757c6a2aa3782a7u, 0xc18ca39da94fa82bu,
                                         0xe482ff37bc6aaf9cu, 0x5ff68e52d1d35b3eu};
  Random from_zero(0);
  Random from_large(0xfedcba9876543210u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(from_zero.Next(), zero[i]) << i;
    EXPECT_EQ(from_large.Next(), large[i]) << i;
  }
}

TEST(Random, BelowNeverChanges) {
  Random random(42);
  std::vector<uint64_t> drawn;
  for (uint64_t bound : {1u, 2u, 6u, 10u, 100u, 1000u, 1000000u, 3000000000u}) {
    drawn.push_back(random.Below(bound));
  }
  EXPECT_EQ(drawn, (std::vector<uint64_t>{0, 1, 5, 3, 18, 791, 77357, 265731962}));
}

TEST(Random, BelowIsUniformAndStaysBelow) {
  Random random(7);
  std::array<int, 6> count = {};
  for (int i = 0; i < 60000; ++i) {
    const uint64_t draw = random.Below(6);
    ASSERT_LT(draw, 6u);
    ++count[draw];
  }
  // 10000 expected; the seed is fixed, and five standard deviations are 456.
  for (const int n : count) EXPECT_NEAR(n, 10000, 456);
}

TEST(Random, BelowRejectsTheIncompleteInterval) {
  // Without rejection, half of all draws below 3 * 2^62 would be in the first third.
  Random random(7);
  const uint64_t bound = uint64_t{3} << 62;
  int first_third = 0;
  for (int i = 0; i < 9000; ++i) first_third += random.Below(bound) < bound / 3 ? 1 : 0;
  EXPECT_NEAR(first_third, 3000, 224);
}

TEST(Random, BetweenIncludesBothEnds) {
  Random random(3);
  bool low = false;
  bool high = false;
  for (int i = 0; i < 200; ++i) {
    const uint64_t draw = random.Between(5, 8);
    ASSERT_TRUE(draw >= 5 && draw <= 8) << draw;
    low |= draw == 5;
    high |= draw == 8;
  }
  EXPECT_TRUE(low && high);
  EXPECT_EQ(random.Between(9, 9), 9u);
}

TEST(Random, PercentNeverHitsAtZeroAndAlwaysAtHundred) {
  Random random(3);
  int half = 0;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(random.Percent(0));
    EXPECT_TRUE(random.Percent(100));
    half += random.Percent(50) ? 1 : 0;
  }
  EXPECT_NEAR(half, 500, 79);
}

TEST(Random, SplitIsIndependentOfTheParent) {
  Random one(5);
  Random two(5);
  Random part_of_one = one.Split();
  Random part_of_two = two.Split();
  // However much one part draws, the other draws the same.
  for (int i = 0; i < 10; ++i) part_of_one.Next();
  EXPECT_EQ(one.Next(), two.Next());
  EXPECT_NE(part_of_two.Next(), two.Next());
}

TEST(RandomDeathTest, BelowZeroFailsACheck) {
  EXPECT_DEATH(Random(0).Below(0), "CHECK\\(bound > 0\\)");
}

TEST(Random, SeedsAreShortEnoughToType) {
  // 32 bits each; it is practically impossible that all sixteen are equal.
  const uint64_t first = DrawSeed();
  bool differ = false;
  for (int i = 0; i < 16; ++i) {
    const uint64_t seed = DrawSeed();
    EXPECT_LE(seed, 0xffffffffu);
    differ |= seed != first;
  }
  EXPECT_TRUE(differ);
}

TEST(Name, OrderIsByStepThenLocal) {
  EXPECT_LT((Name{0, 7}), (Name{1, 2}));
  EXPECT_LT((Name{1, 2}), (Name{1, 3}));
  EXPECT_FALSE((Name{0, 0}));
  EXPECT_TRUE((Name{0, 1}));
}

TEST(Name, RoleNameNeverChanges) {
  EXPECT_EQ(LocalPart(3, Name{2, 9}, uint64_t{4}), 0xbe402f45bc3869a9u);
  EXPECT_NE(LocalPart(3, Name{2, 9}), LocalPart(4, Name{2, 9}));
}

// A step makes things in several roles for names of several steps.
TEST(Name, RolesOfDifferentNamesGiveDifferentNames) {
  std::set<uint64_t> seen;
  for (uint64_t role = 1; role <= 8; ++role) {
    for (uint32_t step = 0; step < 2000; ++step) {
      EXPECT_TRUE(seen.insert(LocalPart(role, Name{step, 5})).second) << role << ", " << step;
    }
  }
}

}  // namespace
}  // namespace refract
