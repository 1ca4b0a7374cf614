// SPDX-License-Identifier: Apache-2.0
// Every trap: a shader that runs to its end for one operand and stops for another, and in which
// words.
#include <gtest/gtest.h>

#include "base/text.h"
#include "check_rows.h"
#include "input/resolve.h"
#include "ir/tools.h"

namespace refract {
namespace {

constexpr const char* kTrapGlobals = R"(
%undef_u = OpUndef %u32
%undef_b = OpUndef %b
%c_four = OpConstant %u32 4
%c_i0 = OpConstant %i32 0
%c_low = OpConstant %i32 -2147483648
%four = OpTypeArray %u32 %c_four
%v4u32_ = OpTypeVector %u32 4
%p_four_f = OpTypePointer Function %four
%p_u_f = OpTypePointer Function %u32
%p_four_p = OpTypePointer Private %four
%p_u_p = OpTypePointer Private %u32
%p_four_w = OpTypePointer Workgroup %four
%p_u_w = OpTypePointer Workgroup %u32
%private = OpVariable %p_four_p Private
%shared = OpVariable %p_four_w Workgroup
)";

struct TrapCase {
  const char* name;
  uint32_t good, bad;
  const char* message;  ///< part of what the trap says
  const char* body;
};

const TrapCase kCases[] = {
    {"unsigned division by zero", 1, 0, "OpUDiv %", "$r = OpUDiv %u32 %c_four $0"},
    {"division by zero", 1, 0, "division by zero", "$r = OpUMod %u32 %c_four $0"},
    {"signed division by zero", 2, 0, "division by zero", "$r = OpSDiv %u32 %c_four $0"},
    {"remainder by zero", 2, 0, "division by zero", "$r = OpSRem %u32 %c_four $0"},
    {"modulus by zero", 2, 0, "division by zero", "$r = OpSMod %u32 %c_four $0"},
    {"the lowest by -1", 1, 0xffffffff, "the lowest value is divided by -1",
     "%i~ = OpBitcast %i32 $0\n%q~ = OpSDiv %i32 %c_low %i~\n$r = OpBitcast %u32 %q~"},
    {"the lowest rest by -1", 1, 0xffffffff, "the lowest value is divided by -1",
     "%i~ = OpBitcast %i32 $0\n%q~ = OpSRem %i32 %c_low %i~\n%w~ = OpBitcast %u32 %q~\n"
     "$r = OpIMul %u32 %w~ %c_u32_0"},
    {"function array", 3, 4, "index 4 is out of range: the array has 4 elements",
     "%p~ = OpAccessChain %p_u_f %local $0\nOpStore %p~ $0\n$r = OpLoad %u32 %p~"},
    {"private array", 3, 4, "index 4 is out of range: the array has 4 elements",
     "%p~ = OpAccessChain %p_u_p %private $0\nOpStore %p~ $0\n$r = OpLoad %u32 %p~"},
    {"workgroup array", 3, 1000000, "index 1000000 is out of range: the array has 4 elements",
     "%p~ = OpAccessChain %p_u_w %shared $0\nOpStore %p~ $0\n$r = OpLoad %u32 %p~"},
    {"an address is enough", 3, 4, "index 4 is out of range: the array has 4 elements",
     "%p~ = OpAccessChain %p_u_f %local $0\n$r = OpIAdd %u32 $0 $0"},
    {"runtime array", 0, 1, "index 1 is out of range: the array has 1 elements",
     "%p~ = OpAccessChain %p_word %in %c_u32_0 $0\n$r = OpLoad %u32 %p~"},
    {"runtime array, far away", 0, 0x40000000,
     "index 1073741824 is out of range: the array has 1 elements",
     "%p~ = OpAccessChain %p_word %in %c_u32_0 $0\n$r = OpLoad %u32 %p~"},
    {"a negative index", 0, 0xffffffff, "an index is negative",
     "%i~ = OpBitcast %i32 $0\n%p~ = OpAccessChain %p_u_f %local %i~\nOpStore %p~ $0\n"
     "$r = OpLoad %u32 %p~"},
    {"a negative index of a runtime array", 0, 0xfffffffe, "an index is negative",
     "%i~ = OpBitcast %i32 $0\n%p~ = OpAccessChain %p_word %in %c_u32_0 %i~\n"
     "$r = OpLoad %u32 %p~"},
    {"a component of a vector in memory", 2, 3, "index 3 is out of range: the array has 3 elements",
     "%p~ = OpAccessChain %p_u_v %vector $0\nOpStore %p~ $0\n$r = OpLoad %u32 %p~"},
    {"a component of a value", 1, 2, "out of range",
     "%v~ = OpCompositeConstruct %v2u32 $0 $0\n$r = OpVectorExtractDynamic %u32 %v~ $0"},
    {"a component put in", 1, 2, "out of range",
     "%v~ = OpCompositeConstruct %v2u32 $0 $0\n"
     "%w~ = OpVectorInsertDynamic %v2u32 %v~ %c_four $0\n$r = OpCompositeExtract %u32 %w~ 0"},
    {"unreachable", 0, 1, "OpUnreachable", R"(%z~ = OpIEqual %b $0 %c_u32_0
OpSelectionMerge %m~ None
OpBranchConditional %z~ %m~ %never~
%never~ = OpLabel
OpUnreachable
%m~ = OpLabel
$r = OpIAdd %u32 $0 $0)"},
    {"an undefined condition", 0, 1, "undefined", R"(%z~ = OpIEqual %b $0 %c_u32_0
%c~ = OpSelect %b %z~ %z~ %undef_b
OpSelectionMerge %m~ None
OpBranchConditional %c~ %t~ %m~
%t~ = OpLabel
OpBranch %m~
%m~ = OpLabel
$r = OpIAdd %u32 $0 $0)"},
    {"an undefined selector", 0, 1, "undefined", R"(%z~ = OpIEqual %b $0 %c_u32_0
%c~ = OpSelect %u32 %z~ $0 %undef_u
OpSelectionMerge %m~ None
OpSwitch %c~ %m~ 5 %t~
%t~ = OpLabel
OpBranch %m~
%m~ = OpLabel
$r = OpIAdd %u32 $0 $0)"},
    {"an undefined index", 0, 1, "an index is undefined", R"(%z~ = OpIEqual %b $0 %c_u32_0
%c~ = OpSelect %u32 %z~ $0 %undef_u
%p~ = OpAccessChain %p_u_f %local %c~
OpStore %p~ $0
$r = OpLoad %u32 %p~)"},
    {"an undefined index of a value", 0, 1, "the index is undefined",
     R"(%z~ = OpIEqual %b $0 %c_u32_0
%c~ = OpSelect %u32 %z~ $0 %undef_u
%v~ = OpCompositeConstruct %v2u32 $0 $0
$r = OpVectorExtractDynamic %u32 %v~ %c~)"},
    {"an undefined divisor", 1, 0, "the divisor is undefined", R"(%z~ = OpIEqual %b $0 %c_u32_0
%c~ = OpSelect %u32 %z~ %undef_u $0
$r = OpUDiv %u32 %c_four %c~)"},
    {"an undefined pointer", 0, 1, "the pointer is undefined", R"(%z~ = OpIEqual %b $0 %c_u32_0
%c~ = OpSelect %b %z~ %z~ %undef_b
%p~ = OpAccessChain %p_word %in %c_u32_0 %c_u32_0
%q~ = OpAccessChain %p_word %out %c_u32_0 %c_u32_0
%s~ = OpSelect %p_word %c~ %p~ %q~
$r = OpLoad %u32 %s~)"},
    {"undefined in a buffer", 0, 1,
     "an undefined value is stored to memory that other invocations can read",
     R"(%z~ = OpIEqual %b $0 %c_u32_0
$r = OpSelect %u32 %z~ $0 %undef_u)"},
    {"undefined in workgroup memory", 0, 1,
     "an undefined value is stored to memory that other invocations can read",
     R"(%z~ = OpIEqual %b $0 %c_u32_0
%c~ = OpSelect %u32 %z~ $0 %undef_u
%p~ = OpAccessChain %p_u_w %shared %c_u32_0
OpStore %p~ %c~
$r = OpIAdd %u32 $0 $0)"},
};

TableRow RowOf(const TrapCase& one) {
  TableRow row;
  row.instruction = one.name;
  row.result = "u32";
  row.operands = {"u32"};
  row.globals = kTrapGlobals;
  row.globals += "%p_v_f = OpTypePointer Function %v3u32\n%p_u_v = OpTypePointer Function %u32\n";
  row.locals = "%local = OpVariable %p_four_f Function\n%vector = OpVariable %p_v_f Function\n";
  row.capabilities =
      "OpCapability VariablePointersStorageBuffer\n"
      "OpExtension \"SPV_KHR_variable_pointers\"\n";
  row.body = one.body;
  // Two types must not be declared twice.
  const std::string again = "%p_u_v = OpTypePointer Function %u32\n";
  row.globals.erase(row.globals.find(again), again.size());
  for (size_t at = row.body.find("%p_u_v"); at != std::string::npos; at = row.body.find("%p_u_v")) {
    row.body.replace(at, 6, "%p_u_f");
  }
  return row;
}

TEST(Traps, EachStopsAndSaysWhy) {
  for (const TrapCase& one : kCases) {
    const TableRow row = RowOf(one);
    const auto module = Assembled(RowAssembly(row, {{0}}, RowForm::kBuffers), row.version);
    ASSERT_TRUE(module) << one.name;
    for (const bool bad : {false, true}) {
      Bindings bindings;
      bindings.buffers = {StorageBuffer(0, BytesOfWords({bad ? one.bad : one.good})),
                          StorageBuffer(1, std::string(4, '\0'))};
      const auto program = ProgramOf(*module, bindings);
      ASSERT_TRUE(program) << one.name;
      const RunReport report = refract::Run(*program);
      if (!bad) {
        EXPECT_FALSE(report.trap) << one.name << ": " << report.trap->message;
        continue;
      }
      ASSERT_TRUE(report.trap) << one.name;
      EXPECT_EQ(report.trap->kind, Trap::Kind::kUndefinedBehaviour) << one.name;
      EXPECT_NE(report.trap->message.find(one.message), std::string::npos)
          << one.name << ": " << report.trap->message;
      EXPECT_NE(report.trap->instruction, Inst::kNone) << one.name;
      EXPECT_EQ(report.trap->invocation[0], 0u);
    }
  }
}

// --- limits

// Counts to the operand.
TableRow Loop() {
  TableRow row;
  row.instruction = "loop";
  row.result = "u32";
  row.operands = {"u32"};
  row.body = R"(OpBranch %head~
%head~ = OpLabel
%i~ = OpPhi %u32 %c_u32_0 %entry %j~ %next~
%more~ = OpULessThan %b %i~ $0
OpLoopMerge %m~ %next~ None
OpBranchConditional %more~ %next~ %m~
%next~ = OpLabel
%j~ = OpIAdd %u32 %i~ %c_u32_1
OpBranch %head~
%m~ = OpLabel
$r = OpIAdd %u32 %i~ $0)";
  return row;
}

