// SPDX-License-Identifier: Apache-2.0
// What an original may take, its variant may take, too.
#include <gtest/gtest.h>

#include "target/patience.h"

namespace refract {
namespace {

TEST(PairLimit, IsTheSameForOriginalAndVariant) {
  EXPECT_EQ(PairLimit(10, 0), 200);    // the original
  EXPECT_EQ(PairLimit(10, 0.01), 10);  // the variant of a fast one
  EXPECT_EQ(PairLimit(10, 3), 60);
  EXPECT_EQ(PairLimit(10, 10.5), 200);  // of one that needs more than a single module gets
  EXPECT_EQ(PairLimit(10, 150), 200);
  EXPECT_EQ(PairLimit(2, 1.5), 30);
}

}  // namespace
}  // namespace refract
