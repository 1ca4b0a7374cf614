// SPDX-License-Identifier: Apache-2.0
// Every instruction that the interpreter can run has a row in a table or a test by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "check_rows.h"
#include "interp/ops/ops.h"
#include "interp/ops/ops_glsl.h"
#include "ir/grammar/grammar.h"

namespace refract {
namespace {

constexpr Scalar kScalars[] = {Scalar::kBool,    Scalar::kInt8,   Scalar::kInt16,
                               Scalar::kInt32,   Scalar::kInt64,  Scalar::kFloat16,
                               Scalar::kFloat32, Scalar::kFloat64};

bool HasHandler(spv::Op opcode) {
  for (const Scalar operand : kScalars) {
    for (const Scalar result : kScalars) {
      const OpKey key{opcode, operand, result};
      if (IntegerHandler(key) != nullptr || LogicalHandler(key) != nullptr ||
          ExtendedHandler(key) != nullptr || FloatHandler(key) != nullptr) {
        return true;
      }
    }
  }
  return false;
}

// What the decoder runs without such a handler, and the test it is in where no row names it.
const std::map<std::string, std::string>& Named() {
  static const std::map<std::string, std::string> named = {
      {"OpSelect", ""},
      {"OpBitcast", ""},
      {"OpDot", ""},
      {"OpVectorTimesScalar", ""},
      {"OpMatrixTimesScalar", ""},
      {"OpVectorTimesMatrix", ""},
      {"OpMatrixTimesVector", ""},
      {"OpMatrixTimesMatrix", ""},
      {"OpOuterProduct", ""},
      {"OpTranspose", ""},
      {"OpCompositeConstruct", ""},
      {"OpCompositeExtract", ""},
      {"OpCompositeInsert", ""},
      {"OpVectorShuffle", ""},
      {"OpVectorExtractDynamic", ""},
      {"OpVectorInsertDynamic", ""},
      {"OpCopyObject", ""},
      {"OpCopyLogical", ""},
      {"OpSwitch", ""},
      {"OpPhi", ""},
      {"OpLoopMerge", ""},
      {"OpBranchConditional", ""},
      {"OpFunctionCall", ""},
      {"OpFunctionParameter", ""},
      {"OpCopyMemory", ""},
      {"OpSDot", ""},
      {"OpUDot", ""},
      {"OpSUDot", ""},
      {"OpSDotAccSat", ""},
      {"OpUDotAccSat", ""},
      {"OpSUDotAccSat", ""},
      {"OpUnreachable", "Traps.EachStopsAndSaysWhy"},
      {"OpUndef", "Tables.Undefined"},
      {"OpLoad", "Memory.NestedBlocks"},
      {"OpStore", "Memory.NestedBlocks"},
      {"OpAccessChain", "Memory.NestedBlocks"},
      {"OpInBoundsAccessChain", "Memory.PointerChains"},
      {"OpPtrAccessChain", "Memory.PointerChains"},
      {"OpArrayLength", "Memory.ArrayLength"},
      {"OpVariable", "Tables.Undefined"},
      {"OpSpecConstantOp", "SpecConstants.Operations"},
      {"OpSpecConstant", "SpecConstants.Given"},
      {"OpSpecConstantTrue", "SpecConstants.Given"},
      {"OpSpecConstantFalse", "SpecConstants.Given"},
      {"OpSpecConstantComposite", "SpecConstants.Given"},
      {"OpKill", "Outputs.DiscardedIsNotUndefined"},
  };
  return named;
}

bool IsTest(const std::string& name) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      if (name == std::string(suite.name()) + "." + suite.GetTestInfo(k)->name()) return true;
    }
  }
  return false;
}

std::set<std::string> InTables() {
  std::set<std::string> names;
  for (const TableRow& row : AllRows()) {
    EXPECT_FALSE(row.tuples.empty()) << row.Name();
    names.insert(row.instruction);
  }
  return names;
}

TEST(Coverage, EveryInstructionWithAHandler) {
  const std::set<std::string> rows = InTables();
  size_t instructions = 0;
  for (const OpcodeGrammar& opcode : AllOpcodes()) {
    if (!HasHandler(opcode.op)) continue;
    ++instructions;
    EXPECT_TRUE(rows.contains(std::string(opcode.name))) << opcode.name << " has no row";
  }
  EXPECT_GT(instructions, 70u);
}

TEST(Coverage, EveryOtherInstruction) {
  const std::set<std::string> rows = InTables();
  for (const auto& [name, test] : Named()) {
    EXPECT_TRUE(OpcodeByName(name)) << name;
    if (test.empty()) {
      EXPECT_TRUE(rows.contains(name)) << name << " has no row";
    } else {
      EXPECT_TRUE(IsTest(test)) << name << ": no test is named " << test;
    }
  }
}

