// SPDX-License-Identifier: Apache-2.0
// Workers that damage themselves in every way: each gets a verdict and a backtrace from its
// watcher, no process remains, and the next job gets a worker that works.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "target/harness.h"
#include "target/health.h"
#include "target/job_gate.h"
#include "target/time_limits.h"
#include "unit/shared/harness_shaders.h"

namespace refract {
namespace {

Job JobWith(TestFault fault) {
  Job job = HealthJob();
  job.fault = fault;
  return job;
}

class WorkerFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Target> found = FindTarget("lavapipe");
    ASSERT_TRUE(found) << found.error().message;
    target_ = *found;
  }
  RunResult RunWith(const Job& job) {
    RunResult result = harness_.Try(target_, job);
    const RunResult next = harness_.Try(target_, HealthJob());
    EXPECT_EQ(HealthProblem(next, false), "") << next.output;
    return result;
  }
  RunResult RunWith(TestFault fault) { return RunWith(JobWith(fault)); }

  Harness harness_;
  Target target_;
};

TEST_F(WorkerFaults, ARuinedStackIsACrash) {
  const RunResult result = RunWith(TestFault::kCorruptStack);
  EXPECT_EQ(result.verdict, RunOutcome::kCrash);
  // A push to a non-canonical address is a stack segment fault: SIGBUS.
  EXPECT_TRUE(result.signal == SIGSEGV || result.signal == SIGBUS) << result.detail;
  ASSERT_FALSE(result.backtrace.empty()) << result.output;
  EXPECT_EQ(result.backtrace[0].substr(0, 7), "refract") << result.backtrace[0];
  EXPECT_FALSE(result.stack_overflow);
}

TEST_F(WorkerFaults, ARuinedHeapIsACrash) {
  const RunResult result = RunWith(TestFault::kCorruptHeap);
  EXPECT_EQ(result.verdict, RunOutcome::kCrash) << result.detail;
  EXPECT_FALSE(result.output.empty());
  EXPECT_TRUE(result.signal == SIGABRT ? !result.backtrace.empty() : result.exit_code != 0)
      << result.detail;
}

TEST_F(WorkerFaults, AStackOverflowInAThreadIsRecognised) {
  const RunResult result = RunWith(TestFault::kOverflowInThread);
  EXPECT_EQ(result.verdict, RunOutcome::kCrash);
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_TRUE(result.stack_overflow);
  EXPECT_GT(result.backtrace.size(), 20u);
  EXPECT_EQ(result.detail, "the driver died of SIGSEGV (stack overflow)");
  EXPECT_NE(Signature(result).find(": stack overflow in refract"), std::string::npos)
      << Signature(result);
}

TEST_F(WorkerFaults, CodeWithoutAFileIsNamedJit) {
  const RunResult result = RunWith(TestFault::kJit);
  EXPECT_EQ(result.verdict, RunOutcome::kCrash);
  EXPECT_EQ(result.backtrace, std::vector<std::string>{"jit"}) << result.output;
  EXPECT_EQ(Signature(result), "crash lavapipe: SIGILL jit");
}

TEST_F(WorkerFaults, TooMuchMemoryIsNotABug) {
  Job job = JobWith(TestFault::kEatMemory);
  job.memory_limit = uint64_t{512} << 20;
  const RunResult result = RunWith(job);
  EXPECT_EQ(result.verdict, RunOutcome::kOutOfMemory);
  EXPECT_EQ(result.detail, "the driver used more than 512 MiB of memory");
  EXPECT_FALSE(IsBug(FactsOf(result).kind));
}

TEST_F(WorkerFaults, FailedAllocationsAreNotBugs) {
  RunResult result = RunWith(TestFault::kBadAlloc);
  EXPECT_EQ(result.verdict, RunOutcome::kOutOfMemory) << result.detail << result.output;
  result = RunWith(TestFault::kReportOutOfMemory);
  EXPECT_EQ(result.verdict, RunOutcome::kOutOfMemory);
  EXPECT_EQ(Signature(result), "out_of_memory vkAllocateMemory: VK_ERROR_OUT_OF_DEVICE_MEMORY");
}

TEST_F(WorkerFaults, AGigabyteOfOutputIsCut) {
  const RunResult result = RunWith(TestFault::kPrintGigabyte);
  EXPECT_EQ(HealthProblem(result, false), "");
  EXPECT_GT(result.output.size(), size_t{2} << 20);
  EXPECT_LT(result.output.size(), (size_t{2} << 20) + 100);
  EXPECT_NE(result.output.find("bytes left out"), std::string::npos);
}

