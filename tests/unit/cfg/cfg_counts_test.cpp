// SPDX-License-Identifier: Apache-2.0
// The number of structured control-flow graphs, counted and enumerated, compared with numbers found
// by checking the rules for every graph of a given number of blocks.
#include <gtest/gtest.h>

#include <set>

#include "cfg/enumerate.h"
#include "cfg/productions.h"

namespace refract::cfg {
namespace {

Grammar Wide(uint32_t width) {
  Grammar grammar;
  grammar.width = width;
  return grammar;
}

TEST(BigNumber, ComputesAndPrintsLargeNumbers) {
  BigNumber number = 1;
  for (int i = 0; i < 7; ++i) number = number * 0xffffffffffffffffu;
  number += 12345;
  const char* wanted =  // (2^64 - 1)^7 + 12345
      "726838724295606890273509764513243179912543807740651875372174756993635689004811378551395163"
      "534033622281938780938915185259102140027121720";
  EXPECT_EQ(number.ToDecimal(), wanted);
  EXPECT_EQ(number.bits(), 448u);
  EXPECT_EQ(number.ShiftedDown(384), 0xfffffffffffffff9u);
  EXPECT_EQ(number.ShiftedDown(447), 1u);
  EXPECT_EQ((number * 0).ToDecimal(), "0");
}

TEST(CfgCounts, TotalsMatchKnownCounts) {
  const std::vector<std::vector<uint64_t>> wanted = {
      {1, 2, 16, 178, 2312, 33408, 533114, 9435022, 186390072, 4120615536},
      {1, 3, 30, 396, 6035, 101500, 1856262, 36792684, 793587587, 18808275228},
      {1, 4, 54, 918, 17488, 360286, 7901192, 183315830, 4510745210, 119156852924},
      {1, 5, 88, 1894, 44605, 1121070, 29635914, 817875997}};
  for (uint32_t width = 1; width <= 4; ++width) {
    const Productions productions(Wide(width), 10);
    for (uint32_t i = 0; i < wanted[width - 1].size(); ++i) {
      EXPECT_EQ(productions.Total(i + 1).ToDecimal(), std::to_string(wanted[width - 1][i]))
          << i + 1 << " blocks, width " << width;
    }
  }
  Grammar equal = Wide(3);
  equal.equal_labels = true;
  const Productions productions(equal, 8);
  const uint64_t with_equal[] = {1, 6, 96, 2013, 47733, 1226694, 33518154, 964303386};
  for (uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(productions.Total(i + 1).ToDecimal(), std::to_string(with_equal[i]));
  }
}

// These are known to four digits.
TEST(CfgCounts, LargeCountsMatchKnownDigits) {
  const Productions productions(Wide(3), 64);
  const std::pair<uint32_t, double> wanted[] = {
      {11, 3.454e12}, {12, 1.128e14}, {13, 4.219e15}, {14, 1.795e17}};
  for (const auto& [blocks, number] : wanted) {
    const double total = std::stod(productions.Total(blocks).ToDecimal());
    EXPECT_NEAR(total / number, 1, 0.0004) << blocks;
  }
  EXPECT_EQ(productions.Total(64).bits(), 353u);
}

// The enumeration gives as many graphs as the count, and no two derivations give the same graph.
TEST(CfgCounts, EnumerationMatchesTheCount) {
  Grammar shallow = Wide(3);
  shallow.depth = 1;
  Grammar various = Wide(3);
  various.distinct_labels = various.long_continue = various.one_outermost = true;
  Grammar equal = Wide(2);
  equal.equal_labels = true;
  for (const Grammar& grammar : {Wide(1), Wide(3), Wide(5), shallow, various, equal}) {
    const Productions productions(grammar, 5);
    for (uint32_t blocks = 1; blocks <= 5; ++blocks) {
      std::set<std::string> seen;
      Enumerator all(productions, blocks);
      uint64_t count = 0;
      for (Tree tree; all.Next(&tree); ++count) {
        ASSERT_EQ(tree.size(), blocks);
        seen.insert(GraphText(Canonical(MakeGraph(tree))));
      }
      EXPECT_EQ(productions.Total(blocks).ToDecimal(), std::to_string(count));
      EXPECT_EQ(seen.size(), count);
    }
  }
}

}  // namespace
}  // namespace refract::cfg
