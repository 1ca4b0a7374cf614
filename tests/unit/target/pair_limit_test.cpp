// SPDX-License-Identifier: Apache-2.0
// A variant has at least the time limit that its original needed.
#include <gtest/gtest.h>

#include "target/time_limits.h"

namespace refract {
namespace {

TEST(PairLimit, GivesAVariantEnoughTime) {
  EXPECT_EQ(PairLimit(10, 0), 200);    // the original
  EXPECT_EQ(PairLimit(10, 0.01), 10);  // the variant of a fast original
  EXPECT_EQ(PairLimit(10, 3), 60);
  EXPECT_EQ(PairLimit(10, 10.5), 200);  // the variant of a very slow original
  EXPECT_EQ(PairLimit(10, 150), 200);
  EXPECT_EQ(PairLimit(2, 1.5), 30);
}

}  // namespace
}  // namespace refract
