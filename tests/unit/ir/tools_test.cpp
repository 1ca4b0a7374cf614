// SPDX-License-Identifier: Apache-2.0
#include "ir/tools.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "base/random.h"
#include "base/text.h"
#include "ir/word_diff.h"

namespace refract {
namespace {

constexpr std::string_view kModule = R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %4 "main" %9
OpExecutionMode %4 OriginUpperLeft
OpDecorate %9 Location 0
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%6 = OpTypeFloat 32
%7 = OpTypeVector %6 4
%8 = OpTypePointer Output %7
%9 = OpVariable %8 Output
%10 = OpConstant %6 0.5
%20 = OpConstant %6 2
%4 = OpFunction %2 None %3
%5 = OpLabel
%11 = OpFAdd %6 %10 %20
%12 = OpCompositeConstruct %7 %11 %11 %11 %10
OpStore %9 %12
OpReturn
OpFunctionEnd
)";

std::vector<uint32_t> MustAssemble(std::string_view text,
                                   TargetEnvironment environment = TargetEnvironment::kVulkan10) {
  auto words = Assemble(text, environment);
  EXPECT_TRUE(words) << words.error().message;
  return words ? *words : std::vector<uint32_t>();
}

TEST(Tools, AssemblyKeepsNumericIdsAndRoundTrips) {
  const auto words = MustAssemble(kModule);
  ASSERT_GT(words.size(), 5u);
  EXPECT_EQ(words[1], VersionWord(1, 0));
  EXPECT_EQ(words[3], 21u);  // the bound: one above the highest id
  const auto text = Disassemble(words);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, kModule);
}

TEST(Tools, DisassemblyFollowsItsOptions) {
  const auto words = MustAssemble(kModule, TargetEnvironment::kVulkan11);
  const auto text = Disassemble(words, {.friendly_names = true, .indent = true, .header = true});
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("%v4float = OpTypeVector %float 4"), std::string::npos);
  EXPECT_EQ(VersionInComment(*text), VersionWord(1, 3));
  EXPECT_EQ(VersionInComment(kModule), std::nullopt);
  EXPECT_EQ(VersionInComment("; Version: 1.x\n"), std::nullopt);
  EXPECT_EQ(VersionInComment("; first\n; Version: 1.6"), VersionWord(1, 6));
}

TEST(Tools, AssemblerErrorsNameLineAndColumn) {
  const auto words = Assemble("OpCapability Shader\nOpNonsense %1\n", TargetEnvironment::kVulkan10);
  ASSERT_FALSE(words);
  EXPECT_TRUE(words.error().message.starts_with("2:")) << words.error().message;
  EXPECT_NE(words.error().message.find("OpNonsense"), std::string::npos);
}

TEST(Tools, DisassemblerErrorsNameTheWord) {
  auto words = MustAssemble(kModule);
  words.resize(words.size() - 3);  // ends in the middle of an instruction
  const auto text = Disassemble(words);
  ASSERT_FALSE(text);
  EXPECT_TRUE(text.error().message.starts_with("word ")) << text.error().message;
  EXPECT_FALSE(Disassemble({}));
}

TEST(Tools, TheValidatorNamesTheInstruction) {
  const auto good = MustAssemble(kModule);
  EXPECT_TRUE(Validate(good, TargetEnvironment::kVulkan10));
  std::string text(kModule);
  text.replace(text.find("OpFAdd"), 6, "OpIAdd");
  const auto bad = MustAssemble(text);
  const auto invalid = FindInvalid(bad, TargetEnvironment::kVulkan10);
  ASSERT_TRUE(invalid);
  EXPECT_EQ(invalid->instruction, 16u) << invalid->message;
  EXPECT_NE(invalid->message.find("IAdd"), std::string::npos);
  const Status status = Validate(bad, TargetEnvironment::kVulkan10);
  ASSERT_FALSE(status);
  EXPECT_TRUE(status.error().message.starts_with("instruction 16: ")) << status.error().message;
}

TEST(Tools, ValidationDependsOnTheEnvironment) {
  // Kernels are SPIR-V but not Vulkan.
  const auto kernel = MustAssemble(
      "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\n"
      "OpMemoryModel Physical64 OpenCL\n",
      TargetEnvironment::kUniversal13);
  EXPECT_TRUE(Validate(kernel, TargetEnvironment::kUniversal13));
  EXPECT_FALSE(Validate(kernel, TargetEnvironment::kVulkan11));
  // Too new for Vulkan 1.0.
  EXPECT_FALSE(Validate(kernel, TargetEnvironment::kUniversal10));
}

TEST(Tools, LayoutOptionsReachTheValidator) {
  const auto words = MustAssemble(R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %4 "main"
OpExecutionMode %4 LocalSize 1 1 1
OpDecorate %8 Block
OpMemberDecorate %8 0 Offset 0
OpMemberDecorate %8 1 Offset 4
OpDecorate %10 DescriptorSet 0
OpDecorate %10 Binding 0
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%6 = OpTypeFloat 32
%7 = OpTypeVector %6 4
%8 = OpTypeStruct %6 %7
%9 = OpTypePointer Uniform %8
%10 = OpVariable %9 Uniform
%4 = OpFunction %2 None %3
%5 = OpLabel
OpReturn
OpFunctionEnd
)");
  const auto valid_with = [&](std::string_view name) {
    ValidationOptions options;
    EXPECT_TRUE(SetValidationOption(name, &options));
    EXPECT_EQ(NamesOf(options), std::vector<std::string>{std::string(name)});
    return static_cast<bool>(Validate(words, TargetEnvironment::kVulkan10, options));
  };
  EXPECT_FALSE(Validate(words, TargetEnvironment::kVulkan10));
  EXPECT_TRUE(valid_with("scalar-block-layout"));
  EXPECT_TRUE(valid_with("skip-block-layout"));
  EXPECT_FALSE(valid_with("uniform-buffer-standard-layout"));
  ValidationOptions options;
  const Status status = SetValidationOption("no-such-layout", &options);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(options, ValidationOptions());
}

