// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace refract {
namespace {

TEST(Suggest, DistancesCountInsertedRemovedReplacedAndSwappedLetters) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("", "run"), 3u);
  EXPECT_EQ(EditDistance("fuzz", "fizz"), 1u);
  EXPECT_EQ(EditDistance("replay", "reply"), 1u);
  EXPECT_EQ(EditDistance("reudce", "reduce"), 1u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

TEST(Suggest, ANameIsSuggestedUpToAThirdOfTheLength) {
  const std::vector<std::string_view> names = {"fuzz", "replay", "report", "reduce"};
  EXPECT_EQ(ClosestName("fizz", names), "fuzz");
  EXPECT_EQ(ClosestName("rudece", names), "reduce");
  EXPECT_EQ(ClosestName("fi", names), "");
  EXPECT_EQ(ClosestName("xyzxyz", names), "");
  EXPECT_EQ(ClosestName("", names), "");
  EXPECT_EQ(ClosestName(std::string(1000, 'r'), names), "");
  EXPECT_EQ(DidYouMean("reprot", names), "; did you mean 'report'?");
  EXPECT_EQ(DidYouMean("xyzxyz", names), "");
}

}  // namespace
}  // namespace refract
