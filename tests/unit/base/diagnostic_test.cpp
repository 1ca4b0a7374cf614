// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostic.h"

#include <gtest/gtest.h>

#include <string>

namespace refract {
namespace {

TEST(Diagnostic, ShowsTheLineAndACaret) {
  EXPECT_EQ(FormatDiagnostic("a.frag", "one\n\tint x = y;\r\n", 2, 10, "no y"),
            "a.frag:2:10: error: no y\n    2 | \tint x = y;\n      | \t        ^");
  EXPECT_EQ(FormatDiagnostic("a.frag", "  x\n", 1, 0, "what"),
            "a.frag:1:3: error: what\n    1 |   x\n      |   ^");
  // A two-byte character is one column wide.
  EXPECT_EQ(FormatDiagnostic("a", "\xc3\xa4 x", 1, 4, "w"),
            "a:1:4: error: w\n    1 | \xc3\xa4 x\n      |   ^");
}

TEST(Diagnostic, OmitsALineThatDoesNotExist) {
  EXPECT_EQ(FormatDiagnostic("a", "x\n", 3, 2, "w"), "a:3:2: error: w");
  EXPECT_EQ(FormatDiagnostic("a", "x\n\n", 2, 1, "w"), "a:2:1: error: w");
}

TEST(Diagnostic, CutsLongAndUnprintableLines) {
  std::string source(200001, '[');
  source[100000] = '\x1b';
  const std::string text = FormatDiagnostic("a", source, 1, 100001, "deep");
  EXPECT_LT(text.size(), 400u);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const size_t caret = text.rfind('^') - text.rfind('\n');
  const size_t line = text.find('\n');
  EXPECT_EQ(text[line + caret], '?') << text;
}

TEST(Diagnostic, AddsTheSourceToMessages) {
  const std::string source = "a\nbb\n";
  EXPECT_EQ(WithSource({"f:2:2: no"}, "f", source).message,
            "f:2:2: error: no\n    2 | bb\n      |  ^");
  EXPECT_EQ(WithSource({"f:1: no\nf: 2 errors\nf:2: so"}, "f", source).message,
            "f:1:1: error: no\n    1 | a\n      | ^\nf: 2 errors\n"
            "f:2:1: error: so\n    2 | bb\n      | ^");
  const Error once = WithSource({"f:2:2: no"}, "f", source);
  EXPECT_EQ(WithSource(once, "f", source).message, once.message);
  EXPECT_EQ(WithSource({"g:1: no"}, "f", source).message, "g:1: no");
}

TEST(Diagnostic, ParsesThePlaceAtTheStartOfAMessage) {
  EXPECT_EQ(FindDiagnostic("f:2:2: error: no"), 7u);
  EXPECT_EQ(FindDiagnostic("f: error: no"), std::string::npos);
  EXPECT_EQ(FindDiagnostic("target x: f:2:2: error: no"), std::string::npos);
  EXPECT_EQ(FindDiagnostic("no\nf:2:2: error: no"), std::string::npos);
}

}  // namespace
}  // namespace refract
