// SPDX-License-Identifier: Apache-2.0
// That the loops over blocks of floats say to the bit what the general code says: values and
// shadow words, for random operands and notes, special ones among them.
#include "interp/ops/float_lanes.h"

#include <gtest/gtest.h>

#include <bit>

#include "base/random.h"
#include "input/resolve.h"
#include "interp/math/rounded_arithmetic.h"
#include "interp/ops/float_columns.h"
#include "interp/ops/ops.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract {
namespace {

constexpr const char* kNothing = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 16 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
)";

constexpr uint32_t kLanes = kLaneBlock;
enum Row : uint32_t { kA, kB, kLoop, kGeneral };

// Finite: of a magnitude that is NaN the bits are open.
uint32_t RandomFloat(Random& random) {
  auto word = static_cast<uint32_t>(random.Next());
  if ((word & 0x7f800000u) == 0x7f800000u) word &= 0xbfffffffu;
  const uint32_t sign = word & 0x80000000u;
  switch (random.Below(16)) {
    case 0:
      return sign;
    case 1:
      return sign | (word & 0x7fffffu);  // denormal
    case 2:
      return sign | 0x7f7fffffu;
    case 3:
      return word;
    case 4:
    case 5:
    case 6:
    case 7:  // few bits: exact results
      return sign | (static_cast<uint32_t>(random.Between(110, 140)) << 23) | (word & 0x700000u);
    default:
      return sign | (static_cast<uint32_t>(random.Between(100, 150)) << 23) | (word & 0x7fffffu);
  }
}

uint32_t RandomNote(Random& random, uint32_t bits) {
  const double value = std::bit_cast<float>(bits);
  const double magnitude = math::Absolute(value) *
                           (random.Below(2) == 0 ? 1.0 : static_cast<double>(random.Below(9) + 1));
  switch (random.Below(8)) {
    case 0:
      return kUndefinedBit;
    case 1:
    case 2:
      return ExactFloatShadow(value, magnitude,
                              std::max(-149, GrainOf(value) - static_cast<int>(random.Below(20))));
    case 3:
      return ApproximateFloatShadow(value, magnitude, math::kInfinity);
    case 4:
    case 5:
      return ApproximateFloatShadow(value, magnitude,
                                    PowerOfTwo(static_cast<int>(random.Below(60)) - 40) * 0.75);
    default:
      return 0;
  }
}

FloatColumn::Arithmetic General(spv::Op opcode, const FloatValue& a, FloatValue b) {
  FloatColumn::Arithmetic result;
  result.shadow = a.note.shadow | b.note.shadow;
  if (opcode == spv::Op::OpFMul) {
    result.value = math::Mul(a.value, b.value, 32, &result.rounded);
    result.magnitude = a.note.magnitude * b.note.magnitude;
    result.grain = a.note.grain + b.note.grain;
    if (result.shadow == 0) return result;
    result.carried = a.note.magnitude * b.note.error + b.note.magnitude * a.note.error +
                     a.note.error * b.note.error;
    if (!(result.carried >= 0)) result.carried = math::kInfinity;
    return result;
  }
  if (opcode == spv::Op::OpFSub) b.value = -b.value;
  result.value = math::Add(a.value, b.value, 32, &result.rounded);
  result.magnitude = a.note.magnitude + b.note.magnitude;
  result.grain = std::min(a.note.grain, b.note.grain);
  result.carried = a.note.error + b.note.error;
  return result;
}

