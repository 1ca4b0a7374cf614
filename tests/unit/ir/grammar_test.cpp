// SPDX-License-Identifier: Apache-2.0
#include "ir/grammar/grammar.h"

#include <gtest/gtest.h>

#include <vector>

#include "ir/tools.h"

namespace refract {
namespace {

TEST(Grammar, RowsAreSortedAndFound) {
  const auto rows = AllOpcodes();
  ASSERT_GT(rows.size(), 600u);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(rows[i - 1].op, rows[i].op);
    }
    EXPECT_EQ(GrammarOf(rows[i].op), &rows[i]);
    EXPECT_EQ(OpcodeByName(rows[i].name), rows[i].op);
  }
  EXPECT_EQ(GrammarOf(static_cast<spv::Op>(9)), nullptr);  // between OpLine and OpExtension
  EXPECT_EQ(GrammarOf(static_cast<spv::Op>(0xffff)), nullptr);
  EXPECT_EQ(NameOf(static_cast<spv::Op>(0xffff)), "Op#65535");
  EXPECT_EQ(OpcodeByName("OpNonsense"), std::nullopt);
}

TEST(Grammar, MatchesTheSpecification) {
  const OpcodeGrammar& add = *GrammarOf(spv::Op::OpIAdd);
  EXPECT_EQ(add.name, "OpIAdd");
  EXPECT_TRUE(add.has_type && add.has_result);
  EXPECT_EQ(add.version, 0x10000u);
  ASSERT_EQ(add.operands.size(), 4u);
  EXPECT_EQ(add.operands[3].cls, OperandClass::kId);
  EXPECT_TRUE(add.capabilities.empty());

  const OpcodeGrammar& store = *GrammarOf(spv::Op::OpStore);
  EXPECT_FALSE(store.has_type || store.has_result);
  EXPECT_EQ(store.operands[2].quantifier, Quantifier::kOptional);

  EXPECT_EQ(GrammarOf(spv::Op::OpPhi)->repeated, 2);
  EXPECT_EQ(GrammarOf(spv::Op::OpCompositeExtract)->repeated, 1);
  EXPECT_EQ(GrammarOf(spv::Op::OpLoad)->repeated, 0);

  const OpcodeGrammar& elect = *GrammarOf(spv::Op::OpGroupNonUniformElect);
  EXPECT_EQ(elect.version, 0x10300u);
  ASSERT_EQ(elect.capabilities.size(), 1u);
  EXPECT_EQ(elect.capabilities[0], spv::Capability::GroupNonUniform);
  EXPECT_EQ(GrammarOf(spv::Op::OpTraceRayKHR)->version, kNoVersion);
}

TEST(Grammar, AliasesShareARow) {
  EXPECT_EQ(NameOf(spv::Op::OpSDotKHR), "OpSDot");
  EXPECT_EQ(OpcodeByName("OpSDotKHR"), spv::Op::OpSDot);
  EXPECT_EQ(OpcodeByName("OpReportIntersectionNV"), spv::Op::OpReportIntersectionKHR);
  EXPECT_EQ(NameOf(spv::Op::OpReportIntersectionNV), "OpReportIntersectionKHR");
}

TEST(Grammar, NamesEnumerants) {
  const EnumGrammar* decoration = FindEnum("Decoration");
  ASSERT_NE(decoration, nullptr);
  EXPECT_FALSE(decoration->is_mask);
  const auto location = static_cast<uint32_t>(spv::Decoration::Location);
  EXPECT_EQ(EnumText(*decoration, location), "Location");
  ASSERT_NE(FindEnumerant(*decoration, location), nullptr);
  EXPECT_EQ(FindEnumerant(*decoration, location)->parameters.size(), 1u);
  EXPECT_EQ(EnumText(*decoration, 12345), "12345");
  const EnumGrammar* access = FindEnum("MemoryAccess");
  ASSERT_NE(access, nullptr);
  EXPECT_TRUE(access->is_mask);
  EXPECT_EQ(EnumText(*access, 0), "None");
  EXPECT_EQ(EnumText(*access, 3), "Volatile|Aligned");
  EXPECT_EQ(EnumText(*access, 0x40000001), "Volatile|0x40000000");
  EXPECT_EQ(FindEnum("Nonsense"), nullptr);
  // If a value has two names, the one without a vendor's suffix comes first.
  const EnumGrammar* capability = FindEnum("Capability");
  EXPECT_EQ(EnumText(*capability, static_cast<uint32_t>(spv::Capability::DotProductKHR)),
            "DotProduct");
}

TEST(Grammar, KnowsGlslInstructions) {
  EXPECT_EQ(AllGlsl().size(), 81u);
  ASSERT_NE(GlslGrammarOf(43), nullptr);
  EXPECT_EQ(GlslGrammarOf(43)->name, "FClamp");
  EXPECT_EQ(GlslGrammarOf(43)->operand_count, 3u);
  EXPECT_EQ(GlslByName("FClamp"), 43u);
  EXPECT_EQ(GlslGrammarOf(0), nullptr);
  EXPECT_EQ(GlslGrammarOf(82), nullptr);
  EXPECT_EQ(GlslByName("Nonsense"), std::nullopt);
}

