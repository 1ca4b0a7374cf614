// SPDX-License-Identifier: Apache-2.0
// Structural shrinking: each shrink pass by itself, the results of searches, and properties of
// every candidate.
#include "shrink/shrink_module.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "corpus/test_modules.h"
#include "ir/binary.h"
#include "ir/validity/validity.h"
#include "measure/shape_interestingness.h"
#include "shrink/pass.h"
#include "shrink/repair.h"
#include "shrink/search.h"

namespace refract {
namespace {

constexpr TargetEnvironment kEnvironment = TargetEnvironment::kUniversal13;

// A shader with something for every shrink pass.
constexpr char kShader[] = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %colour
OpEntryPoint Fragment %other "other"
OpExecutionMode %main OriginUpperLeft
OpExecutionMode %other OriginUpperLeft
OpName %helper "helper"
OpDecorate %colour Location 0
%void = OpTypeVoid
%main_type = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%helper_type = OpTypeFunction %int %int %int
%int_0 = OpConstant %int 0
%int_1 = OpConstant %int 1
%int_2 = OpConstant %int 2
%int_5 = OpConstant %int 5
%uint_1 = OpConstant %uint 1
%uint_8 = OpConstant %uint 8
%true = OpConstantTrue %bool
%record = OpTypeStruct %int %float %int
%numbers = OpTypeArray %int %uint_8
%to_record = OpTypePointer Private %record
%to_numbers = OpTypePointer Private %numbers
%to_int = OpTypePointer Private %int
%to_output = OpTypePointer Output %int
%a_record = OpVariable %to_record Private
%some_numbers = OpVariable %to_numbers Private
%colour = OpVariable %to_output Output
%main = OpFunction %void None %main_type
%entry = OpLabel
%last = OpAccessChain %to_int %a_record %int_2
%loaded = OpLoad %int %last Volatile
%product = OpIMul %int %loaded %int_5
%negated = OpSNegate %int %product
OpBranch %straight
%straight = OpLabel
%called = OpFunctionCall %int %helper %negated %product
OpStore %colour %called
OpBranch %header
%header = OpLabel
%i = OpPhi %int %int_0 %straight %next %continue
OpLoopMerge %done %continue Unroll
OpBranch %test
%test = OpLabel
%more = OpSLessThan %bool %i %int_5
OpBranchConditional %more %body %done
%body = OpLabel
%difference = OpISub %int %i %int_1
%element = OpAccessChain %to_int %some_numbers %difference
OpStore %element %i
%again = OpLoad %int %element
OpStore %colour %again
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %int %i %int_1
OpBranch %header
%done = OpLabel
OpSelectionMerge %end None
OpSwitch %i %default 3 %three 7 %seven
%default = OpLabel
OpBranch %end
%three = OpLabel
OpBranch %end
%seven = OpLabel
%mixed = OpBitwiseXor %int %i %int_5
OpStore %colour %mixed
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
%other = OpFunction %void None %main_type
%other_entry = OpLabel
OpReturn
OpFunctionEnd
%spare = OpFunction %void None %main_type
%spare_entry = OpLabel
OpStore %colour %int_1
OpReturn
OpFunctionEnd
%helper = OpFunction %int Inline %helper_type
%first = OpFunctionParameter %int
%second = OpFunctionParameter %int
%helper_entry = OpLabel
%sum = OpIAdd %int %first %second
OpReturnValue %sum
%never = OpLabel
%rest = OpSRem %int %first %second
OpReturnValue %rest
OpFunctionEnd
)";

std::vector<uint32_t> Shader() {
  return Assemble(kShader, kEnvironment).value();
}

std::string TextOf(const std::vector<uint32_t>& words) {
  DisassemblyOptions options;
  options.friendly_names = true;
  return Disassemble(words, options).value();
}

size_t CountIn(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

struct PassCase {
  const char* pass;
  const char* fewer;  // there must be less of this afterwards
  const char* kept;   // and equally many of this
};

constexpr PassCase kPassCases[] = {
    {"remove unreachable code", "OpSRem", "OpLoopMerge"},
    {"remove entry points", "OpEntryPoint", "OpFunctionEnd"},
    {"empty functions", "OpLoopMerge", "OpEntryPoint"},
    {"move entry points", "OpLoopMerge", "OpEntryPoint"},
    {"remove unused", "OpName", "OpFunctionEnd"},
    {"end functions earlier", "OpSwitch", "OpLoopMerge"},
    {"skip constructs", "OpLoopMerge", "OpSwitch"},
    {"remove instructions", "OpFunctionCall", "OpLoopMerge"},
    {"take one side", "OpSwitch", "OpLoopMerge"},
    {"open loops", "OpLoopMerge", "OpISub"},
    {"redirect edges", "OpISub", "OpLoopMerge"},
    {"remove cases", "OpBitwiseXor", "OpSwitch"},
    {"merge blocks", "OpLabel", "OpFunctionCall"},
    {"forward operands", "OpSNegate", "OpIMul"},
    {"forward stores", "OpLoad", "OpStore"},
    {"undefined values", "OpIMul", "OpLoopMerge"},
    {"plain operands", "%int_5", "OpIMul"},
    {"one operands", "%int_5", "OpIMul"},
    {"older operands", "", "OpSNegate"},
    {"remove parameters", "OpFunctionParameter", "OpFunctionCall"},
    {"return nothing", "OpReturnValue", "OpFunctionCall"},
    {"remove members", "OpTypeStruct %int %float %int", "OpAccessChain"},
    {"shorten arrays", "OpTypeArray %int %uint_8", "OpAccessChain"},
    {"plain constants", "OpConstant %int 5", "OpIMul"},
    {"plain literals", "Unroll", "OpLoopMerge"},
};

// True if one change of the pass gives a valid module of less weight, as the case requires.
bool Does(const ShrinkPass& pass, const PassCase& wanted, const Module& module) {
  const std::string before = TextOf(WriteModule(module));
  for (const Edit& edit : pass.find(module, Function::kNone)) {
    Module changed = module;
    Editor editor(changed, Name::kDeclaredStep);
    if (!edit(editor)) continue;
    bool whole = true;
    std::vector<Function> functions;
    ForEachFunction(changed, [&](Function function) { functions.push_back(function); });
    for (Function function : functions) whole = whole && Repair(editor, function);
    const std::vector<uint32_t> words = WriteModule(changed);
    if (!whole || !CheckModule(changed) || !Validate(words, kEnvironment)) continue;
    const std::string after = TextOf(words);
    const bool is_fewer =
        *wanted.fewer == '\0' || CountIn(after, wanted.fewer) < CountIn(before, wanted.fewer);
    if (is_fewer && CountIn(after, wanted.kept) == CountIn(before, wanted.kept) &&
        WeightOf(changed) < WeightOf(module)) {
      return true;
    }
  }
  return false;
}

TEST(ShrinkModule, EachPassDoesItsWork) {
  const Result<Module> module = ReadModule(Shader(), "shader");
  ASSERT_TRUE(module);
  ASSERT_TRUE(Validate(Shader(), kEnvironment)) << Validate(Shader(), kEnvironment).error().message;
  for (const ShrinkPass& pass : ShrinkPasses()) {
    bool has_case = false;
    for (const PassCase& wanted : kPassCases) {
      if (pass.name != wanted.pass) continue;
      has_case = true;
      EXPECT_TRUE(Does(pass, wanted, *module)) << pass.name;
    }
    EXPECT_TRUE(has_case) << pass.name << " has no case";
  }
}

ModuleSource Source() {
  return {Shader(), "shader.spv", kEnvironment, {}};
}

InterestingModule Keeps(const std::string& part) {
  return [=](std::span<const uint32_t> words) {
    return CountIn(TextOf({words.begin(), words.end()}), part) != 0;
  };
}

TEST(ShrinkModule, KeepsWhatIsInterestingAndWhatThatNeeds) {
  const Result<ShrunkModule> shrunk = ShrinkModule(Source(), Keeps("OpISub"));
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(Disassemble(shrunk->words).value(),
            "OpCapability Shader\n"
            "OpMemoryModel Logical GLSL450\n"
            "OpEntryPoint Fragment %1 \"main\"\n"
            "OpExecutionMode %1 OriginUpperLeft\n"
            "%2 = OpTypeVoid\n"
            "%3 = OpTypeFunction %2\n"
            "%4 = OpTypeInt 32 1\n"
            "%5 = OpConstant %4 0\n"
            "%1 = OpFunction %2 None %3\n"
            "%6 = OpLabel\n"
            "%7 = OpISub %4 %5 %5\n"
            "OpReturn\n"
            "OpFunctionEnd\n");
  EXPECT_TRUE(shrunk->report.is_finished);
}

TEST(ShrinkModule, ALoopIsReducedToOneBlock) {
  const Result<ShrunkModule> shrunk = ShrinkModule(Source(), Keeps("OpLoopMerge"));
  ASSERT_TRUE(shrunk);
  const std::string text = Disassemble(shrunk->words).value();
  EXPECT_NE(text.find("%5 = OpLabel\nOpLoopMerge %6 %5 None\nOpBranch %5\n"), std::string::npos)
      << text;
  EXPECT_EQ(CountInstructions(shrunk->words), 15U) << text;
}

// SPIRV-Cross rejects some modules because of code that is never reached (docs/bugs.md).
TEST(ShrinkModule, UnreachableCodeStaysIfTheFailureNeedsIt) {
  const Result<ShrunkModule> shrunk = ShrinkModule(Source(), Keeps("OpSRem"));
  ASSERT_TRUE(shrunk);
  const std::string text = Disassemble(shrunk->words).value();
  EXPECT_NE(text.find("OpSRem"), std::string::npos) << text;
  EXPECT_EQ(CountIn(text, "OpStore"), 0U) << text;
  EXPECT_LE(CountInstructions(shrunk->words), 15U) << text;
}

// The value is defined in one unreachable block and used in another, and the blocks lead through
// one without code.
TEST(ShrinkModule, UnreachableCodeStaysInSeveralBlocks) {
  const std::vector<uint32_t> words = Assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %colour
OpExecutionMode %main OriginUpperLeft
OpDecorate %colour Location 0
%void = OpTypeVoid
%main_type = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%int_2 = OpConstant %int 2
%to_output = OpTypePointer Output %int
%colour = OpVariable %to_output Output
%main = OpFunction %void None %main_type
%entry = OpLabel
OpStore %colour %int_2
OpReturn
%lost = OpLabel
%less = OpSLessThan %bool %int_2 %int_2
OpBranch %header
%header = OpLabel
OpSelectionMerge %merge None
OpBranchConditional %less %between %merge
%between = OpLabel
OpBranch %merge
%merge = OpLabel
OpKill
OpFunctionEnd
)",
                                               kEnvironment)
                                          .value();
  const std::regex wanted(
      "(%\\d+) = OpSLessThan.*\n.*\n%\\d+ = OpLabel\nOpSelectionMerge.*\nOpBranchConditional \\1 ");
  const auto judge = [&](std::span<const uint32_t> candidate) {
    return std::regex_search(Disassemble(candidate).value(), wanted);
  };
  ASSERT_TRUE(judge(words));
  const Result<ShrunkModule> shrunk =
      ShrinkModule(ModuleSource{words, "test.spv", kEnvironment, {}}, judge);
  ASSERT_TRUE(shrunk);
  const std::string text = TextOf(shrunk->words);
  EXPECT_EQ(CountIn(text, "OpStore"), 0U) << text;
}