TEST_F(WorkerFaults, AJobThatEndsWhenAloneIsSlow) {
  const TimeLimits time_limits(harness_, target_, 0, 1.5);
  const RunResult result = time_limits.Repeat(JobWith(TestFault::kSlow), RunResult());
  EXPECT_EQ(result.verdict, RunOutcome::kSlow) << result.detail;
  EXPECT_GE(result.seconds, 2);
  EXPECT_GT(result.cpu_seconds, 0);
  EXPECT_EQ(ImageAtLocation0(result.outputs).width, JobWith(TestFault::kSlow).bindings.width);
  EXPECT_FALSE(IsBug(FactsOf(result).kind));
}

TEST_F(WorkerFaults, AJobThatDoesNotEndIsAHang) {
  const TimeLimits time_limits(harness_, target_, 0, 0.2);
  EXPECT_EQ(time_limits.limit(), 0.2);
  RunResult result = time_limits.ConfirmHang(JobWith(TestFault::kSpin), RunResult());
  EXPECT_EQ(result.verdict, RunOutcome::kHang);
  EXPECT_EQ(result.detail, "no answer within 0.6 seconds");
  EXPECT_GT(result.cpu_seconds, 0);
  int asked = 0;
  result = time_limits.ConfirmHang(JobWith(TestFault::kSpin), RunResult(), 3,
                                   [&] { return ++asked == 1; });
  EXPECT_EQ(result.verdict, RunOutcome::kHang);
  EXPECT_EQ(asked, 1) << "must stop after the first";
  // A job that hung once and then ends is slow.
  result = time_limits.ConfirmHang(JobWith(TestFault::kNone), RunResult());
  EXPECT_EQ(result.verdict, RunOutcome::kSlow);
  EXPECT_EQ(TimeLimits(harness_, target_, 2).limit(), 40);
  EXPECT_EQ(TimeLimits(harness_, target_, 0.1).limit(), 10);
}

TEST_F(WorkerFaults, TheLimitOfAJobCountsOnlyItsOwnTime) {
  RunResult result = harness_.Try(target_, HealthJob());
  EXPECT_GT(result.cpu_seconds, 0);
  EXPECT_GT(result.own_cpu_seconds, 0);
  const double first = result.cpu_seconds;
  for (int i = 0; i < 5; ++i) result = harness_.Try(target_, HealthJob());
  EXPECT_EQ(result.jobs_before, 5u);
  EXPECT_LT(result.cpu_seconds, 6 * first + 1);
}

TEST_F(WorkerFaults, ADriverThatDoesNotRecoverFromAHangIsNotUsable) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const Result<std::string> text = ReadFile(target_.icd);
  ASSERT_TRUE(text);
  target_.icd = folder->path() + "/copy_icd.json";
  ASSERT_TRUE(WriteFile(target_.icd, *text));
  Job job = JobWith(TestFault::kSpin);
  job.time_limit = 0.3;
  EXPECT_EQ(harness_.Try(target_, job).verdict, RunOutcome::kHang);
  EXPECT_FALSE(harness_.IsLost(target_)) << "no job has run since";
  ASSERT_TRUE(WriteFile(target_.icd, "{}"));
  RunResult result = harness_.Try(target_, HealthJob());
  EXPECT_EQ(result.verdict, RunOutcome::kNotUsable);
  EXPECT_NE(result.detail.find("target lavapipe: not usable after a hang: "), std::string::npos)
      << result.detail;
  EXPECT_FALSE(IsBug(FactsOf(result).kind));
  EXPECT_TRUE(harness_.IsLost(target_));
  // The driver may recover.
  ASSERT_TRUE(WriteFile(target_.icd, *text));
  result = harness_.Try(target_, HealthJob());
  EXPECT_EQ(HealthProblem(result, false), "");
  EXPECT_EQ(result.jobs_before, 0u);
  EXPECT_FALSE(harness_.IsLost(target_));
}