/// One letter per word: i id, s scope, m memory semantics, l literal, n number, t string, e enum, k
/// mask, x instruction number, o opcode; capitals are parameters of an enumerant.
std::string Letters(spv::Op op, std::vector<uint32_t> words, uint32_t switch_words = 1) {
  std::string letters;
  OperandWalker walk(op, words, switch_words);
  OperandWord word;
  while (walk.Next(&word)) {
    const char letter = "??ismlntxoek"[static_cast<int>(word.cls)];
    letters += word.is_parameter ? static_cast<char>(letter - 'a' + 'A') : letter;
  }
  if (!walk.well_formed()) letters += '!';
  return letters;
}

TEST(OperandWalker, ReadsPlainOptionalAndRepeatedOperands) {
  using spv::Op;
  EXPECT_EQ(Letters(Op::OpIAdd, {1, 2}), "ii");
  EXPECT_EQ(Letters(Op::OpIAdd, {1}), "i!");
  EXPECT_EQ(Letters(Op::OpIAdd, {1, 2, 3}), "iil!");
  EXPECT_EQ(Letters(Op::OpCompositeExtract, {1, 0, 2, 3}), "illl");
  EXPECT_EQ(Letters(Op::OpPhi, {1, 2, 3, 4}), "iiii");
  EXPECT_EQ(Letters(Op::OpPhi, {1, 2, 3}), "iii!");
  EXPECT_EQ(Letters(Op::OpReturn, {}), "");
  EXPECT_EQ(Letters(static_cast<Op>(0xfff0), {1, 2}), "ll!");
}

TEST(OperandWalker, ReadsStrings) {
  using spv::Op;
  EXPECT_EQ(Letters(Op::OpName, {4, 0x6e69616d, 0}), "itt");
  EXPECT_EQ(Letters(Op::OpName, {4, 0x6e69616d}), "it!");
  EXPECT_EQ(Letters(Op::OpEntryPoint, {4, 4, 0x6e69616d, 0, 8, 9}), "eittii");
  EXPECT_EQ(Letters(Op::OpSource, {2, 450}), "el");
  EXPECT_EQ(Letters(Op::OpSource, {2, 450, 7, 0}), "elit");
}

TEST(OperandWalker, ReadsParametersOfEnumerants) {
  using spv::Op;
  EXPECT_EQ(Letters(Op::OpLoad, {1, 2, 16}), "ikL");            // Aligned 16
  EXPECT_EQ(Letters(Op::OpLoad, {1, 2}), "ik!");                // the alignment is missing
  EXPECT_EQ(Letters(Op::OpLoad, {1, 2 | 0x10, 4, 9}), "ikLS");  // Aligned and MakePointerVisible
  EXPECT_EQ(Letters(Op::OpCopyMemory, {1, 2, 2, 4, 1}), "iikLk");
  // Bias, Grad, ConstOffset
  EXPECT_EQ(Letters(Op::OpImageSampleImplicitLod, {1, 2, 1 | 4 | 8, 5, 6, 7, 8}), "iikIIII");
  EXPECT_EQ(Letters(Op::OpDecorate, {1, 30, 0}), "ieL");  // Location 0
  EXPECT_EQ(Letters(Op::OpDecorate, {1, 18}), "ie");      // Invariant
  // LinkageAttributes "main" Export
  EXPECT_EQ(Letters(Op::OpDecorate, {1, 41, 0x6e69616d, 0, 0}), "ieTTE");
  EXPECT_EQ(Letters(Op::OpExecutionMode, {1, 17, 8, 8, 1}), "ieLLL");  // LocalSize
}

TEST(OperandWalker, NumbersHaveTheWidthOfTheirType) {
  using spv::Op;
  EXPECT_EQ(Letters(Op::OpConstant, {7}), "n");
  EXPECT_EQ(Letters(Op::OpConstant, {7, 0}), "nn");
  EXPECT_EQ(Letters(Op::OpSwitch, {1, 2, 7, 3, 8, 4}), "iilili");
  EXPECT_EQ(Letters(Op::OpSwitch, {1, 2, 7, 0, 3}, 2), "iilli");
  EXPECT_EQ(Letters(Op::OpSpecConstantOp, {static_cast<uint32_t>(Op::OpIAdd), 1, 2}), "oii");
  EXPECT_EQ(Letters(Op::OpSpecConstantOp, {static_cast<uint32_t>(Op::OpCompositeExtract), 1, 2}),
            "oil");
}

TEST(OperandWalker, PositionsOfPairsRepeat) {
  const uint32_t words[] = {1, 2, 7, 3, 8, 4};
  OperandWalker walk(spv::Op::OpSwitch, words);
  std::vector<int> positions;
  for (OperandWord word; walk.Next(&word);) positions.push_back(word.position);
  EXPECT_EQ(positions, (std::vector<int>{0, 1, 2, 3, 2, 3}));
}

}  // namespace
}  // namespace refract
