// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>

namespace refract {
namespace {

TEST(Hash, NeverChanges) {
  EXPECT_EQ(ContentHash(""), "e99ff867dbf682c9bfc846100bfc1e42");
  EXPECT_EQ(ContentHash("The same on every machine"), "382cf553347eb06fc631dab7ea1d37ea");
}

TEST(Hash, DistinguishesLengthsAndEveryBit) {
  std::set<std::string> seen;
  const std::string zeros(40, '\0');
  for (size_t size = 0; size <= zeros.size(); ++size) {
    EXPECT_TRUE(seen.insert(ContentHash(zeros.substr(0, size))).second) << size;
  }
  for (size_t bit = 0; bit < zeros.size() * 8; ++bit) {
    std::string bytes = zeros;
    bytes[bit / 8] = static_cast<char>(1 << (bit % 8));
    EXPECT_TRUE(seen.insert(ContentHash(bytes)).second) << bit;
  }
}

}  // namespace
}  // namespace refract