RunReport RunLoop(const std::vector<uint32_t>& counts, const Limits& limits) {
  const auto module = Assembled(RowAssembly(Loop(), {{0}}, RowForm::kBuffers), 3);
  Bindings bindings;
  bindings.buffers = {StorageBuffer(0, BytesOfWords(counts)),
                      StorageBuffer(1, std::string(4 * counts.size(), '\0'))};
  bindings.groups[0] = static_cast<uint32_t>(counts.size());
  const auto program = ProgramOf(*module, bindings);
  RunOptions options;
  options.limits = limits;
  return Run(*program, options);
}

TEST(Traps, StepsOfAnInvocation) {
  Limits limits;
  limits.steps_per_invocation = 2000;
  EXPECT_FALSE(RunLoop({100, 200}, limits).trap);
  const RunReport report = RunLoop({100, 1000000}, limits);
  ASSERT_TRUE(report.trap);
  EXPECT_EQ(report.trap->kind, Trap::Kind::kLimit);
  EXPECT_EQ(report.trap->invocation[0], 1u);
  EXPECT_NE(report.trap->message.find("2000"), std::string::npos) << report.trap->message;
  // What the first wrote is there.
  EXPECT_EQ(WordsOf(report.outputs.buffers.at(1).bytes)[0], 200u);
}

