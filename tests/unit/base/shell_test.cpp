// SPDX-License-Identifier: Apache-2.0
#include "base/shell.h"

#include <gtest/gtest.h>

namespace refract {
namespace {

TEST(ShellLine, CanBeTypedAgain) {
  EXPECT_EQ(ShellLine({"refract", "fuzz", "a b.spv", "it's", "", "--seed=1"}),
            "refract fuzz 'a b.spv' 'it'\\''s' '' --seed=1");
}

}  // namespace
}  // namespace refract