TEST(ShrinkModule, WithoutAnythingToKeepOnlyTheModelIsLeft) {
  const Result<ShrunkModule> shrunk =
      ShrinkModule(Source(), [](std::span<const uint32_t>) { return true; });
  ASSERT_TRUE(shrunk);
  EXPECT_LE(CountInstructions(shrunk->words), 10U) << Disassemble(shrunk->words).value();
}

TEST(ShrinkModule, IfNoCandidateIsInterestingNothingChanges) {
  const Result<ShrunkModule> shrunk =
      ShrinkModule(Source(), [](std::span<const uint32_t>) { return false; });
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(shrunk->words, Shader());
  EXPECT_EQ(shrunk->report.accepted, 0U);
  EXPECT_GT(shrunk->report.tries, 10U);
}

TEST(ShrinkModule, CandidatesAreValidAndNeverTestedTwice) {
  std::set<std::string> asked;
  const auto judge = [&](std::span<const uint32_t> words) {
    const std::vector<uint32_t> copy(words.begin(), words.end());
    EXPECT_TRUE(asked.insert(HashOfWords(copy)).second);
    EXPECT_TRUE(Validate(words, kEnvironment));
    const Result<Module> module = ReadModule(words, "candidate");
    EXPECT_TRUE(module && CheckModule(*module));
    return Keeps("OpSwitch")(words);
  };
  const Result<ShrunkModule> shrunk = ShrinkModule(Source(), judge);
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(shrunk->report.tries, asked.size());
  size_t by_pass = 0;
  for (const auto& [pass, count] : shrunk->report.accepted_by) by_pass += count;
  EXPECT_EQ(shrunk->report.accepted, by_pass);
}