TEST(Traps, StepsOfAll) {
  Limits limits;
  limits.steps = 20000;
  EXPECT_FALSE(RunLoop(std::vector<uint32_t>(10, 100), limits).trap);
  const RunReport report = RunLoop(std::vector<uint32_t>(100, 100), limits);
  ASSERT_TRUE(report.trap);
  EXPECT_EQ(report.trap->kind, Trap::Kind::kLimit);
  EXPECT_NE(report.trap->message.find("20000"), std::string::npos) << report.trap->message;
}

// A private array of 2^30 elements, of which the operand's number are touched.
TableRow Sparse() {
  TableRow row = Loop();
  row.instruction = "sparse";
  row.globals = R"(%c_many = OpConstant %u32 1073741824
%c_far = OpConstant %u32 65537
%many = OpTypeArray %u32 %c_many
%p_many = OpTypePointer Private %many
%p_u_p = OpTypePointer Private %u32
%huge = OpVariable %p_many Private)";
  const std::string add = "%j~ = OpIAdd";
  row.body.insert(row.body.find(add), R"(%at~ = OpIMul %u32 %i~ %c_far
%place~ = OpAccessChain %p_u_p %huge %at~
OpStore %place~ %i~
)");
  const std::string result = "$r = OpIAdd %u32 %i~ $0";
  row.body.replace(row.body.find(result), result.size(), R"(%two~ = OpIAdd %u32 %c_far %c_far
%back~ = OpAccessChain %p_u_p %huge %two~
$r = OpLoad %u32 %back~)");
  return row;
}

