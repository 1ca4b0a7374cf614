// SPDX-License-Identifier: Apache-2.0
// Signatures of failures: a table of logs from tools and drivers, pairs of logs with the same bug
// and with different bugs, and arbitrary bytes.
#include "signature/signature.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "base/random.h"
#include "base/text.h"
#include "signature/frames.h"
#include "signature/normalise.h"

namespace refract {
namespace {

std::string Of(std::string_view log) {
  return SignatureOf(FailureFromLog(log)).text;
}

struct Row {
  const char* name;
  const char* log;
  const char* signature;
};

const Row kRows[] = {
    // Inputs that tools reject.
    {"spirv_val_ids",
     "error: line 213: ID '47[%47]' defined in block '31[%loop_body]' does not dominate its use in "
     "block '52[%52]'\n  %52 = OpLabel\n",
     "rejected: ID '<id>' defined in block '<id>' does not dominate its use in block '<id>'"},
    {"spirv_val_instruction_number", "error: 88: Result type of the comparison %91 is no bool\n",
     "rejected: Result type of the comparison <id> is no bool"},
    {"spirv_val_quoted_id",
     "error: line 4: Operand 2 of EntryPoint <ID> '9' is no function of 3 parameters\n",
     "rejected: Operand N of EntryPoint <id> is no function of N parameters"},
    {"spirv_opt_no_pass", "error: Unknown flag '--merge-return-twice'. Use --help for a list.\n",
     "rejected: Unknown flag '--merge-return-twice'. Use --help for a list"},
    {"glslang_undeclared",
     "1.txt\nERROR: 1.txt:31: 'tint_amount' : undeclared identifier \nERROR: 1.txt:31: '' : "
     "compilation terminated \nERROR: 2 compilation errors.  No code generated.\n",
     "rejected: '<name>' : undeclared identifier"},
    {"glslang_operands",
     "ERROR: /home/me/w/v_17.frag:120: '*' :  wrong operand types: no operation '*' exists that "
     "takes a left-hand operand of type ' temp highp 3-component vector of float'\n",
     "rejected: '*' : wrong operand types: no operation '*' exists that takes a left-hand operand "
     "of type ' temp highp N-component vector of float'"},
    {"glslang_block_name",
     "ERROR: 1.txt:9: 'plain_uniforms' : cannot be used (maybe an instance name is needed) \n",
     "rejected: '<name>' : cannot be used (maybe an instance name is needed)"},
    {"spirv_cross", "SPIRV-Cross threw an exception: Cannot resolve expression type of id 412.\n",
     "rejected: Cannot resolve expression type of id N"},
    {"compiler_with_file", "shaders/a_variant.hlsl:12:9: error: cannot convert from 'float3'\n",
     "rejected: cannot convert from 'floatN'"},
    {"any_error", "Error: the moon is in the wrong phase (7)\n",
     "rejected: the moon is in the wrong phase (N)"},

    // Crash patterns.
    {"assert_glibc",
     "spirv-opt: ../source/opt/loop_peeling_pass.cpp:441: void shop::opt::Peeler::Peel(uint32_t, "
     "const std::vector<int>&): Assertion `count_ > 0 && \"nothing to peel\"' failed.\nAborted\n",
     "crash: assertion 'count_ > 0 && \"nothing to peel\"' in shop::opt::Peeler::Peel"},
    {"assert_template",
     "tool: a/b.h:7: static T* zoo::Cage<T, 4>::Open(int) [with T = zoo::Bear]: Assertion `door' "
     "failed.\n",
     "crash: assertion 'door' in zoo::Cage<>::Open"},
    {"assert_mac", "Assertion failed: (Width != 0), function widen, file Fold.cpp, line 77.\n",
     "crash: assertion '(Width != 0)' in widen"},
    {"check_failed", "F0412 11:09:01.123 77 graph.cc:90] Check failed: a == b (12 vs. 13) \n",
     "crash: check 'a == b'"},
    {"our_own_check", "refract: internal error: CHECK(id < bound) failed at src/x.cpp:12\n",
     "crash: check 'id < bound'"},
    {"llvm_error", "LLVM ERROR: Cannot select: 0x55d0c1: v8f32 = fmaximum 0x55d0c2, 0x55d0c3\n",
     "crash: LLVM ERROR: Cannot select: <hex>: v8f32 = fmaximum <hex>, <hex>"},
    {"llvm_verifier",
     "PHI nodes have a gap!\n  %17 = phi i32 [ 0, %4 ]\nlabel %9\n"
     "LLVM ERROR: Broken function found, compilation aborted!\n",
     "crash: LLVM verifier: PHI nodes have a gap!"},
    {"llvm_machine",
     "*** Bad machine code: Two uses of a killed register ***\n- function:    main\n"
     "LLVM ERROR: Found 1 machine code errors.\n",
     "crash: LLVM bad machine code: Two uses of a killed register"},
    {"llvm_unreachable",
     "no such addressing mode 12\nUNREACHABLE executed at ../lib/Target/X/ISel.cpp:900!\n",
     "crash: LLVM unreachable: no such addressing mode N"},
    {"terminate",
     "terminate called after throwing an instance of 'std::out_of_range'\n  what():  "
     "vector::_M_range_check: __n (which is 18) >= this->size() (which is 3)\n",
     "crash: uncaught std::out_of_range: vector::_M_range_check: __n (which is N) >= this->size() "
     "(which is N)"},
    {"pure_virtual", "pure virtual method called\nterminate called without an active exception\n",
     "crash: pure virtual method called"},
    {"glibc_free", "free(): invalid pointer\nAborted (core dumped)\n",
     "crash: free(): invalid pointer"},
    {"glibc_stack", "*** stack smashing detected ***: terminated\n",
     "crash: stack smashing detected"},
    {"asan",
     "==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000050\n"
     "READ of size 4 at 0x602000000050 thread T0\n"
     "    #0 0x49d1a2 in __asan_memcpy (/opt/t/spirv-opt+0x49d1a2)\n"
     "    #1 0x5e0f11 in shop::opt::DefUse::Find(shop::Id) const /src/opt/def_use.cpp:77:12\n"
     "    #2 0x5e1000 in main /src/main.cpp:9\n"
     "SUMMARY: AddressSanitizer: heap-use-after-free (/opt/t/spirv-opt+0x49d1a2) in "
     "__asan_memcpy\n",
     "crash: AddressSanitizer heap-use-after-free shop::opt::DefUse::Find"},
    {"asan_segv", "SUMMARY: AddressSanitizer: SEGV /src/a.cc:1:2 in acme::f(int)\n",
     "crash: AddressSanitizer SEGV acme::f"},
    {"ubsan",
     "../src/fold.cpp:19:7: runtime error: shift exponent 37 is too large for 32-bit type 'int'\n"
     "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior ../src/fold.cpp:19:7 in \n",
     "crash: runtime error in fold.cpp: shift exponent N is too large for N-bit type 'int'"},
    {"lsan",
     "==9==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 40 byte(s)\n"
     "    #0 0x7f in operator new(unsigned long) (/lib/libasan.so.8+0x9)\n"
     "    #1 0x55 in zoo::Feed() /src/zoo.cpp:4\n\n"
     "SUMMARY: AddressSanitizer: 40 byte(s) leaked in 1 allocation(s).\n",
     "crash: AddressSanitizer leak zoo::Feed"},
    {"rust_old",
     "thread 'main' panicked at 'index out of bounds: the len is 3 but the index is 7', "
     "src/back/spv.rs:12:9\n",
     "crash: panic: index out of bounds: the len is N but the index is N"},
    {"rust_new", "thread 'main' panicked at src/front/mod.rs:77:13:\nno type for this handle\n",
     "crash: panic: no type for this handle"},
    {"mesa_spirv",
     "SPIR-V parsing FAILED:\n    In file ../src/compiler/spirv/vtn_x.c:911\n    "
     "A loop without a back edge: 42\n    712 bytes into the SPIR-V binary\n",
     "crash: SPIR-V parsing: A loop without a back edge: N"},
    {"aco",
     "ACO ERROR:\n    In file ../src/amd/compiler/aco_check.cpp:90\n    Operand too wide: "
     "v1: %91 = v_mov_b32 0x3f800000\n",
     "crash: ACO: Operand too wide: v1: <id> = v_mov_b32 <hex>"},
    {"nir", "error: src->parent != NULL (../src/compiler/nir/nir_validate.c:210)\n",
     "crash: NIR: src->parent != NULL"},
    {"swiftshader", "../src/Pipeline/Route.cpp:512 ABORT: no handler for opcode 81\n",
     "crash: ABORT: no handler for opcode 81"},
    {"bad_alloc", "terminating: std::bad_alloc was thrown\n", "crash: out of memory"},

    // Stack traces.
    {"worker_report",
     "\nrefract-worker: fatal signal 11\n/lib/x86_64-linux-gnu/libc.so.6(+0x3c050)[0x7f01a0]\n"
     "/usr/lib/libvulkan_lvp.so(+0x5a1f2e)[0x7f02b1]\n/usr/lib/"
     "libvulkan_lvp.so(+0x5a0000)[0x7f02]\n"
     "refract(+0x99)[0x5500]\nrefract-worker: end of backtrace\n",
     "crash: SIGSEGV libvulkan_lvp.so+0x5a1f2e"},
    {"catchsegv_mangled",
     "*** Segmentation fault\nBacktrace:\n/lib/libc.so.6(abort+0xd3)[0x7f00]\n"
     "/usr/lib/libacme_vk.so.1(_ZN4acme5LowerIiE5visitEPNS_4NodeE+0x1f)[0x7f01]\n",
     "crash: SIGSEGV libacme_vk.so acme::Lower<>::visit"},
    {"gdb",
     "Program received signal SIGSEGV, Segmentation fault.\n"
     "#0  __memcpy_avx_unaligned () at ../sysdeps/x86_64/memcpy.S:222\n"
     "#1  0x000055555557f0aa in acme::Pool::Grow (this=0x5555, by=64) at pool.cpp:31\n"
     "#2  0x000055555557f111 in main (argc=2, argv=0x7ffe) at main.cpp:9\n",
     "crash: SIGSEGV acme::Pool::Grow"},
    {"gdb_stripped", "#0  0x00007f1 in ?? () from /usr/lib/libfoo.so.3\n#1  0x1 in main ()\n",
     "crash: libfoo.so"},
    {"llvm_stack_dump",
     "Stack dump:\n0.\tProgram arguments: opt x.ll\n"
     " #0 0x00007f12 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) "
     "(/lib/libLLVM-15.so.1+0xe3)\n"
     " #1 0x00007f13 SignalHandler(int) (/lib/libLLVM-15.so.1+0xe4)\n"
     " #2 0x00007f14 (/lib/libc.so.6+0x3c050)\n"
     " #3 0x00007f15 llvm::SROA::run(llvm::Function&) (/lib/libLLVM-15.so.1+0x1f4)\n",
     "crash: libLLVM-15.so llvm::SROA::run"},
    {"tombstone",
     "signal 11 (SIGSEGV), code 1\n"
     "      #00 pc 000000000004fa1c  /apex/lib64/bionic/libc.so (abort+164) (BuildId: 1a2b)\n"
     "      #01 pc 0000000000123456  /vendor/lib64/hw/vulkan.acme.so "
     "(acme::Lower::visit(Node*)+40) "
     "(BuildId: deadbeef)\n",
     "crash: SIGSEGV vulkan.acme.so acme::Lower::visit"},
    {"tombstone_bare",
     "      #00 pc 0000000000123456  /vendor/lib64/hw/vulkan.acme.so (BuildId: deadbeef)\n",
     "crash: vulkan.acme.so+0x123456"},
    {"cdb",
     "0000008f`12ffe0b0 00007ff6`1b2c3d4e spirvtool!opt::Pass::Run+0x2a [c:\\src\\pass.cc @ 17]\n",
     "crash: spirvtool opt::Pass::Run"},
    {"abort_text_beats_frames",
     "double free or corruption (out)\n\nrefract-worker: fatal signal 06\n"
     "/usr/lib/libfoo.so(+0x77)[0x7f02b1]\nrefract-worker: end of backtrace\n",
     "crash: double free or corruption (out)"},

    // What test runners report.
    {"amber_emd", "x.amber: 44: Histogram EMD value of 0.031 is greater than tolerance of 0.005\n",
     "wrong_image"},
    {"amber_probe", "Line 77: Probe failed at: 0, 0\n", "wrong_image"},
    {"amber_fence", "Vulkan::Calling vkWaitForFences Timeout\n", "error vkWaitForFences: Timeout"},
    {"pipeline_failed", "vkCreateComputePipelines failed: VK_ERROR_UNKNOWN\n",
     "error vkCreateComputePipelines: VK_ERROR_UNKNOWN"},
    {"device_lost", "vkQueueSubmit failed: VK_ERROR_DEVICE_LOST\n",
     "device_lost: VK_ERROR_DEVICE_LOST"},
    {"nvidia_xid", "NVRM: Xid (PCI:0000:01:00): 31, pid=1234, Ch 00000008, intr 10000000\n",
     "device_lost: Xid 31, pid=N, Ch N, intr N"},
    {"hang", "spirv-opt did not end within 60 seconds\n", "hang"},

    // Logs without usable information.
    {"empty", "", "unknown"},
    {"blank", "\n\n   \n", "unknown"},
    {"no_error", "all is well\n3 shaders compiled\n", "unknown"},
    {"bare_segfault", "Segmentation fault (core dumped)\n", "crash: SIGSEGV"},
};

class Table : public ::testing::TestWithParam<Row> {};

TEST_P(Table, HasTheSignature) {
  EXPECT_EQ(Of(GetParam().log), GetParam().signature);
}
INSTANTIATE_TEST_SUITE_P(Signature, Table, ::testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Signature, OneBugHasTheSameSignatureForDifferentVariants) {
  const std::pair<const char*, const char*> pairs[] = {
      {"error: line 9: ID '5[%5]' is used in block '6[%6]'\n",
       "error: line 1234: ID '77[%foo]' is used in block '901[%901]'\n"},
      {"ERROR: /tmp/a1/v.frag:3: 'x' : undeclared identifier\n",
       "ERROR: other.frag:900: '_1234' : undeclared identifier\n"},
      {"t: /build/a/f.cpp:1: void o::F<int>::g(int) [with T = int]: Assertion `x' failed.\n",
       "t: /home/z/f.cpp:9: void o::F<o::V<3> >::g(int): Assertion `x' failed.\n"},
      {"malloc(): corrupted top size\n", "noise\nmalloc(): corrupted top size\nAborted\n"},
      {"error: cannot open /tmp/refract-a1b2/in.spv at 0x7ffe12\n",
       "error: cannot open /var/tmp/zzz/0.spv at 0x1000\n"},
  };
  for (const auto& [a, b] : pairs) EXPECT_EQ(Of(a), Of(b));
}

TEST(Signature, DifferentBugsHaveDifferentSignatures) {
  const char* const logs[] = {
      "error: line 9: ID '5[%5]' is used in block '6[%6]'\n",
      "error: line 9: ID '5[%5]' is defined in block '6[%6]'\n",
      "A.cpp:1 ABORT: no handler for opcode 81\n",
      "A.cpp:1 ABORT: no handler for opcode 82\n",
      "t: f.cpp:1: void a::b(): Assertion `x' failed.\n",
      "t: f.cpp:1: void a::c(): Assertion `x' failed.\n",
      "t: f.cpp:1: void a::b(): Assertion `y > 1' failed.\n",
      "t: f.cpp:1: void a::b(): Assertion `y > 2' failed.\n",
      "free(): invalid pointer\n",
      "free(): double free detected in tcache 2\n",
      "/lib/libx.so(+0x12)[0x7f]\nSegmentation fault\n",
      "/lib/libx.so(+0x13)[0x7f]\nSegmentation fault\n",
  };
  std::map<std::string, std::string> seen;
  for (const char* log : logs) {
    const auto [other, fresh] = seen.emplace(Of(log), log);
    EXPECT_TRUE(fresh) << other->first << "\n" << other->second << log;
  }
}

TEST(Signature, AStackOverflowDoesNotDependOnWhereItHappened) {
  const auto log = [](int first, const char* top) {
    std::string text = format("Segmentation fault\n#0 0x1 in {} () from /lib/libc.so.6\n", top);
    const char* const cycle[] = {"c::Third", "a::First", "b::Second"};
    for (int i = 1; i < 100; ++i) {
      text +=
          format("#{} 0x{:x} in {}(int) /src/x.cpp:{}\n", i, 4096 + i, cycle[(i + first) % 3], i);
    }
    return text;
  };
  EXPECT_EQ(Of(log(0, "malloc")), "crash: stack overflow in a::First");
  EXPECT_EQ(Of(log(1, "memcpy")), Of(log(0, "malloc")));
  EXPECT_EQ(Of(log(2, "free")), Of(log(0, "malloc")));
}

TEST(Signature, StageComesBeforeTargetAndClassRules) {
  FailureData facts;
  facts.target = "spirv-opt-O";
  facts.kind = FailureClass::kHang;
  EXPECT_EQ(SignatureOf(facts).text, "hang spirv-opt-O");
  facts.stage = "spirv-opt";
  EXPECT_EQ(SignatureOf(facts).text, "hang spirv-opt");
  facts.kind = FailureClass::kWrongImage;
  facts.output = "ERROR: x.frag:1: 'a' : undeclared identifier\n";  // printed before the failure
  EXPECT_EQ(SignatureOf(facts).text, "wrong_image spirv-opt");
  facts.kind = FailureClass::kCrash;
  facts.signal = SIGSEGV;
  EXPECT_EQ(SignatureOf(facts).text, "crash spirv-opt: SIGSEGV");
  facts.backtrace = {"libc.so.6!abort+0xd3", "?", "libfoo.so.1!_ZN1a1bEv+0x12"};
  EXPECT_EQ(SignatureOf(facts).text, "crash spirv-opt: SIGSEGV libfoo.so a::b");
  facts.output += "LLVM ERROR: out of registers\n";
  EXPECT_EQ(SignatureOf(facts).text, "crash spirv-opt: LLVM ERROR: out of registers");
  facts.kind = FailureClass::kInvalidOutput;
  facts.validator_message = "Operand '9[%9]' of the phi has no edge\n  %9 = OpPhi %int %1 %2\n";
  EXPECT_EQ(SignatureOf(facts).text,
            "invalid_output spirv-opt: Operand '<id>' of the phi has no edge in OpPhi");
  facts.kind = FailureClass::kRejected;
  facts.output = "no\n";
  facts.exit_code = 3;
  facts.signal = 0;
  EXPECT_EQ(SignatureOf(facts).text, "rejected spirv-opt: exit 3");
}

TEST(Signature, ALogWrittenByRefractGivesTheSameSignatureAsItsFacts) {
  FailureData facts;
  facts.target = "lavapipe";
  facts.kind = FailureClass::kCrash;
  facts.signal = SIGABRT;
  facts.backtrace = {"libc.so.6+0x1", "libgallium.so!draw<int>(float)+0x12"};
  facts.output = "Mesa: warning\nerror: not this one\n";
  EXPECT_EQ(SignatureOf(facts).text, "crash lavapipe: SIGABRT libgallium.so draw<>");
  EXPECT_EQ(Of(LogText(facts)), SignatureOf(facts).text);
  facts.kind = FailureClass::kInvalidOutput;
  facts.stage = "spirv-opt";
  facts.validator_message = "Block '1[%1]' is lost\n  %1 = OpLabel\n";
  EXPECT_EQ(Of(LogText(facts)), SignatureOf(facts).text);
  facts.kind = FailureClass::kError;
  facts.stage = "vkCreateShaderModule";
  facts.code = "VK_ERROR_UNKNOWN";
  EXPECT_EQ(Of(LogText(facts)), "error vkCreateShaderModule: VK_ERROR_UNKNOWN");
}

TEST(Signature, IsShortAndPrintableForAnyLog) {
  Random random(7);
  const std::string words[] = {"error: ",
                               "#0 ",
                               "0x1f",
                               "(+0x1)[0x2]",
                               "SUMMARY: ",
                               "Sanitizer: ",
                               ": Assertion `",
                               "' failed.",
                               "LLVM ERROR: ",
                               "<",
                               ">",
                               "'",
                               "\n",
                               "refract-log: ",
                               "class crash\n",
                               "_ZN",
                               "pc ",
                               " in ",
                               "%",
                               "`",
                               "operator",
                               "(",
                               ")",
                               "+0x",
                               "ERROR: a:1:",
                               "Sanitizer",
                               " at "};
  for (int i = 0; i < 3000; ++i) {
    std::string log;
    for (uint64_t parts = random.Below(40); parts > 0; --parts) {
      if (random.Below(3) == 0) {
        log += static_cast<char>(random.Below(256));
      } else {
        log += words[random.Below(std::size(words))];
      }
    }
    const FailureSignature signature = SignatureOf(FailureFromLog(log));
    ASSERT_LE(signature.text.size(), kMaxSignature);
    ASSERT_FALSE(signature.text.empty());
    for (const char c : signature.text) ASSERT_TRUE(c >= 0x20 && c < 0x7f) << log;
  }
}

TEST(Signature, LongLinesAreFastAndStayDistinct) {
  const std::string a = "error: " + std::string(8 << 20, 'a') + "\n" + std::string(8 << 20, '<');
  EXPECT_EQ(Of(a).size(), kMaxSignature);
  std::string b = "error: " + std::string(300, 'a');
  EXPECT_NE(Of(b), Of(b + "b"));  // the hash covers all of it
  std::string many;
  for (int i = 0; i < 40000; ++i) many += "#0 0x12 in a (b) line\n";
  EXPECT_FALSE(Of(many).empty());
}

TEST(Signature, ExplainsEachStep) {
  const FailureSignature signature =
      SignatureOf(FailureFromLog("hello\nerror: line 7: ID '12[%x]' is odd\n"));
  ASSERT_EQ(signature.steps.size(), 5u);
  EXPECT_EQ(signature.steps[0].rule, "class");
  EXPECT_EQ(signature.steps[1].rule, "line");
  EXPECT_EQ(signature.steps[1].line, 2u);
  EXPECT_EQ(signature.steps[2].rule, "compiler error");
  EXPECT_EQ(signature.steps[2].text, "ID '12[%x]' is odd");
  EXPECT_EQ(signature.steps[3].rule, "ids");
  EXPECT_EQ(signature.steps[4].text, "rejected: ID '<id>' is odd");
}

TEST(IsCrashExit, DistinguishesCrashesFromRejections) {
  int signal = 0;
  EXPECT_FALSE(IsCrashExit(1, "error: no\n", &signal));
  EXPECT_FALSE(IsCrashExit(0, "SUMMARY: AddressSanitizer: SEGV a.cc in f\n", &signal));
  EXPECT_TRUE(IsCrashExit(1, "SUMMARY: AddressSanitizer: SEGV a.cc in f\n", &signal));
  EXPECT_EQ(signal, 0);
  EXPECT_TRUE(IsCrashExit(134, "", &signal));
  EXPECT_EQ(signal, SIGABRT);
  EXPECT_FALSE(IsCrashExit(130, "", &signal));
}

TEST(FunctionName, OmitsParametersArgumentsAndTypes) {
  EXPECT_EQ(FunctionName("void a::b(int)"), "a::b");
  EXPECT_EQ(FunctionName("std::unique_ptr<X> a::B<int, C<2> >::C(int) const"), "a::B<>::C");
  EXPECT_EQ(FunctionName("_ZN4acme5LowerIiE5visitEPNS_4NodeE"), "acme::Lower<>::visit");
  EXPECT_EQ(FunctionName("a::(anonymous namespace)::f(int)"), "a::(anonymous namespace)::f");
  EXPECT_EQ(FunctionName("a::operator()(int) const"), "a::operator()");
  EXPECT_EQ(FunctionName("bool a::operator<(a::X, a::X)"), "a::operator<");
  EXPECT_EQ(FunctionName("main"), "main");
  EXPECT_EQ(FunctionName(""), "");
}

}  // namespace
}  // namespace refract
