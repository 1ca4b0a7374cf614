// SPDX-License-Identifier: Apache-2.0
// Barriers of the interpreter, and the races that are found without them.
#include "unit/shared/interp_run.h"

namespace refract {
namespace {

const char* const kShared = "shared uint word[8];";

TEST(InterpBarriers, ExchangeThroughWorkgroupMemory) {
  const InterpRun run =
      InterpretCompute("word[i] = i * i; barrier(); data[i] = word[7 - i];", {}, kShared);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(run.word(i), (7 - i) * (7 - i));
}

TEST(InterpBarriers, AMissingOneIsARace) {
  const InterpRun read_late = InterpretCompute("word[i] = i; data[i] = word[7 - i];", {}, kShared);
  EXPECT_TRUE(read_late.trapped("OpLoad")) << read_late.trap();
  EXPECT_TRUE(read_late.trapped("a data race with invocation 7 of workgroup 0 at byte 28"))
      << read_late.trap();
  EXPECT_EQ(read_late.report.trap->kind, Trap::Kind::kRace);
  // Written again while others may still read.
  const InterpRun overwritten =
      InterpretCompute("word[i] = i; barrier(); data[i] = word[7 - i]; word[i] = 0;", {}, kShared);
  EXPECT_TRUE(overwritten.trapped("a data race")) << overwritten.trap();
  // Of one place.
  EXPECT_TRUE(InterpretCompute("word[0] = i;", {}, kShared).trapped("OpStore"));
  EXPECT_EQ(InterpretCompute("word[i] = i; data[i] = word[i];", {}, kShared).trap(), "");
}

TEST(InterpBarriers, OrderOnlyTheClassesTheyName) {
  const std::string body = "data[i] = i; SYNC data[8 + i] = data[7 - i];";
  const auto with = [&](const std::string& sync) {
    std::string text = body;
    return InterpretCompute(text.replace(text.find("SYNC"), 4, sync));
  };
  EXPECT_TRUE(with("barrier();").trapped("a data race"));
  EXPECT_TRUE(with("memoryBarrierBuffer();").trapped("a data race"));
  EXPECT_TRUE(with("barrier(); memoryBarrierBuffer();").trapped("a data race"));
  EXPECT_TRUE(with("if (i < 4) memoryBarrierBuffer(); barrier();").trapped("a data race"));
  EXPECT_TRUE(with("memoryBarrierShared(); barrier();").trapped("a data race"));
  EXPECT_EQ(with("memoryBarrierBuffer(); barrier();").trap(), "");
  EXPECT_EQ(with("memoryBarrier(); barrier();").trap(), "");
  EXPECT_EQ(with("controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, "
                 "gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);")
                .trap(),
            "");
  // A fence says nothing of what is written after it, and counts for one barrier.
  EXPECT_TRUE(with("memoryBarrierBuffer(); data[16 + i] = 1; barrier();").trapped("a data race"));
  EXPECT_TRUE(
      with("memoryBarrierBuffer(); barrier(); data[i] = 2; barrier();").trapped("a data race"));
}

TEST(InterpBarriers, HaveToBeReachedByTheWholeWorkgroup) {
  const InterpRun part = InterpretCompute("if (i < 4) barrier(); data[i] = i;");
  EXPECT_TRUE(part.trapped(
      "this invocation does not reach the barrier, but other invocations of the workgroup do"))
      << part.trap();
  EXPECT_TRUE(part.trapped("OpControlBarrier"));
  EXPECT_EQ(part.report.trap->invocation[0], 4u);
  EXPECT_EQ(part.report.trap->kind, Trap::Kind::kUndefinedBehaviour);
  // Those that returned do not reach it.
  EXPECT_TRUE(InterpretCompute("if (i == 5) return; barrier(); data[i] = i;")
                  .trapped("does not reach the barrier"));
  EXPECT_TRUE(InterpretCompute("for (uint n = 0; n < i; ++n) barrier();")
                  .trapped("does not reach the barrier"));
  // A branch that all take is no divergence.
  EXPECT_EQ(InterpretCompute("if (data[40] == 0) barrier(); data[i] = i;").trap(), "");
  RunOptions late;
  late.schedule.late_reconvergence = true;
  EXPECT_EQ(InterpretCompute("uint x = 1; if (i > 3) x = i; barrier(); data[i] = x;", late).trap(),
            "");
}

// SPIR-V 2.2.5: those who entered a loop together are together again after it, however often each
// went round.
TEST(InterpBarriers, AreReachedTogetherBehindLoops) {
  RunOptions late;
  late.schedule.late_reconvergence = true;
  const auto trap = [&](const std::string& body) { return InterpretCompute(body, late).trap(); };
  EXPECT_EQ(trap("uint n = 0; for (uint k = 0; k < i % 3; ++k) n += k; barrier(); data[i] = n;"),
            "");
  EXPECT_EQ(
      trap("uint n = 0; for (uint k = 0; k < 3; ++k) {"
           "  for (uint l = 0; l < i; ++l) { if (l == 2) continue; n += l; if (n > 9) break; }"
           "  barrier(); } data[i] = n;"),
      "");
  // Not after a loop that only some entered, nor in it.
  EXPECT_NE(trap("uint n = 0; if (i > 2) { for (uint k = 0; k < i; ++k) n += k; barrier(); }"
                 "data[i] = n;"),
            "");
  EXPECT_NE(
      trap("uint n = 0; for (uint k = 0; k < 4; ++k) { if (k > i) continue; barrier(); n += k; }"
           "data[i] = n;"),
      "");
}

TEST(InterpBarriers, NeighboursOf16BitsAreNoRace) {
  const std::string narrow =
      "#extension GL_EXT_shader_16bit_storage : enable\n"
      "#extension GL_EXT_shader_explicit_arithmetic_types_int16 : enable\n"
      "layout(std430, set = 0, binding = 0) buffer N { uint16_t d[]; };\n";
  EXPECT_EQ(InterpretCompute("d[i] = uint16_t(i);", {}, narrow).trap(), "");
  EXPECT_TRUE(InterpretCompute("d[i / 2] = uint16_t(i);", {}, narrow).trapped("a data race"));
}

TEST(InterpBarriers, OrderNothingBetweenWorkgroups) {
  const std::string fences = "memoryBarrier(); barrier();";
  const InterpRun written = InterpretCompute("data[0] = 1;", {}, "", 1, ComputeBindings(64, 2));
  EXPECT_TRUE(written.trapped("a data race")) << written.trap();
  const InterpRun read = InterpretCompute(
      "data[gl_GlobalInvocationID.x] = 1;" + fences +
          "data[32 + gl_GlobalInvocationID.x] = data[15 - gl_GlobalInvocationID.x];",
      {}, "", 8, ComputeBindings(64, 2));
  EXPECT_TRUE(read.trapped("a data race")) << read.trap();
  EXPECT_EQ(
      InterpretCompute("data[gl_GlobalInvocationID.x] = 1;", {}, "", 8, ComputeBindings(64, 2))
          .trap(),
      "");
}

TEST(InterpBarriers, OfSubgroupsOrderWithinThem) {
  RunOptions four;
  four.schedule.subgroup_size = 4;
  const std::string before = "word[i] = i; SYNC data[i] = word[i ^ MASK];";
  const auto with = [&](const std::string& sync, const std::string& mask) {
    std::string text = before;
    text.replace(text.find("SYNC"), 4, sync);
    return InterpretCompute(text.replace(text.find("MASK"), 4, mask), four, kShared);
  };
  const InterpRun near = with("subgroupBarrier();", "3");
  EXPECT_EQ(near.error, "");
  EXPECT_EQ(near.trap(), "");
  EXPECT_TRUE(with("", "3").trapped("a data race"));
  EXPECT_TRUE(with("subgroupBarrier();", "4").trapped("a data race"));
  EXPECT_TRUE(with("controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsBuffer, "
                   "gl_SemanticsAcquireRelease);",
                   "3")
                  .trapped("a data race"));
}

}  // namespace
}  // namespace refract