TEST(Tools, EnvironmentsAreFoundByVersionAndName) {
  EXPECT_EQ(NameOf(DefaultEnvironment(VersionWord(1, 0))), "vulkan1.0");
  for (uint32_t minor = 1; minor <= 3; ++minor) {
    EXPECT_EQ(NameOf(DefaultEnvironment(VersionWord(1, minor))), "vulkan1.1");
  }
  EXPECT_EQ(NameOf(DefaultEnvironment(VersionWord(1, 4))), "vulkan1.1spv1.4");
  EXPECT_EQ(NameOf(DefaultEnvironment(VersionWord(1, 5))), "vulkan1.2");
  EXPECT_EQ(NameOf(DefaultEnvironment(VersionWord(1, 6))), "vulkan1.3");
  EXPECT_EQ(NameOf(DefaultEnvironment(VersionWord(1, 7))), "vulkan1.3");
  for (uint32_t minor = 0; minor <= 6; ++minor) {
    const TargetEnvironment universal = UniversalEnvironment(VersionWord(1, minor));
    EXPECT_EQ(NameOf(universal), format("spv1.{}", minor));
    EXPECT_EQ(HighestVersion(universal), VersionWord(1, minor));
    EXPECT_FALSE(IsVulkan(universal));
  }
  for (int i = 0; i <= static_cast<int>(TargetEnvironment::kVulkan13); ++i) {
    const auto environment = static_cast<TargetEnvironment>(i);
    const auto parsed = ParseTargetEnvironment(NameOf(environment));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(*parsed, environment);
  }
  EXPECT_FALSE(ParseTargetEnvironment("vulkan9"));
}

TEST(Tools, OptimizerFoldsAndRefusesUnknownFlags) {
  const auto words = MustAssemble(kModule);
  const auto optimized = Optimize(words, {"-O"}, TargetEnvironment::kVulkan10);
  ASSERT_TRUE(optimized) << optimized.error().message;
  const auto text = Disassemble(*optimized);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find("OpFAdd"), std::string::npos) << *text;
  EXPECT_TRUE(Optimize(words, {"-Os", "--strip-debug"}, TargetEnvironment::kVulkan10));
  const auto refused = Optimize(words, {"--make-it-better"}, TargetEnvironment::kVulkan10);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
}

TEST(DisassemblyDiff, CountsAndShowsWhatChanged) {
  const auto a = MustAssemble(kModule);
  std::string text(kModule);
  const std::string_view add = "%11 = OpFAdd %6 %10 %20\n";
  text.replace(text.find(add), add.size(), "%11 = OpFAdd %6 %20 %10\n%13 = OpFNegate %6 %11\n");
  const auto diff = DisassemblyDiff(a, MustAssemble(text), 1);
  ASSERT_TRUE(diff);
  EXPECT_EQ(diff->added, 2u);
  EXPECT_EQ(diff->removed, 1u);
  EXPECT_EQ(diff->text, R"(@@ -15,3 +15,4 @@
 %5 = OpLabel
-%11 = OpFAdd %6 %10 %20
+%11 = OpFAdd %6 %20 %10
+%13 = OpFNegate %6 %11
 %12 = OpCompositeConstruct %7 %11 %11 %11 %10
)");
  const auto same = DisassemblyDiff(a, a);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->text, "");
  EXPECT_EQ(same->added + same->removed, 0u);
}

/// A module of one line per number: OpString %k "n".
std::vector<uint32_t> Strings(const std::vector<uint32_t>& numbers) {
  std::vector<uint32_t> words = {spv::MagicNumber, VersionWord(1, 0), 0, 0x3fffff, 0};
  for (const uint32_t n : numbers) {
    words.insert(words.end(), {3u << 16 | static_cast<uint32_t>(spv::Op::OpSourceExtension),
                               'a' | ('0' + n % 10) << 8 | ('0' + n / 10 % 10) << 16 |
                                   ('0' + n / 100 % 10) << 24,
                               n / 1000});
  }
  return words;
}

/// The length of a longest common subsequence, the slow way.
size_t LongestCommon(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  std::vector<size_t> row(b.size() + 1);
  for (const uint32_t x : a) {
    size_t diagonal = 0;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t above = row[j + 1];
      row[j + 1] = x == b[j] ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  return row[b.size()];
}

TEST(DisassemblyDiff, IsShortestOnRandomInput) {
  Random random(17);
  for (int round = 0; round < 300; ++round) {
    std::vector<uint32_t> a(random.Below(30)), b(random.Below(30));
    const uint64_t alphabet = 1 + random.Below(8);
    for (uint32_t& x : a) x = static_cast<uint32_t>(random.Below(alphabet));
    for (uint32_t& x : b) x = static_cast<uint32_t>(random.Below(alphabet));
    const auto diff = DisassemblyDiff(Strings(a), Strings(b));
    ASSERT_TRUE(diff) << diff.error().message;
    const size_t common = LongestCommon(a, b);
    EXPECT_EQ(diff->removed, a.size() - common) << "round " << round;
    EXPECT_EQ(diff->added, b.size() - common) << "round " << round;
    const WordDiff words = DiffWords(Strings(a), Strings(b));
    EXPECT_EQ(words.removed, diff->removed) << "round " << round;
    EXPECT_EQ(words.added, diff->added) << "round " << round;
  }
}

}  // namespace
}  // namespace refract
