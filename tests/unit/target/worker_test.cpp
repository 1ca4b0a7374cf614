// SPDX-License-Identifier: Apache-2.0
// What harness and workers send each other and print, without any driver.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "crash/crash_report.h"
#include "driver/protocol.h"
#include "driver/requirements.h"
#include "target/worker_process.h"
#include "unit/shared/harness_shaders.h"

namespace refract {
namespace {

TEST(RunResult, HasASignatureUnlessItIsOk) {
  RunResult result;
  result.target = "lavapipe";
  EXPECT_EQ(Signature(result), "");
  result.verdict = RunOutcome::kCrash;
  result.signal = SIGABRT;
  EXPECT_EQ(Signature(result), "crash lavapipe: SIGABRT");
  result.backtrace = {"libc.so.6+0x8aeec", "libc.so.6!abort+0xd3", "libfoo.so.1+0x12", "x+0x1"};
  EXPECT_EQ(Signature(result), "crash lavapipe: SIGABRT libfoo.so+0x12");
  result.verdict = RunOutcome::kHang;
  EXPECT_EQ(Signature(result), "hang lavapipe");
}

TEST(CrashReport, IsFoundAndStrippedOfFoldersAndAddresses) {
  const CrashReport report = FindCrashReport(
      "noise\n\nrefract-worker: fatal signal 06\n/a/libc.so.6(abort+0xd3)[0x7f00]\n"
      "/b/libfoo.so.1(+0x12) [0x7f01]\n[0x7f02]\nrefract(+0x99)[0x5500]\n"
      "/a/libc.so.6(+0x1)[0x7f03]\nrefract-worker: end of backtrace\nmore\n");
  EXPECT_EQ(report.signal, 6);
  EXPECT_EQ(report.backtrace,
            (std::vector<std::string>{"libc.so.6!abort+0xd3", "libfoo.so.1+0x12", "jit"}));
  EXPECT_FALSE(report.stack_overflow);
  EXPECT_EQ(FindCrashReport("nothing of the kind").signal, 0);
  // Cut short by a second fault.
  EXPECT_EQ(FindCrashReport("\nrefract-worker: fatal signal 11\n").signal, 11);
}

TEST(CrashReport, HasWhatTheWatcherSaw) {
  const CrashReport report = FindCrashReport(CrashReportText(
      11, true,
      {"/b/libfoo.so.1(+0x12)[0x7f01] (BuildId: 12ab)", "?", "/b/libfoo.so.1(name+0x3)[0x7f04]"}));
  EXPECT_EQ(report.signal, 11);
  EXPECT_TRUE(report.stack_overflow);
  EXPECT_EQ(report.backtrace, (std::vector<std::string>{"libfoo.so.1+0x12 [build-id 12ab]", "?",
                                                        "libfoo.so.1!name+0x3"}));
  RunResult result;
  result.target = "lavapipe";
  result.verdict = RunOutcome::kCrash;
  result.signal = SIGSEGV;
  result.backtrace = report.backtrace;
  EXPECT_EQ(Signature(result), "crash lavapipe: SIGSEGV libfoo.so+0x12");
  result.stack_overflow = true;
  EXPECT_EQ(Signature(result), "crash lavapipe: stack overflow in libfoo.so+0x12");
  EXPECT_EQ(SignatureOf(FailureFromLog(LogText(FactsOf(result)))).text, Signature(result));
  result.backtrace = {"?"};
  EXPECT_EQ(Signature(result), "crash lavapipe: stack overflow");
}

// If tracing is not permitted, the worker writes the report itself.
TEST(CrashReport, AWorkerWithoutAWatcherWritesItself) {
  int pipes[2];
  ASSERT_EQ(::pipe(pipes), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(pipes[1], STDERR_FILENO);
    ::close(pipes[0]);
    InstallCrashReport();
    ::raise(SIGBUS);
    ::_exit(0);
  }
  ::close(pipes[1]);
  std::string output;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(pipes[0], buffer, sizeof buffer)) > 0;) {
    output.append(buffer, static_cast<size_t>(got));
  }
  ::close(pipes[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
  const CrashReport report = FindCrashReport(output);
  EXPECT_EQ(report.signal, SIGBUS);
  ASSERT_FALSE(report.backtrace.empty()) << output;
  EXPECT_EQ(report.backtrace[0].substr(0, 7), "libc.so") << output;  // raise()
}

TEST(FailureClass, OnlySomeClassesAreBugs) {
  for (const FailureClass kind :
       {FailureClass::kSlow, FailureClass::kOutOfMemory, FailureClass::kUnsupported,
        FailureClass::kUndefined, FailureClass::kNotUsable, FailureClass::kOurError}) {
    EXPECT_FALSE(IsBug(kind)) << FailureClassName(kind);
    EXPECT_EQ(FailureClassNamed(FailureClassName(kind)), kind);
  }
  for (const FailureClass kind :
       {FailureClass::kCrash, FailureClass::kHang, FailureClass::kRejected,
        FailureClass::kInvalidOutput, FailureClass::kDeviceLost, FailureClass::kError,
        FailureClass::kWrongImage, FailureClass::kWrongBuffer, FailureClass::kNonDeterministic}) {
    EXPECT_TRUE(IsBug(kind)) << FailureClassName(kind);
  }
}

// Every verdict of a run except ok is a failure class of the same name.
TEST(RunOutcome, CorrespondsToAFailureClass) {
  for (uint32_t i = 1; i <= static_cast<uint32_t>(RunOutcome::kOurError); ++i) {
    RunResult result;
    result.verdict = static_cast<RunOutcome>(i);
    // Unexpected output is a wrong image or a wrong buffer.
    const std::string_view name =
        result.verdict == RunOutcome::kUnexpected ? "wrong_buffer" : RunOutcomeName(result.verdict);
    EXPECT_EQ(FailureClassName(FactsOf(result).kind), name);
  }
}

TEST(CappedText, KeepsBothEnds) {
  CappedText text;
  for (int i = 0; i < 5; ++i) {
    text.Append(std::string(CappedText::kPart, static_cast<char>('a' + i)));
  }
  text.Append("end");
  const std::string all = text.Text();
  EXPECT_EQ(all.substr(0, 2), "aa");
  EXPECT_EQ(all.substr(all.size() - 5), "eeend");
  const size_t mark = all.find("left out");
  ASSERT_NE(mark, std::string::npos);
  EXPECT_NE(all.find(format("{} bytes left out", 3 * CappedText::kPart + 3)), std::string::npos);
  text.Clear();
  text.Append("short");
  EXPECT_EQ(text.Text(), "short");
}

// A job with every field set, so that a forgotten field is noticed.
Job FullJob() {
  Job job;
  job.spirv = {0x07230203, 0x10000, 0, 1, 0};
  job.entry = "draw";
  job.bindings.buffers = {{0, 0, false, "sixteen bytes..."}, {2, 1, true, "", 3}};
  BoundImage stored;
  stored.set = 1, stored.binding = 2, stored.element = 4;
  stored.kind = BoundImage::kStorage;
  stored.dim = spv::Dim::Cube;
  stored.format = spv::ImageFormat::R8ui;
  stored.arrayed = stored.linear = true;
  stored.wrap = BoundImage::kBorder;
  stored.border = BoundImage::kWhite;
  stored.layers = 12;
  stored.texels = "twelve bytes";
  BoundImage sampled;
  sampled.set = 1, sampled.binding = 3;
  sampled.kind = BoundImage::kCombined;
  sampled.format = spv::ImageFormat::R32f;
  sampled.compare = BoundImage::kLess;
  sampled.width = 2, sampled.levels = 2;
  sampled.texels = std::string(12, 0);
  sampled.mip = {true, 0.5f, 2, -1};
  job.bindings.images = {stored, sampled};
  job.bindings.mesh.is_grid = false;
  job.bindings.mesh.topology = BoundMesh::kTriangleFan;
  job.bindings.mesh.vertices = 3;
  job.bindings.mesh.instances = 2;
  job.bindings.mesh.indices = {0, 2, 1};
  job.bindings.mesh.attributes = {{5, BoundAttribute::kInt, 8, 2, true, "four"}};
  job.bindings.push_constants = "push";
  job.bindings.constants = {{7, 64, 0x123456789abcdef0}};
  job.bindings.width = 3;
  job.bindings.height = 2;
  job.bindings.float_target = spv::ImageFormat::Rgba32f;
  job.bindings.groups[0] = 4, job.bindings.groups[1] = 5, job.bindings.groups[2] = 6;
  job.pipeline_only = job.validate = job.partial_subgroups = true;
  return job;
}

Answer FullAnswer() {
  Answer answer;
  answer.outputs.targets = {
      {0, spv::ImageFormat::Rgba8, 3, 2, std::string(24, 'a')},
      {3, spv::ImageFormat::Rgba32i, 1, 2, std::string(32, 'b')},
  };
  answer.outputs.buffers = FullJob().bindings.buffers;
  answer.outputs.images = FullJob().bindings.images;
  answer.validation_messages = {"a", ""};
  return answer;
}

// A driver may overwrite the memory of the worker: no bytes may harm the reader.
TEST(Protocol, EveryTruncationIsRefused) {
  const Job job = FullJob();
  const std::string bytes = Encode(job);
  Job read;
  ASSERT_TRUE(Decode(bytes, &read));
  EXPECT_EQ(read.spirv, job.spirv);
  EXPECT_EQ(read.bindings, job.bindings);
  EXPECT_EQ(read.entry, job.entry);
  EXPECT_TRUE(read.pipeline_only && read.validate && read.partial_subgroups);
  const Answer answer = FullAnswer();
  const std::string answered = Encode(answer);
  Answer heard;
  ASSERT_TRUE(Decode(answered, &heard));
  EXPECT_EQ(heard.outputs, answer.outputs);
  EXPECT_EQ(heard.validation_messages, answer.validation_messages);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(Decode(std::string_view(bytes).substr(0, size), &read)) << size;
  }
  for (size_t size = 0; size < answered.size(); ++size) {
    EXPECT_FALSE(Decode(std::string_view(answered).substr(0, size), &heard)) << size;
  }
  // Sets counts to all ones everywhere: refused or not, the reader never allocates more memory than
  // there are bytes.
  for (size_t at = 0; at + 4 <= answered.size(); ++at) {
    std::string broken = answered;
    broken.replace(at, 4, "\xff\xff\xff\xff");
    (void)Decode(broken, &heard);
  }
  EXPECT_FALSE(Decode(answered + "x", &heard));
}

TEST(Protocol, OutputsWithInconsistentSizesAreRefused) {
  const auto is_refused = [](const auto& change) {
    Answer answer = FullAnswer(), heard;
    change(answer.outputs);
    return !Decode(Encode(answer), &heard);
  };
  EXPECT_FALSE(is_refused([](Outputs&) {}));
  EXPECT_TRUE(is_refused([](Outputs& outputs) { outputs.targets[0].texels += "a"; }));
  EXPECT_TRUE(is_refused([](Outputs& outputs) { outputs.targets[0].width = 1u << 31; }));
  EXPECT_TRUE(is_refused([](Outputs& outputs) { outputs.targets[1].height = 1; }));
  EXPECT_TRUE(is_refused([](Outputs& outputs) {
    outputs.targets[1].format = static_cast<spv::ImageFormat>(0x7fffffff);
  }));
  EXPECT_TRUE(is_refused([](Outputs& outputs) { outputs.images[0].layers = 0x40000000; }));
  EXPECT_TRUE(is_refused([](Outputs& outputs) { outputs.images[0].depth = 2; }));
  EXPECT_TRUE(is_refused(
      [](Outputs& outputs) { outputs.images[0].kind = static_cast<BoundImage::Kind>(200); }));
  EXPECT_TRUE(is_refused([](Outputs& outputs) { outputs.images[0].compare = BoundImage::kLess; }));
  EXPECT_TRUE(is_refused(
      [](Outputs& outputs) { outputs.images[1].compare = static_cast<BoundImage::Compare>(200); }));
}

TEST(ModuleHeader, IsReadSafelyFromAnyWords) {
  ModuleHeader header;
  const std::vector<uint32_t> module = CoordinatesShader();
  ASSERT_TRUE(ReadModuleHeader(module, &header));
  EXPECT_EQ(header.version, 0x10000u);
  EXPECT_EQ(header.capabilities, std::vector<uint32_t>{1});
  ASSERT_EQ(header.entries.size(), 1u);
  EXPECT_EQ(header.entries[0].name, "draw");
  for (size_t size = 0; size < module.size(); ++size) {
    ModuleHeader cut;
    ReadModuleHeader({module.begin(), module.begin() + static_cast<std::ptrdiff_t>(size)}, &cut);
    EXPECT_LE(cut.capabilities.size(), 1u);
  }
  EXPECT_FALSE(ReadModuleHeader({}, &header));
  EXPECT_FALSE(ReadModuleHeader({0x03022307, 0, 0, 1, 0}, &header));
  EXPECT_FALSE(ReadModuleHeader({0x07230203, 0x10000, 0, 1, 0, 17}, &header));  // length 0
}

}  // namespace
}  // namespace refract
