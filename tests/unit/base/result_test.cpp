// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/check.h"

namespace refract {
namespace {

Result<int> Half(int number) {
  if (number % 2 != 0) return Error{"odd", ErrorKind::kUsage};
  return number / 2;
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = Half(8);
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 4);
  const Result<int> bad = Half(7);
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().message, "odd");
  EXPECT_EQ(bad.error().kind, ErrorKind::kUsage);
}

TEST(Result, AnErrorIsBadInputByDefault) {
  EXPECT_EQ(Result<int>(Error{"file:1: no"}).error().kind, ErrorKind::kBadInput);
}

TEST(Result, MovesValuesThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  ASSERT_TRUE(result);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 3);
}

TEST(Result, AnErrorTypeAsValueIsNotAnError) {
  Result<std::string> result = std::string("text");
  result->append("!");
  EXPECT_EQ(result.value(), "text!");
}

TEST(Result, StatusIsGoodByDefault) {
  EXPECT_TRUE(Status());
  const Status bad = Error{"no"};
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "no");
}

TEST(CheckDeathTest, PrintsTheConditionThePlaceAndTheNotesOutermostFirst) {
  const CheckNote outer("seed 7");
  CheckNote inner("step 1");
  inner.Set("step 2");
  EXPECT_DEATH(CHECK(1 + 1 == 3),
               "CHECK\\(1 \\+ 1 == 3\\) failed at .*result_test.cpp.*seed 7.*\n.*step 2");
}

TEST(CheckDeathTest, NotesEndWithTheirScope) {
  { const CheckNote note("gone"); }
  EXPECT_EXIT({ CheckFailed("condition", "file.cpp", 12); }, testing::KilledBySignal(SIGABRT),
              "failed at file.cpp:12\n$");
}

}  // namespace
}  // namespace refract