TEST(FloatLanes, SayWhatTheGeneralCodeSays) {
  const auto words = Assemble(kNothing, TargetEnvironment::kVulkan10);
  ASSERT_TRUE(words) << words.error().message;
  const Result<Module> module = ReadModule(*words, "nothing");
  ASSERT_TRUE(module);
  const EntryPoint entry = *FindEntryPoint(*module, "", "nothing");
  const Result<Program> program = Program::Decode(*module, entry, {}, "nothing");
  ASSERT_TRUE(program) << program.error().message;
  Machine machine(program->code(), kLanes, {});
  Random random(1);
  uint64_t exact = 0, approximate = 0;
  for (int round = 0; round < 20000; ++round) {
    for (const uint32_t row : {kA, kB}) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        machine.Row(row)[lane] = RandomFloat(random);
        machine.SetShadow(row, lane, RandomNote(random, machine.Row(row)[lane]));
      }
    }
    constexpr spv::Op kOpcodes[] = {spv::Op::OpFAdd, spv::Op::OpFSub, spv::Op::OpFMul};
    const spv::Op opcode = kOpcodes[round % 3];
    constexpr uint8_t kFlags[] = {0, kNoContraction, kRelaxed, kRelaxed | kNoContraction};
    Op op;
    OpKey key;
    key.opcode = opcode;
    op.run = FloatHandler(key);
    op.a = kA;
    op.b = kB;
    op.result = kLoop;
    op.scalar = Scalar::kFloat32;
    op.flags = kFlags[round / 3 % 4];
    machine.RunConstantOps({op});
    const FloatColumn a(machine, kA, op.scalar), b(machine, kB, op.scalar);
    const FloatColumn general(machine, kGeneral, op.scalar);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      general.PutArithmetic(lane, General(opcode, a.Get(lane), b.Get(lane)), op.flags);
      ASSERT_EQ(machine.Row(kLoop)[lane], machine.Row(kGeneral)[lane]) << "round " << round;
      ASSERT_EQ(machine.ShadowOf(kLoop, lane), machine.ShadowOf(kGeneral, lane))
          << "round " << round << ", " << std::hex << machine.Row(kA)[lane] << " "
          << machine.ShadowOf(kA, lane) << ", " << machine.Row(kB)[lane] << " "
          << machine.ShadowOf(kB, lane);
      const uint32_t shadow = machine.ShadowOf(kLoop, lane) & kShadowMask;
      exact += shadow == 0 ? 1 : 0;
      approximate += shadow == kApproximateBit ? 1 : 0;
    }
  }
  EXPECT_GT(exact, 10000u);
  EXPECT_GT(approximate, 10000u);
}

// The loops for AVX2 and those for every machine: the first is what the test above has run where
// there is AVX2.
TEST(FloatLanes, AreTheSameOnEveryMachine) {
  const FloatLoops& here = FloatLoopsOfThisMachine();
  const FloatLoops& plain = PlainFloatLoops();
  const auto all = [](const FloatLoops& loops) {
    return std::vector<FloatLoop>{loops.add[0],      loops.add[1],      loops.subtract[0],
                                  loops.subtract[1], loops.multiply[0], loops.multiply[1],
                                  loops.divide,      loops.equal,       loops.less,
                                  loops.less_equal,  loops.greater,     loops.greater_equal};
  };
  Random random(2);
  FloatRules rules;
  rules.highest = 0x1.fffffep127;
  for (int round = 0; round < 5000; ++round) {
    uint32_t words[4][kLaneBlock];
    for (uint32_t lane = 0; lane < kLaneBlock; ++lane) {
      for (const int i : {0, 1}) {
        words[i][lane] = RandomFloat(random);
        words[2 + i][lane] = RandomNote(random, words[i][lane]);
      }
    }
    for (size_t i = 0; i < all(here).size(); ++i) {
      FloatBlock one, other;
      for (FloatBlock* block : {&one, &other}) {
        block->a = words[0];
        block->b = words[1];
        block->a_notes = words[2];
        block->b_notes = words[3];
      }
      all(here)[i](one, rules);
      all(plain)[i](other, rules);
      for (uint32_t lane = 0; lane < kLaneBlock; ++lane) {
        ASSERT_EQ(one.slow[lane] == 0, other.slow[lane] == 0) << "loop " << i;
        if (one.slow[lane] != 0) continue;
        ASSERT_EQ(one.result[lane], other.result[lane]) << "loop " << i;
        ASSERT_EQ(one.notes[lane], other.notes[lane]) << "loop " << i;
      }
    }
  }
}

}  // namespace
}  // namespace refract