// Instructions of the categories that others test, that only declare, or that no shader has.
bool IsElsewhere(const OpcodeGrammar& opcode) {
  const std::string name(opcode.name);
  for (const char* prefix :
       {"OpType",           "OpAtomic",        "OpGroup",     "OpImage",    "OpDPd",
        "OpFwidth",         "OpDecorate",      "OpMember",    "OpSubgroup", "OpSampledImage",
        "OpControlBarrier", "OpMemoryBarrier", "OpRay",       "OpTrace",    "OpHitObject",
        "OpCooperative",    "OpEmit",          "OpEnd",       "OpFragment", "OpDemote",
        "OpTerminate",      "OpIsHelper",      "OpReadClock", "OpSource",   "OpExecutionMode",
        "OpConstant"}) {
    if (name.starts_with(prefix)) return true;
  }
  static const std::set<std::string> others = {"OpNop",
                                               "OpName",
                                               "OpString",
                                               "OpLine",
                                               "OpNoLine",
                                               "OpExtension",
                                               "OpExtInstImport",
                                               "OpExtInst",
                                               "OpMemoryModel",
                                               "OpEntryPoint",
                                               "OpCapability",
                                               "OpFunction",
                                               "OpFunctionEnd",
                                               "OpDecorationGroup",
                                               "OpModuleProcessed",
                                               "OpLabel",
                                               "OpBranch",
                                               "OpReturn",
                                               "OpReturnValue",
                                               "OpSelectionMerge"};
  return others.contains(name);
}

// What is left is of other models, or among these, which the decoder does not have: their error is
// that of Traps.UnknownInstructionsAreNamed.
TEST(Coverage, NothingIsForgotten) {
  static const std::set<std::string> refused = {"OpPtrEqual",
                                                "OpPtrNotEqual",
                                                "OpPtrDiff",

                                                "OpConvertPtrToU",
                                                "OpConvertUToPtr",
                                                "OpExpectKHR",
                                                "OpBeginInvocationInterlockEXT",
                                                "OpEndInvocationInterlockEXT",
                                                "OpPtrCastToGeneric",
                                                "OpAssumeTrueKHR",
                                                "OpSizeOf",
                                                "OpInBoundsPtrAccessChain"};
  static const std::set<spv::Capability> ours = {spv::Capability::Shader,
                                                 spv::Capability::Matrix,
                                                 spv::Capability::Int8,
                                                 spv::Capability::Int16,
                                                 spv::Capability::Int64,
                                                 spv::Capability::Float16,
                                                 spv::Capability::Float64,
                                                 spv::Capability::VariablePointers,
                                                 spv::Capability::VariablePointersStorageBuffer,
                                                 spv::Capability::DotProduct};
  for (const OpcodeGrammar& opcode : AllOpcodes()) {
    if (HasHandler(opcode.op) || IsElsewhere(opcode)) continue;
    const std::string name(opcode.name);
    const bool possible =
        opcode.capabilities.empty() ||
        std::any_of(opcode.capabilities.begin(), opcode.capabilities.end(),
                    [&](spv::Capability capability) { return ours.contains(capability); });
    if (!possible || refused.contains(name) || Named().contains(name)) continue;
    ADD_FAILURE() << name << " has neither row nor test";
  }
}

TEST(Coverage, EveryGlslInstruction) {
  const std::set<std::string> rows = InTables();
  // Interpolation is of fragment shaders' inputs, tested with them; the last of these is of none.
  static const std::set<std::string> elsewhere = {"InterpolateAtCentroid", "InterpolateAtSample",
                                                  "InterpolateAtOffset"};
  // No shader of Vulkan has these two as they are listed: IMix was removed.
  for (const GlslGrammar& glsl : AllGlsl()) {
    const std::string name(glsl.name);
    if (elsewhere.contains(name) || name == "IMix" || name == "Bad") continue;
    EXPECT_TRUE(rows.contains(name)) << name << " has no row";
  }
}

}  // namespace

std::vector<TableRow> AllRows() {
  std::vector<TableRow> all;
  const auto add = [&](std::vector<TableRow> rows) {
    for (TableRow& row : rows) all.push_back(std::move(row));
  };
  for (const int width : {8, 16, 32, 64}) add(IntegerRows(width));
  for (const int width : {16, 32, 64}) {
    add(FloatRows(width));
    add(GlslFloatRows(width));
  }
  add(ConversionRows());
  add(LogicalRows());
  add(GlslIntegerRows());
  add(GlslVectorRows());
  add(CompositeRows());
  add(LinearRows());
  add(ControlRows());
  add(DotRows());
  add(UndefinedRows());
  return all;
}

}  // namespace refract
