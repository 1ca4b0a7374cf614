// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

namespace refract {
namespace {

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(Split("a,,b,", ','), (std::vector<std::string>{"a", "", "b", ""}));
  EXPECT_EQ(Split("", ','), std::vector<std::string>{""});
  EXPECT_EQ(Split("alone", ','), std::vector<std::string>{"alone"});
}

TEST(Text, TrimRemovesWhiteSpaceAtBothEndsOnly) {
  EXPECT_EQ(Trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(Trim(" \n"), "");
  EXPECT_EQ(Trim(""), "");
}

TEST(Text, ParseNumberParsesAllOrNothing) {
  uint64_t value = 0;
  EXPECT_TRUE(ParseNumber("42", &value));
  EXPECT_EQ(value, 42u);
  EXPECT_TRUE(ParseNumber("0xffffffffffffffff", &value));
  EXPECT_EQ(value, ~uint64_t{0});
  for (const char* bad : {"", "0x", "-1", "+1", " 1", "1 ", "1k", "0xg", "18446744073709551616"}) {
    EXPECT_FALSE(ParseNumber(bad, &value)) << "'" << bad << "'";
  }
}

TEST(Text, FormatWorksWithOurCopyOfFmt) {
  // Each of these needs a template that base/fmt.cpp instantiates.
  EXPECT_EQ(format("{:>4}|{:<3}|{:#x}|{}", 7, "a", 255, 0.1), "   7|a  |0xff|0.1");
  EXPECT_EQ(format("{:.3f} {} {}", 2.0 / 3, 1e300, 0.1f), "0.667 1e+300 0.1");
}

}  // namespace
}  // namespace refract
