// SPDX-License-Identifier: Apache-2.0
// The layout rules compared with two authorities: the layouts that glslang gives blocks, and what
// the validator accepts.
#include "input/layout_rules.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/text.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "ir/decorations.h"
#include "ir/edit/editor.h"
#include "ir/tools.h"
#include "ir/types.h"

namespace refract {
namespace {

constexpr std::string_view kMembers = R"(
  float a;
  vec3 b;
  mat3 c;
  float d[3];
  S s;
  layout(row_major) mat2x3 rows;
)";

Module FromGlsl(std::string_view layout) {
  const auto words = LoadModuleBytes(
      "t.frag",
      format("#version 450\nlayout(location = 0) out vec4 color;\n"
             "struct S {{ vec2 p; float q; }};\nlayout({}) uniform Block {{ {} }} block;\n"
             "void main() {{ color = vec4(block.a); }}\n",
             layout, kMembers));
  EXPECT_TRUE(words) << words.error().message;
  auto module = ReadModule(words->words, "t.frag");
  EXPECT_TRUE(module) << module.error().message;
  return module ? std::move(*module) : Module();
}

Id BlockOf(const Module& module) {
  Id block = Id::kNone;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpTypeStruct && IsBlock(module, module.Result(inst))) {
      block = module.Result(inst);
    }
  });
  return block;
}

TEST(LayoutRules, AcceptTheLayoutsOfGlslang) {
  const Module uniform = FromGlsl("std140, binding = 0");
  const auto std140 = ExtentOf(uniform, BlockOf(uniform), LayoutRules::kUniform, {});
  ASSERT_TRUE(std140);
  EXPECT_EQ(std140->size, 192u);
  EXPECT_EQ(std140->alignment, 16u);
  const Module pushed = FromGlsl("push_constant");
  const auto std430 = ExtentOf(pushed, BlockOf(pushed), LayoutRules::kPushConstant, {});
  ASSERT_TRUE(std430);
  // The rows are two floats wide and 8 bytes apart: 112 to 136.
  EXPECT_EQ(std430->size, 144u);
  // An array stride of 4 bytes is not allowed in a uniform block.
  EXPECT_FALSE(ExtentOf(pushed, BlockOf(pushed), LayoutRules::kUniform, {}));
}

TEST(LayoutRules, RefuseOverlappingAndUnalignedMembers) {
  const auto extent = [](std::vector<PlacedMember> members) {
    return ExtentOfMembers(std::move(members), LayoutRules::kUniform);
  };
  const Extent number = ExtentOfNumbers(32, 1), three = ExtentOfNumbers(32, 3);
  ASSERT_TRUE(extent({{12, number}, {0, three}}));  // a number fits after three
  EXPECT_EQ(extent({{12, number}, {0, three}})->size, 16u);
  EXPECT_FALSE(extent({{8, number}, {0, three}}));
  EXPECT_FALSE(extent({{8, three}}));
  EXPECT_FALSE(extent({{2, number}}));
  EXPECT_FALSE(extent({}));
}

// Sets one number of the layout to anything: what the rules accept, the validator accepts.
TEST(LayoutRules, AcceptNothingThatTheValidatorRefuses) {
  const Module original = FromGlsl("std140, binding = 0");
  const Id block = BlockOf(original);
  Random random(7);
  int taken = 0;
  for (int i = 0; i < 400; ++i) {
    LayoutChange change{block, static_cast<uint32_t>(random.Below(6)), spv::Decoration::Offset,
                        static_cast<uint32_t>(4 * random.Below(80))};
    Inst inst = FindMemberDecoration(original, block, change.member, change.decoration);
    uint32_t operand = 3;
    if (random.Percent(30)) {
      change.member = random.Percent(50) ? 2 : 5;
      change.decoration = spv::Decoration::MatrixStride;
      inst = FindMemberDecoration(original, block, change.member, change.decoration);
    } else if (random.Percent(30)) {
      change = {PartType(original, block, 3), 0, spv::Decoration::ArrayStride, change.value};
      inst = FindDecoration(original, change.type, change.decoration);
      operand = 2;
    }
    if (!ExtentOf(original, block, LayoutRules::kUniform, {}, &change)) continue;
    ++taken;
    Module changed = original;
    Editor(changed, 1).SetOperand(inst, operand, change.value);
    const Status valid = Validate(WriteModule(changed), DefaultEnvironment(changed.version()));
    EXPECT_TRUE(valid) << change.member << " " << change.value << ": " << valid.error().message;
    const auto extent = ExtentOf(changed, block, LayoutRules::kUniform, {});
    ASSERT_TRUE(extent);
    EXPECT_EQ(extent->size, ExtentOf(original, block, LayoutRules::kUniform, {}, &change)->size);
  }
  EXPECT_GT(taken, 30);
}

}  // namespace
}  // namespace refract
