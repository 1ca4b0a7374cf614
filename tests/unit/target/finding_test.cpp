// SPDX-License-Identifier: Apache-2.0
// Findings from two runs that do not end alike.
#include "target/finding.h"

#include <gtest/gtest.h>

namespace refract {
namespace {

RunResult Undefined() {
  RunResult result;
  result.verdict = RunOutcome::kUndefined;
  result.target = "interp";
  result.detail = "OpBranchConditional %7: the condition or selector is undefined";
  return result;
}

TEST(FindingOf, UndefinedBehaviourMadeByAToolIsWrongOutputOfTheTool) {
  RunResult original;
  const Finding buffer =
      FindingOf("planted@interp", original, Undefined(), CompareRule::kExact, {});
  EXPECT_EQ(buffer.verdict, FailureClass::kWrongBuffer);
  EXPECT_EQ(buffer.signature, "wrong_buffer planted@interp");
  EXPECT_NE(buffer.what.find("the condition or selector"), std::string::npos) << buffer.what;
  original.outputs.targets.emplace_back();
  const Finding picture =
      FindingOf("lists:9@interp", original, Undefined(), CompareRule::kExact, {});
  EXPECT_EQ(picture.verdict, FailureClass::kWrongImage);
  EXPECT_EQ(picture.signature, "wrong_image lists@interp") << "another seed is the same bug";
}

TEST(FindingOf, UndefinedBehaviourWithoutAToolIsNotABugOfTheTarget) {
  const Finding found = FindingOf("interp", RunResult(), Undefined(), CompareRule::kExact, {});
  ASSERT_TRUE(found.verdict.has_value());
  EXPECT_EQ(*found.verdict, FailureClass::kUndefined);
  EXPECT_FALSE(IsBug(*found.verdict));
}

}  // namespace
}  // namespace refract
