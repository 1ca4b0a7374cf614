// SPDX-License-Identifier: Apache-2.0
#include "ir/cow_vector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ir/cow_index.h"

namespace refract {
namespace {

TEST(CowVector, ResizeFillsSeveralPagesAndCopiesKeepTheirItems) {
  CowVector<uint64_t> items;
  for (uint64_t i = 0; i < 10; ++i) items.push_back(i);
  const CowVector<uint64_t> early = items;
  items.resize(1000, 7);  // in the middle of a shared page, over several others
  items.resize(1000, 8);
  CowVector<uint64_t> late = items;
  late.Mutable(999) = 9;
  late.push_back(10);
  ASSERT_EQ(early.size(), 10u);
  ASSERT_EQ(items.size(), 1000u);
  ASSERT_EQ(late.size(), 1001u);
  for (uint64_t i = 0; i < 1000; ++i) {
    if (i < 10) {
      EXPECT_EQ(early[i], i);
    }
    EXPECT_EQ(items[i], i < 10 ? i : 7u);
    EXPECT_EQ(late[i], i < 10 ? i : i == 999 ? 9u : 7u);
  }
  EXPECT_EQ(late[1000], 10u);
}

TEST(CowIndex, FindsTheSameWithAndWithoutReserve) {
  for (const size_t reserved : {0, 1, 63, 64, 500, 5000}) {
    CowIndex index;
    index.Reserve(reserved);
    for (uint32_t i = 1; i <= 900; ++i) index.Insert(i / 3 * 64, static_cast<Inst>(i));
    index.Reserve(100000);  // has no effect: there are entries
    for (uint32_t hash = 0; hash <= 300; ++hash) {
      std::vector<uint32_t> found;
      index.Find(hash * 64, [&](Inst inst) {
        found.push_back(Index(inst));
        return false;
      });
      std::sort(found.begin(), found.end());
      std::vector<uint32_t> expected;
      for (uint32_t i = std::max(1u, hash * 3); i < hash * 3 + 3 && i <= 900; ++i) {
        expected.push_back(i);
      }
      EXPECT_EQ(found, expected) << hash;
    }
  }
}

}  // namespace
}  // namespace refract
