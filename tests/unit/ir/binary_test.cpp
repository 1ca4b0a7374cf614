// SPDX-License-Identifier: Apache-2.0
// What is read is written again word by word, whatever the ids of the file are.
#include "ir/binary.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/tools.h"
#include "ir/validity/consistency.h"

namespace refract {
namespace {

std::vector<uint32_t> WordsOf(std::string_view text) {
  return Assemble(text, TargetEnvironment::kUniversal13).value();
}

void ExpectReadsBack(const std::vector<uint32_t>& words) {
  const Result<Module> module = ReadModule(words, "module");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(WriteModule(*module), words);
  const Status status = CheckConsistency(*module);
  EXPECT_TRUE(status) << status.error().message;
}

// The number of words divides the ids into those in a vector and those in a map.
TEST(Binary, IdsMayBeMuchLargerThanTheNumberOfWords) {
  const std::string head =
      "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n";
  const auto words = WordsOf(head +
                             "%3 = OpTypeInt 32 0\n%4000000 = OpConstant %3 1\n"
                             "%1 = OpTypeVector %3 2\n%3999999 = OpTypeVector %3 3\n"
                             "%31 = OpConstantComposite %3999999 %4000000 %4000000 %4000000\n");
  ExpectReadsBack(words);
  const Module module = ReadModule(words, "module").value();
  const Id one = module.FindId({0, 4000000});
  ASSERT_NE(one, Id::kNone);
  EXPECT_EQ(module.FileId(one), 4000000u);
  const Inst composite = module.Find({0, 31});
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(module.IdAt(composite, i), one);
  // Each id around the border.
  const auto count = static_cast<uint32_t>(words.size());
  std::string text = head + "%1 = OpTypeInt 32 0\n";
  for (uint32_t id = count - 20; id < count + 60; ++id) {
    text += "%" + std::to_string(id) + " = OpConstant %1 " + std::to_string(id) + "\n";
  }
  ExpectReadsBack(WordsOf(text));
}

TEST(Binary, DebugLinesWaitForTheirBlocksAndFunctions) {
  ExpectReadsBack(
      WordsOf("OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n"
              "%1 = OpString \"a\"\n%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n"
              "OpLine %1 1 1\nOpLine %1 2 2\n%4 = OpFunction %2 None %3\n"
              "OpLine %1 3 3\n%5 = OpLabel\nOpLine %1 4 4\nOpBranch %6\n"
              "OpNoLine\nOpLine %1 5 5\n%6 = OpLabel\nOpReturn\nOpLine %1 6 6\nOpFunctionEnd\n"));
}

}  // namespace
}  // namespace refract