TEST(ShrinkModule, EndsWithItsBudget) {
  ShrinkOptions options;
  options.budget = 3;
  const Result<ShrunkModule> shrunk = ShrinkModule(Source(), Keeps("OpISub"), options);
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(shrunk->report.tries, 3U);
  EXPECT_FALSE(shrunk->report.is_finished);
  EXPECT_TRUE(Keeps("OpISub")(shrunk->words));
}

TEST(ShrinkModule, EndsWhenProgressReturnsFalse) {
  ShrinkOptions options;
  size_t calls = 0;
  options.progress = [&](const ShrinkProgress& progress) {
    EXPECT_EQ(progress.tries, ++calls);
    EXPECT_FALSE(progress.pass.empty());
    EXPECT_LE(progress.instructions, CountInstructions(Shader()));
    return calls < 5;
  };
  const Result<ShrunkModule> shrunk = ShrinkModule(Source(), Keeps("OpISub"), options);
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(shrunk->report.tries, 5U);
  EXPECT_FALSE(shrunk->report.is_finished);
  EXPECT_TRUE(Keeps("OpISub")(shrunk->words));
}

TEST(ShrinkModule, AnInvalidModuleIsRefused) {
  ModuleSource source = Source();
  const std::string text =
      std::string(kShader).replace(std::string(kShader).find("OpIMul"), 6, "OpFMul");
  source.words = Assemble(text, kEnvironment).value();
  const Result<ShrunkModule> shrunk = ShrinkModule(source, Keeps("OpISub"));
  ASSERT_FALSE(shrunk);
  EXPECT_EQ(shrunk.error().message.find("shader.spv: not valid for spv1.3: "), 0U)
      << shrunk.error().message;
  source.words.resize(3);
  EXPECT_FALSE(ShrinkModule(source, Keeps("OpISub")));
}