TEST(Traps, MemoryOfSparseArrays) {
  const auto module = Assembled(RowAssembly(Sparse(), {{0}}, RowForm::kBuffers), 3);
  ASSERT_TRUE(module);
  for (const uint32_t touched : {3u, 16000u}) {
    Bindings bindings;
    bindings.buffers = {StorageBuffer(0, BytesOfWords({touched})),
                        StorageBuffer(1, std::string(4, '\0'))};
    const auto program = ProgramOf(*module, bindings);
    ASSERT_TRUE(program);
    RunOptions options;
    options.limits.memory = 1 << 18;
    const RunReport report = refract::Run(*program, options);
    if (touched == 3) {
      ASSERT_FALSE(report.trap) << report.trap->message;
      EXPECT_EQ(WordsOf(report.outputs.buffers.at(1).bytes)[0], 2u);
      continue;
    }
    ASSERT_TRUE(report.trap);
    EXPECT_EQ(report.trap->kind, Trap::Kind::kLimit);
    EXPECT_NE(report.trap->message.find("262144 bytes of memory"), std::string::npos)
        << report.trap->message;
  }
}

TEST(Traps, MemoryOfRows) {
  const auto module = Assembled(RowAssembly(Loop(), {{0}}, RowForm::kBuffers), 3);
  Bindings bindings;
  bindings.buffers = {StorageBuffer(0, BytesOfWords({1})), StorageBuffer(1, std::string(4, '\0'))};
  const auto program = ProgramOf(*module, bindings);
  RunOptions options;
  options.limits.memory = 64;
  const RunReport report = refract::Run(*program, options);
  ASSERT_TRUE(report.trap);
  EXPECT_EQ(report.trap->kind, Trap::Kind::kLimit);
  EXPECT_NE(report.trap->message.find("64 bytes of memory"), std::string::npos);
}

TEST(Traps, WorkgroupTooLarge) {
  std::string text = RowAssembly(Loop(), {{0}}, RowForm::kBuffers);
  const std::string size = "LocalSize 1 1 1";
  text.replace(text.find(size), size.size(), "LocalSize 64 64 64");
  const auto module = Assembled(text, 3);
  ASSERT_TRUE(module);
  Bindings bindings;
  bindings.buffers = {StorageBuffer(0, BytesOfWords({1})), StorageBuffer(1, std::string(4, '\0'))};
  const auto program = ProgramOf(*module, bindings);
  ASSERT_TRUE(program);
  const RunReport report = refract::Run(*program);
  ASSERT_TRUE(report.trap);
  EXPECT_EQ(report.trap->kind, Trap::Kind::kLimit);
  EXPECT_NE(report.trap->message.find("the workgroup has more than"), std::string::npos);
}

// --- what is refused before it runs

