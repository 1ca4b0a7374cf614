// SPDX-License-Identifier: Apache-2.0
#include "ir/grammar/properties.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "ir/tools.h"

namespace refract {
namespace {

using spv::Op;

std::vector<Op> OpcodesWith(bool Properties::*field) {
  std::vector<Op> result;
  for (const OpcodeGrammar& opcode : AllOpcodes()) {
    if (PropertiesOf(opcode.op).*field) result.push_back(opcode.op);
  }
  return result;
}

TEST(Properties, EveryOpcodeHasARow) {
  for (const OpcodeGrammar& opcode : AllOpcodes()) {
    const Properties& row = PropertiesOf(opcode.op);
    EXPECT_EQ(row.op, opcode.op) << opcode.name << " has no row";
    EXPECT_EQ(row.grammar, &opcode) << opcode.name;
  }
}

TEST(Properties, EveryRowHasAnOpcode) {
  // A row for a number that the grammar does not have would be found by that number.
  for (uint32_t number = 0; number <= 0xffff; ++number) {
    const auto op = static_cast<Op>(number);
    if (GrammarOf(op) == nullptr) {
      EXPECT_EQ(PropertiesOf(op).grammar, nullptr) << number;
      EXPECT_FALSE(PropertiesOf(op).known) << number;
    }
  }
}

TEST(Properties, EveryGlslInstructionHasARow) {
  for (const GlslGrammar& instruction : AllGlsl()) {
    const Properties& row = PropertiesOfGlsl(instruction.number);
    EXPECT_TRUE(row.known) << instruction.name;
    EXPECT_EQ(row.operands.size(), instruction.operand_count) << instruction.name;
    EXPECT_EQ(row.operands.find('*'), std::string_view::npos) << instruction.name;
  }
  EXPECT_FALSE(PropertiesOfGlsl(0).known);
  EXPECT_FALSE(PropertiesOfGlsl(82).known);
  EXPECT_FALSE(PropertiesOfGlsl(0xffffffff).known);
}

void ExpectEveryBadProperty(const Properties& row) {
  EXPECT_FALSE(row.pure || row.deterministic || row.commutes);
  EXPECT_TRUE(row.behaviour_may_be_undefined && row.value_may_be_undefined && row.convergent &&
              row.side_effect && row.orders_memory);
  EXPECT_EQ(row.reads.kind, MemoryEffect::kAll);
  EXPECT_EQ(row.writes.kind, MemoryEffect::kAll);
  EXPECT_EQ(row.exactness, Exactness::kApproximate);
  EXPECT_FALSE(row.may_be_speculated() || row.removable_if_unused());
}

TEST(Properties, AnUnknownOpcodeHasEveryBadProperty) {
  ExpectEveryBadProperty(PropertiesOf(static_cast<Op>(0xfff0)));
  ExpectEveryBadProperty(PropertiesOf(Op::OpVmeImageINTEL));
  ExpectEveryBadProperty(PropertiesOf(Op::OpExtInst));
  ExpectEveryBadProperty(PropertiesOfGlsl(1000));
  ExpectEveryBadProperty(PropertiesOfExtInst(ExtInstSet::kOther, 1));
  EXPECT_EQ(RuleOfOperand(static_cast<Op>(0xfff0), 0), OperandRule());
  const uint32_t words[] = {1, 2};
  EXPECT_EQ(RuleOfOperand(static_cast<Op>(0xfff0), words, 1), OperandRule());
}

TEST(Properties, LettersFitTheGrammar) {
  for (const OpcodeGrammar& opcode : AllOpcodes()) {
    const Properties& row = PropertiesOf(opcode.op);
    if (!row.known || opcode.op == Op::OpExtInst) continue;
    std::string letters(row.operands.substr(0, row.operands.find('*')));
    EXPECT_EQ(row.operands.size() - letters.size(), opcode.repeated) << opcode.name;
    const auto in_operands =
        opcode.operands.subspan((opcode.has_type ? 1 : 0) + (opcode.has_result ? 1 : 0));
    ASSERT_EQ(letters.size(), in_operands.size()) << opcode.name;
    for (size_t i = 0; i < letters.size(); ++i) {
      const bool is_id = in_operands[i].cls == OperandClass::kId ||
                         in_operands[i].cls == OperandClass::kScope ||
                         in_operands[i].cls == OperandClass::kMemorySemantics;
      EXPECT_EQ(letters[i] != '-', is_id) << opcode.name << " operand " << i;
      if (in_operands[i].cls == OperandClass::kScope && !row.is_type) {
        EXPECT_EQ(letters[i], 'k') << opcode.name << " operand " << i;
      }
      EXPECT_NE(std::string("-vsuckipaotfldx").find(letters[i]), std::string::npos) << opcode.name;
    }
  }
}

TEST(Properties, RowsAreConsistent) {
  for (const OpcodeGrammar& opcode : AllOpcodes()) {
    const Properties& row = PropertiesOf(opcode.op);
    if (row.pure) {
      EXPECT_FALSE(row.reads || row.writes || row.side_effect || row.orders_memory ||
                   row.convergent || !row.deterministic)
          << opcode.name;
    }
    if (row.commutes) {
      EXPECT_EQ(row.operands[0], row.operands[1]) << opcode.name;
    }
    if (row.is_type) {
      EXPECT_TRUE(opcode.has_result && !opcode.has_type) << opcode.name;
    }
    if (row.is_type || row.is_constant) {
      EXPECT_FALSE(row.allowed_in_block) << opcode.name;
    }
    if (row.is_branch) {
      EXPECT_TRUE(row.is_terminator) << opcode.name;
    }
    if (row.is_terminator || row.is_merge) {
      EXPECT_TRUE(row.allowed_in_block) << opcode.name;
    }
    if (row.is_terminator) {
      EXPECT_FALSE(opcode.has_result || row.pure) << opcode.name;
    }
    for (const MemoryEffect& effect : {row.reads, row.writes}) {
      if (effect.kind != MemoryEffect::kPointer) continue;
      const char letter = row.operands[effect.operand];
      EXPECT_TRUE(letter == 'p' || letter == 'x') << opcode.name;
    }
    // Compares with the name, as far as names tell.
    const std::string_view name = opcode.name;
    if (name.starts_with("OpType") && opcode.has_result) {
      EXPECT_TRUE(row.is_type) << name;
    }
    if (name.starts_with("OpConstant") || name.starts_with("OpSpecConstant")) {
      EXPECT_EQ(row.is_constant, opcode.has_result) << name;
      EXPECT_EQ(row.is_spec, opcode.has_result && name.starts_with("OpSpec")) << name;
    }
  }
}

TEST(Properties, KindsOfOpcodesAreRight) {
  EXPECT_EQ(OpcodesWith(&Properties::is_terminator),
            (std::vector<Op>{Op::OpBranch, Op::OpBranchConditional, Op::OpSwitch, Op::OpKill,
                             Op::OpReturn, Op::OpReturnValue, Op::OpUnreachable,
                             Op::OpTerminateInvocation, Op::OpIgnoreIntersectionKHR,
                             Op::OpTerminateRayKHR, Op::OpEmitMeshTasksEXT}));
  EXPECT_EQ(OpcodesWith(&Properties::is_branch),
            (std::vector<Op>{Op::OpBranch, Op::OpBranchConditional, Op::OpSwitch}));
  EXPECT_EQ(OpcodesWith(&Properties::is_merge),
            (std::vector<Op>{Op::OpLoopMerge, Op::OpSelectionMerge}));
  EXPECT_EQ(OpcodesWith(&Properties::is_debug_line), (std::vector<Op>{Op::OpLine, Op::OpNoLine}));
  EXPECT_EQ(OpcodesWith(&Properties::is_debug_name),
            (std::vector<Op>{Op::OpName, Op::OpMemberName}));
  EXPECT_EQ(OpcodesWith(&Properties::result_stays_in_block), std::vector<Op>{Op::OpSampledImage});
}

TEST(Properties, KnowsWhatMayBeSpeculated) {
  for (const Op op :
       {Op::OpIAdd, Op::OpFDiv, Op::OpShiftLeftLogical, Op::OpCopyObject, Op::OpSelect,
        Op::OpCompositeExtract, Op::OpConvertFToS, Op::OpBitFieldInsert}) {
    EXPECT_TRUE(PropertiesOf(op).may_be_speculated()) << NameOf(op);
  }
  for (const Op op :
       {Op::OpSDiv, Op::OpUMod, Op::OpLoad, Op::OpStore, Op::OpAccessChain, Op::OpDPdx, Op::OpPhi,
        Op::OpVectorExtractDynamic, Op::OpFunctionCall, Op::OpImageSampleImplicitLod,
        Op::OpVariable, Op::OpGroupNonUniformElect, Op::OpAtomicIAdd, Op::OpControlBarrier,
        Op::OpReadClockKHR, Op::OpKill, Op::OpImageFetch, Op::OpRayQueryProceedKHR}) {
    EXPECT_FALSE(PropertiesOf(op).may_be_speculated()) << NameOf(op);
  }
  EXPECT_TRUE(PropertiesOf(Op::OpShiftLeftLogical).value_may_be_undefined);
  EXPECT_FALSE(PropertiesOf(Op::OpIAdd).value_may_be_undefined);
}

TEST(Properties, MemoryEffectsAreRight) {
  const auto pointer = [](uint8_t operand) {
    return MemoryEffect{MemoryEffect::kPointer, operand};
  };
  EXPECT_EQ(PropertiesOf(Op::OpLoad).reads, pointer(0));
  EXPECT_FALSE(PropertiesOf(Op::OpLoad).writes);
  EXPECT_EQ(PropertiesOf(Op::OpCopyMemory).writes, pointer(0));
  EXPECT_EQ(PropertiesOf(Op::OpCopyMemory).reads, pointer(1));
  EXPECT_EQ(PropertiesOf(Op::OpImageWrite).writes.kind, MemoryEffect::kImage);
  EXPECT_EQ(PropertiesOf(Op::OpFunctionCall).writes.kind, MemoryEffect::kAll);
  EXPECT_EQ(PropertiesOfGlsl(*GlslByName("Modf")).writes, pointer(3));
  EXPECT_EQ(PropertiesOfGlsl(*GlslByName("InterpolateAtOffset")).reads, pointer(2));
  EXPECT_TRUE(PropertiesOf(Op::OpLoad).removable_if_unused());
  EXPECT_FALSE(PropertiesOf(Op::OpAtomicLoad).removable_if_unused());  // it may order memory
  EXPECT_TRUE(PropertiesOf(Op::OpMemoryBarrier).touches_memory());
}

TEST(Properties, ExactnessIsRight) {
  const auto glsl = [](std::string_view name) { return PropertiesOfGlsl(*GlslByName(name)); };
  for (const Op op : {Op::OpFNegate, Op::OpFOrdLessThan, Op::OpIMul, Op::OpConvertFToS}) {
    EXPECT_EQ(PropertiesOf(op).exactness, Exactness::kExact) << NameOf(op);
  }
  for (const Op op : {Op::OpFAdd, Op::OpFSub, Op::OpFMul, Op::OpConvertSToF, Op::OpFConvert}) {
    EXPECT_EQ(PropertiesOf(op).exactness, Exactness::kCorrectlyRounded) << NameOf(op);
  }
  for (const Op op : {Op::OpFDiv, Op::OpFMod, Op::OpDot, Op::OpDPdx, Op::OpMatrixTimesVector,
                      Op::OpImageSampleExplicitLod}) {
    EXPECT_EQ(PropertiesOf(op).exactness, Exactness::kApproximate) << NameOf(op);
  }
  EXPECT_EQ(glsl("Floor").exactness, Exactness::kExact);
  EXPECT_EQ(glsl("FMin").exactness, Exactness::kExact);
  EXPECT_EQ(glsl("Fract").exactness, Exactness::kCorrectlyRounded);
  EXPECT_EQ(glsl("Sqrt").exactness, Exactness::kApproximate);
  EXPECT_EQ(glsl("Fma").exactness, Exactness::kApproximate);
  EXPECT_TRUE(glsl("Pow").value_may_be_undefined);
  EXPECT_TRUE(glsl("FClamp").value_may_be_undefined);
  EXPECT_FALSE(glsl("FindILsb").value_may_be_undefined);
}

TEST(Properties, StagesAndCapabilitiesAreRight) {
  using enum spv::ExecutionModel;
  EXPECT_TRUE(PropertiesOf(Op::OpKill).AllowedIn(Fragment));
  EXPECT_FALSE(PropertiesOf(Op::OpKill).AllowedIn(GLCompute));
  EXPECT_TRUE(PropertiesOf(Op::OpIAdd).AllowedIn(static_cast<spv::ExecutionModel>(12345)));
  EXPECT_FALSE(PropertiesOf(Op::OpKill).AllowedIn(static_cast<spv::ExecutionModel>(12345)));
  EXPECT_TRUE(PropertiesOf(Op::OpDPdx).AllowedIn(GLCompute));
  EXPECT_FALSE(PropertiesOf(Op::OpDPdx).AllowedIn(Vertex));
  EXPECT_FALSE(PropertiesOfGlsl(*GlslByName("InterpolateAtSample")).AllowedIn(Vertex));
  EXPECT_EQ(PropertiesOf(Op::OpDPdxFine).grammar->capabilities[0],
            spv::Capability::DerivativeControl);
}

TEST(Properties, ExtendedInstructionSetsAreKnown) {
  EXPECT_EQ(ExtInstSetByName("GLSL.std.450"), ExtInstSet::kGlsl);
  EXPECT_EQ(ExtInstSetByName("NonSemantic.DebugPrintf"), ExtInstSet::kNonSemantic);
  EXPECT_EQ(ExtInstSetByName("OpenCL.std"), ExtInstSet::kOther);
  EXPECT_TRUE(PropertiesOfExtInst(ExtInstSet::kNonSemantic, 7).removable_if_unused());
  EXPECT_EQ(&PropertiesOfExtInst(ExtInstSet::kGlsl, 8), &PropertiesOfGlsl(8));
}

TEST(Properties, KnowsWhichOpcodesCommute) {
  std::string names;
  for (const Op op : OpcodesWith(&Properties::commutes)) names += NameOf(op).substr(2) + " ";
  EXPECT_EQ(
      names,
      "IAdd FAdd IMul FMul Dot IAddCarry UMulExtended SMulExtended LessOrGreater Ordered "
      "Unordered LogicalEqual LogicalNotEqual LogicalOr LogicalAnd IEqual INotEqual FOrdEqual "
      "FUnordEqual FOrdNotEqual FUnordNotEqual BitwiseOr BitwiseXor BitwiseAnd PtrEqual "
      "PtrNotEqual SDot UDot SDotAccSat UDotAccSat ");
}

}  // namespace
}  // namespace refract