// The highest opcode in a function body: the unusual part of an unusual module.
spv::Op OddestIn(const Module& module) {
  spv::Op highest = spv::Op::OpNop;
  ForEachFunction(module, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block,
                         [&](Inst inst) { highest = std::max(highest, module.Opcode(inst)); });
    });
  });
  return highest;
}

void ExpectWellShrunk(const TestModule& subject) {
  const Result<std::vector<Original>> originals = Originals(subject);
  ASSERT_TRUE(originals && !originals->empty()) << subject.name;
  const Original& original = originals->front();
  const ModuleSource source{original.words, subject.name, original.environment,
                            original.validation};
  const spv::Op wanted = OddestIn(original.context.module);
  std::vector<std::vector<uint32_t>> asked;
  const InterestingModule judge = [&](std::span<const uint32_t> words) {
    asked.emplace_back(words.begin(), words.end());
    const Result<Module> module = ReadModule(words, subject.name);
    return module && OddestIn(*module) == wanted;
  };
  const Result<ShrunkModule> shrunk = ShrinkModule(source, judge);
  ASSERT_TRUE(shrunk) << subject.name << ": " << shrunk.error().message;
  for (const std::vector<uint32_t>& words : asked) {
    const Status valid = Validate(words, original.environment, original.validation);
    ASSERT_TRUE(valid) << subject.name << ": " << valid.error().message;
  }
  EXPECT_TRUE(judge(shrunk->words)) << subject.name;
  EXPECT_LE(std::pair(CountInstructions(shrunk->words), shrunk->words.size()),
            std::pair(CountInstructions(source.words), source.words.size()))
      << subject.name;
  const Result<ShrunkModule> again = ShrinkModule(source, judge);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->words, shrunk->words) << subject.name;
  EXPECT_EQ(again->report.tries, shrunk->report.tries) << subject.name;
}

TEST(ShrinkModule, OddModulesGetSmallerAndStayValid) {
  const auto modules = OddModules(REFRACT_SOURCE_DIR);
  ASSERT_TRUE(modules);
  for (const TestModule& module : *modules) ExpectWellShrunk(module);
}

TEST(ShrinkModule, ReferencesGetSmallerAndStayValid) {
  const auto modules = References(REFRACT_SOURCE_DIR);
  ASSERT_TRUE(modules);
  for (const TestModule& module : *modules) ExpectWellShrunk(module);
}

// Each interestingness test accepts some reference and refuses an empty module.
TEST(ShrinkModule, InterestingnessTestsOfShapesDistinguishModules) {
  const auto modules = References(REFRACT_SOURCE_DIR);
  ASSERT_TRUE(modules);
  const Result<ShrunkModule> empty =
      ShrinkModule(Source(), [](std::span<const uint32_t>) { return true; });
  ASSERT_TRUE(empty);
  for (const measure::ShapeTest& judge : measure::AllShapeTests()) {
    EXPECT_FALSE(judge.interesting(empty->words)) << judge.name;
    bool any = false;
    for (const TestModule& module : *modules) any = any || judge.interesting(module.words);
    EXPECT_TRUE(any) << judge.name;
  }
}

}  // namespace
}  // namespace refract