std::string Refusal(const TableRow& row) {
  const auto words =
      Assemble(RowAssembly(row, {{0}}, RowForm::kBuffers),
               row.version == 3 ? TargetEnvironment::kVulkan11 : TargetEnvironment::kVulkan12);
  if (!words) return words.error().message;
  const auto module = ReadModule(*words, "t");
  if (!module) return module.error().message;
  const auto entry = FindEntryPoint(*module, "", "t");
  Bindings bindings;
  bindings.buffers = {StorageBuffer(0, BytesOfWords({1})), StorageBuffer(1, std::string(4, '\0'))};
  const auto program = Program::Decode(*module, *entry, bindings, "t");
  if (program) return "";
  EXPECT_EQ(program.error().kind, ErrorKind::kUnavailable);
  return program.error().message;
}

TableRow Calls(uint32_t depth, bool circle) {
  TableRow row;
  row.instruction = "calls";
  row.result = "u32";
  row.operands = {"u32"};
  row.globals = "%u_to_u = OpTypeFunction %u32 %u32";
  row.body = "$r = OpFunctionCall %u32 %fn0 $0";
  for (uint32_t i = 0; i < depth; ++i) {
    row.functions += format(
        "%fn{0} = OpFunction %u32 None %u_to_u\n%arg{0} = OpFunctionParameter "
        "%u32\n%l{0} = OpLabel\n",
        i);
    if (i + 1 < depth || circle) {
      row.functions += format(
          "%w{0} = OpFunctionCall %u32 %fn{1} %arg{0}\n"
          "%y{0} = OpFunctionCall %u32 %fn{1} %w{0}\n",
          i, (i + 1) % depth);
    } else {
      row.functions += format("%y{0} = OpIAdd %u32 %arg{0} %c_u32_1\n", i);
    }
    row.functions += format("OpReturnValue %y{}\nOpFunctionEnd\n", i);
  }
  return row;
}

TEST(Traps, CallsTooDeep) {
  EXPECT_EQ(Refusal(Calls(100, false)), "");
  EXPECT_NE(Refusal(Calls(400, false)).find("deep"), std::string::npos)
      << Refusal(Calls(400, false));
}

TEST(Traps, RecursionIsRefused) {
  // However many paths there are through the circle.
  for (const uint32_t size : {1u, 3u}) {
    const std::string said = Refusal(Calls(size, true));
    EXPECT_NE(said.find("calls are nested more than 200 levels deep"), std::string::npos) << said;
  }
}
// Instructions that are not there are named.
TEST(Traps, UnknownInstructionsAreNamed) {
  for (const std::string name : {"OpPtrEqual", "OpPtrNotEqual"}) {
    TableRow row;
    row.instruction = name;
    row.result = "u32";
    row.operands = {"u32"};
    row.version = 4;
    row.capabilities = "OpCapability VariablePointersStorageBuffer\n";
    row.body = format(R"(%p~ = OpAccessChain %p_word %in %c_u32_0 %c_u32_0
%q~ = OpAccessChain %p_word %out %c_u32_0 %c_u32_0
%e~ = {} %b %p~ %q~
$r = OpSelect %u32 %e~ %c_u32_1 $0)",
                      name);
    const std::string said = Refusal(row);
    EXPECT_NE(said.find(name + " %"), std::string::npos) << said;
    EXPECT_NE(said.find("cannot be interpreted: this instruction is not supported"),
              std::string::npos)
        << said;
  }
}

// The table of opcodes for OpSpecConstantOp has only operations on values.
TEST(Traps, ConstantOperationsOnMemoryAreRefused) {
  TableRow row;
  row.instruction = "OpSpecConstantOp";
  row.result = "u32";
  row.operands = {"u32"};
  row.globals =
      "%p_private = OpTypePointer Private %u32\n%private = OpVariable %p_private Private\n"
      "%chain = OpSpecConstantOp %p_private AccessChain %private\n";
  row.body = "$r = OpCopyObject %u32 $0";
  const std::string said = Refusal(row);
  EXPECT_NE(said.find("OpSpecConstantOp %"), std::string::npos) << said;
  EXPECT_NE(said.find("cannot be interpreted: this instruction is not supported"),
            std::string::npos)
      << said;
}

}  // namespace
}  // namespace refract