TEST_F(WorkerFaults, EverythingHasAVerdict) {
  Job job = HealthJob();
  const uint32_t kernel[] = {2u << 16 | 17, 6};  // OpCapability Kernel
  job.spirv.insert(job.spirv.begin() + 5, kernel, kernel + 2);
  RunResult result = harness_.Try(target_, job);
  EXPECT_EQ(result.verdict, RunOutcome::kUnsupported);
  EXPECT_EQ(result.detail, "Refract knows no Vulkan feature for capability Kernel");
  job.spirv = {1, 2, 3};
  EXPECT_EQ(harness_.Try(target_, job).verdict, RunOutcome::kOurError);
  target_.missing = "it does not exist";
  result = harness_.Try(target_, HealthJob());
  EXPECT_EQ(result.verdict, RunOutcome::kNotUsable);
  EXPECT_EQ(result.detail, "target lavapipe: it does not exist");
}

TEST(Health, RequiresTheRightImage) {
  RunResult result;
  EXPECT_EQ(HealthProblem(result, false), "there is no image");
  EXPECT_EQ(HealthProblem(result, true), "");
  const uint32_t side = HealthJob().bindings.width;
  ColourTarget target{0, spv::ImageFormat::Rgba8, side, side, ""};
  for (uint32_t y = 0; y < side; ++y) {
    for (uint32_t x = 0; x < side; ++x) {
      target.texels += {static_cast<char>(x), static_cast<char>(y), '\xff', '\xff'};
    }
  }
  result.outputs.targets = {target};
  EXPECT_EQ(HealthProblem(result, false), "");
  result.outputs.targets[0].texels[4] = 3;
  EXPECT_EQ(HealthProblem(result, false), "pixel (1, 0) is 3 0 255 255 instead of 1 0 255 255");
  result.verdict = RunOutcome::kHang;
  result.detail = "no answer";
  EXPECT_EQ(HealthProblem(result, true), "hang: no answer");
}

TEST(JobGate, AJobThatRunsAloneIsAlone) {
  JobGate gate;
  std::atomic<int> running = 0, most_beside = 0, alone_runs = 0;
  std::atomic<bool> disturbed = false;
  const auto work = [&](bool alone) {
    for (int i = 0; i < 200; ++i) {
      const JobGate::RunningJob pass(gate, alone);
      const int beside = running++;
      if (alone) {
        ++alone_runs;
        if (beside != 0) disturbed = true;
      }
      std::this_thread::yield();
      if (alone && running != 1) disturbed = true;
      if (beside > most_beside) most_beside = beside;
      --running;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) threads.emplace_back(work, i < 2);
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(disturbed);
  EXPECT_EQ(alone_runs, 400);
  // Two jobs that may share pass together; otherwise the second would wait for ever.
  const JobGate::RunningJob first(gate, false), second(gate, false);
}

std::string Contents(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The children of all threads of the process: a thread of its own starts the workers.
std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::vector<pid_t> children;
  std::error_code error;
  for (std::filesystem::directory_iterator it(format("/proc/{}/task", pid), error), end;
       !error && it != end; it.increment(error)) {
    std::istringstream numbers(Contents(it->path().string() + "/children"));
    for (pid_t child; numbers >> child;) children.push_back(child);
  }
  return children;
}

bool IsGone(pid_t pid) {
  const std::string stat = Contents(format("/proc/{}/stat", pid));
  const size_t name = stat.rfind(") ");
  return name == std::string::npos || stat[name + 2] == 'Z' || stat[name + 2] == 'X';
}

template <class Condition>
bool Becomes(const Condition& condition) {
  for (int i = 0; i < 3000; ++i) {
    if (condition()) return true;
    ::usleep(10000);
  }
  return false;
}

// Runs a harness in another process, which is killed while its worker is busy.
TEST_F(WorkerFaults, WorkersEndWithTheirParent) {
  const pid_t parent = ::fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    Harness own;
    Job job = JobWith(TestFault::kSpin);
    job.time_limit = 60;
    own.Try(target_, job);
    ::_exit(1);  // not reached: the test kills this process before
  }
  std::vector<pid_t> watcher, worker;
  EXPECT_TRUE(Becomes([&] {
    watcher = ChildrenOf(parent);
    if (watcher.size() == 1) worker = ChildrenOf(watcher[0]);
    return worker.size() == 1;
  }));
  ASSERT_EQ(::kill(parent, SIGKILL), 0);
  ::waitpid(parent, nullptr, 0);
  ASSERT_EQ(watcher.size(), 1u);
  ASSERT_EQ(worker.size(), 1u);
  EXPECT_TRUE(Becomes([&] { return IsGone(watcher[0]) && IsGone(worker[0]); }));
}

}  // namespace
}  // namespace refract
