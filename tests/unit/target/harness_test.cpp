// SPDX-License-Identifier: Apache-2.0
// Runs on the drivers of the machine: images and buffers are what the shader specifies, and the
// harness distinguishes and replaces a driver that crashes, hangs or fails.
#include "target/harness.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstring>
#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "input/texels.h"
#include "unit/shared/harness_shaders.h"

namespace refract {
namespace {

std::string Floats(std::initializer_list<float> values) {
  std::string bytes;
  for (const float value : values) bytes.append(reinterpret_cast<const char*>(&value), 4);
  return bytes;
}

std::vector<uint32_t> Words(const std::string& bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), 4 * words.size());
  return words;
}

Job MakeJob(std::vector<uint32_t> spirv, uint32_t width = 64, uint32_t height = 32) {
  Job job;
  job.spirv = std::move(spirv);
  job.entry = "draw";
  job.bindings.width = width;
  job.bindings.height = height;
  job.time_limit = 60;  // so that a busy machine does not look like a hang
  return job;
}

Job EverythingJob() {
  Job job = MakeJob(EverythingShader());
  job.bindings.buffers = {{0, 0, false, Floats({0.2f, 0, 0.4f, 1})},
                          {2, 1, true, std::string(16, '\0')}};
  job.bindings.push_constants = Floats({0.2f, 0.2f, 0.2f, 0});
  return job;
}

class OnDriver : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const Result<Target> found = FindTarget(GetParam());
    ASSERT_TRUE(found) << found.error().message;
    target_ = *found;
  }
  /// Runs the job and expects an image.
  RunResult MustRun(const Job& job) {
    Result<RunResult> result = harness_.Run(target_, job);
    if (!result) {
      ADD_FAILURE() << result.error().message;
      return {};
    }
    EXPECT_EQ(result->verdict, RunOutcome::kOk) << result->detail << "\n" << result->output;
    EXPECT_EQ(result->validation_messages, std::vector<std::string>());
    return std::move(*result);
  }

  Harness harness_;
  Target target_;
};

class Rendering : public OnDriver {};

TEST_P(Rendering, EachPixelIsDrawnOnceFromTheTop) {
  for (const auto& [width, height] :
       {std::pair<uint32_t, uint32_t>{256, 256}, {1, 1}, {3, 200}, {250, 7}}) {
    const Image image =
        ImageAtLocation0(MustRun(MakeJob(CoordinatesShader(), width, height)).outputs);
    ASSERT_EQ(image.width, width);
    ASSERT_EQ(image.height, height);
    for (uint32_t y = 0; y < height; ++y) {
      for (uint32_t x = 0; x < width; ++x) {
        const uint8_t* pixel = image.pixel(size_t{y} * width + x);
        const uint8_t wanted[] = {static_cast<uint8_t>(x), static_cast<uint8_t>(y), 0, 255};
        ASSERT_EQ(std::memcmp(pixel, wanted, 4), 0) << x << "," << y;
      }
    }
  }
}

TEST_P(Rendering, InputsReachTheShader) {
  Job job = MakeJob(UniformShader());
  job.bindings.buffers = {{0, 0, false, Floats({1, 0.2f, 0, 1})}};
  EXPECT_EQ(ImageAtLocation0(MustRun(job).outputs), MakeImage(64, 32, 255, 51, 0, 255));
  job = MakeJob(PushShader());
  job.bindings.push_constants = Floats({0, 1, 0.6f, 0});
  EXPECT_EQ(ImageAtLocation0(MustRun(job).outputs), MakeImage(64, 32, 0, 255, 153, 0));
}

TEST_P(Rendering, StorageBuffersAreReadBack) {
  const RunResult result = MustRun(EverythingJob());
  EXPECT_EQ(ImageAtLocation0(result.outputs), MakeImage(64, 32, 102, 51, 153, 255));
  ASSERT_EQ(result.outputs.buffers.size(), 1u);
  EXPECT_EQ(result.outputs.buffers[0].set, 2u);
  EXPECT_EQ(Words(result.outputs.buffers[0].bytes), (std::vector<uint32_t>{64 * 32, 4, 0, 0}));
}

TEST_P(Rendering, PixelsThatAreNotWrittenAreTransparentBlack) {
  const Image image = ImageAtLocation0(MustRun(MakeJob(DiscardShader())).outputs);
  for (size_t i = 0; i < image.pixel_count(); ++i) {
    const uint8_t red = i % 64 < 16 ? 0 : 255;
    ASSERT_EQ(image.pixel(i)[0], red) << i;
    ASSERT_EQ(image.pixel(i)[3], red) << i;
  }
}

TEST_P(Rendering, AnEndlessShaderHangsAndTheNextJobRuns) {
  Job job = MakeJob(EndlessShader());
  job.bindings.buffers = {{2, 1, true, std::string(16, '\0')}};
  job.time_limit = 1;
  const Result<RunResult> result = harness_.Run(target_, job);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->verdict, RunOutcome::kHang) << result->detail << result->output;
  EXPECT_GE(result->seconds, 1.0);
  EXPECT_EQ(MustRun(MakeJob(CoordinatesShader())).jobs_before, 0u);
}

TEST_P(Rendering, WorkersAreReused) {
  EXPECT_EQ(MustRun(MakeJob(CoordinatesShader())).jobs_before, 0u);
  EXPECT_EQ(MustRun(EverythingJob()).jobs_before, 1u);
  EXPECT_EQ(MustRun(MakeJob(CoordinatesShader())).jobs_before, 2u);
}

// The harness must cause no validation messages, from start to end.
TEST_P(Rendering, CausesNoValidationMessages) {
  std::vector<Job> jobs = {MakeJob(CoordinatesShader(), 256, 256), MakeJob(DiscardShader(), 1, 7),
                           EverythingJob()};
  jobs.push_back(EverythingJob());
  jobs.back().pipeline_only = true;
  for (Job& job : jobs) {
    job.validate = true;
    MustRun(job);
  }
  EXPECT_EQ(harness_.Close(), std::vector<std::string>());
}

TEST_P(Rendering, ValidationMessagesAreKept) {
  // The shader reads push constants that are not given.
  Job job = MakeJob(PushShader());
  job.pipeline_only = true;
  job.validate = true;
  const Result<RunResult> result = harness_.Run(target_, job);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->validation_messages.size(), 1u);
  EXPECT_NE(result->validation_messages[0].find("VUID-VkGraphicsPipelineCreateInfo-layout"),
            std::string::npos)
      << result->validation_messages[0];
}

TEST_P(Rendering, ThreadsShareAHarness) {
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) MustRun(MakeJob(CoordinatesShader()));
    });
  }
  for (std::thread& thread : threads) thread.join();
  // The threads of the workers have ended, and the workers with them; the next job must still run.
  MustRun(MakeJob(CoordinatesShader()));
}

TEST_P(Rendering, AModuleThatTheDeviceCannotRunIsUnavailable) {
  Job job = MakeJob(CoordinatesShader());
  const uint32_t kernel[] = {2u << 16 | 17, 6};  // OpCapability Kernel
  job.spirv.insert(job.spirv.begin() + 5, kernel, kernel + 2);
  Result<RunResult> result = harness_.Run(target_, job);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUnavailable);
  EXPECT_NE(result.error().message.find("capability Kernel"), std::string::npos);
  job = MakeJob(CoordinatesShader());
  job.bindings.push_constants.assign(1 << 20, '\0');
  result = harness_.Run(target_, job);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("push constants"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(, Rendering, ::testing::Values("lavapipe", "swiftshader"),
                         [](const auto& info) { return std::string(info.param); });

class Compiling : public OnDriver {};

TEST_P(Compiling, CreatesPipelinesAndNoImages) {
  const TargetState state = harness_.Probe(target_);
  ASSERT_TRUE(state.available) << state.reason;
  EXPECT_NE(VersionText(state.device).find("radv"), std::string::npos) << VersionText(state.device);
  for (int i = 0; i < 3; ++i) {
    const RunResult result = MustRun(EverythingJob());
    EXPECT_EQ(result.outputs, Outputs());
  }
  Job job = EverythingJob();
  job.validate = true;
  MustRun(job);
  EXPECT_EQ(harness_.Close(), std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(, Compiling, ::testing::Values("radv-aco", "radv-llvm"),
                         [](const auto& info) {
                           std::string name = info.param;
                           name[4] = '_';
                           return name;
                         });

/// A worker that causes faults on request, on the first available driver.
class Misbehaving : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Target& target : FindDrivers()) {
      if (target_.icd.empty() && harness_.Probe(target).available) target_ = target;
    }
    ASSERT_FALSE(target_.icd.empty()) << "no Vulkan driver: run `make setup`";
  }
  RunResult RunWith(TestFault fault, double time_limit = 60) {
    Job job = MakeJob(CoordinatesShader());
    job.fault = fault;
    job.time_limit = time_limit;
    Result<RunResult> result = harness_.Run(target_, job);
    EXPECT_TRUE(result) << result.error().message;
    // After any fault, the next job gets a new worker that works.
    const Result<RunResult> next = harness_.Run(target_, MakeJob(CoordinatesShader()));
    EXPECT_TRUE(next && next->verdict == RunOutcome::kOk && next->jobs_before == 0);
    return result ? std::move(*result) : RunResult{};
  }

  Harness harness_;
  Target target_;
};

TEST_F(Misbehaving, ASegmentationFaultIsACrash) {
  const RunResult result = RunWith(TestFault::kSegmentationFault);
  EXPECT_EQ(result.verdict, RunOutcome::kCrash);
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_EQ(result.detail, "the driver died of SIGSEGV");
  ASSERT_FALSE(result.backtrace.empty());
  EXPECT_EQ(result.backtrace[0].substr(0, 7), "libc.so") << result.output;  // raise()
  EXPECT_EQ(result.backtrace[0].find('/'), std::string::npos);
}

TEST_F(Misbehaving, AnAbortKeepsTheOutput) {
  const RunResult result = RunWith(TestFault::kAbort);
  EXPECT_EQ(result.verdict, RunOutcome::kCrash);
  EXPECT_EQ(result.signal, SIGABRT);
  EXPECT_EQ(result.output.substr(0, 27), "test fault: about to abort\n");
}

TEST_F(Misbehaving, AStackOverflowIsACrash) {
  const RunResult result = RunWith(TestFault::kStackOverflow);
  EXPECT_EQ(result.verdict, RunOutcome::kCrash);
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_GT(result.backtrace.size(), 20u);
}

TEST_F(Misbehaving, AnEndlessLoopIsAHang) {
  const RunResult result = RunWith(TestFault::kSpin, 0.5);
  EXPECT_EQ(result.verdict, RunOutcome::kHang);
  EXPECT_EQ(result.signal, 0);
  EXPECT_GE(result.seconds, 0.5);
  EXPECT_LT(result.seconds, 5);
}

TEST_F(Misbehaving, AnExitCountsAsACrash) {
  const RunResult result = RunWith(TestFault::kExit);
  EXPECT_EQ(result.verdict, RunOutcome::kCrash);
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(Signature(result), format("crash {}: exit 7", target_.name));
}

TEST_F(Misbehaving, ALostDeviceIsReported) {
  const RunResult result = RunWith(TestFault::kLoseDevice);
  EXPECT_EQ(result.verdict, RunOutcome::kDeviceLost);
  EXPECT_EQ(result.vulkan_call, "vkQueueSubmit");
  EXPECT_EQ(result.detail, "vkQueueSubmit failed: VK_ERROR_DEVICE_LOST");
  EXPECT_EQ(Signature(result), "device_lost vkQueueSubmit: VK_ERROR_DEVICE_LOST");
}

TEST_F(Misbehaving, AnUnreadableAnswerIsACrash) {
  EXPECT_EQ(RunWith(TestFault::kNonsense).verdict, RunOutcome::kCrash);
}

TEST(Harness, InvalidJobsAreBadInput) {
  Harness harness;
  Target nowhere;
  nowhere.name = "nowhere";
  nowhere.missing = "it does not exist";
  std::vector<Job> jobs = {MakeJob({1, 2, 3}), MakeJob(CoordinatesShader(), 0, 5),
                           MakeJob(CoordinatesShader(), 5, kMaxFrameSide + 1)};
  jobs.push_back(EverythingJob());
  jobs.back().bindings.buffers[1] = jobs.back().bindings.buffers[0];
  jobs.push_back(EverythingJob());
  jobs.back().bindings.per_sample = true;
  BoundImage attachment;
  attachment.kind = BoundImage::kAttachment;
  attachment.set = 3;
  attachment.format = spv::ImageFormat::R8;
  attachment.width = attachment.height = 1;
  attachment.samples = 2;
  attachment.texels = "ab";
  ASSERT_TRUE(IsSound(attachment));
  jobs.push_back(MakeJob(CoordinatesShader(), 1, 1));
  jobs.back().bindings.samples = 4;
  jobs.back().bindings.images = {attachment};
  for (const Job& job : jobs) {
    const Result<RunResult> result = harness.Run(nowhere, job);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::kBadInput) << result.error().message;
  }
  const Result<RunResult> result = harness.Run(nowhere, EverythingJob());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(result.error().message, "target nowhere: it does not exist");
}

TEST(Harness, ADriverThatCannotBeOpenedIsUnavailable) {
  const std::string icd = ::testing::TempDir() + "nothing_icd.json";
  ASSERT_TRUE(WriteFile(icd, R"({"file_format_version": "1.0.0", "ICD": {
      "library_path": "/nonexistent/libnothing.so", "api_version": "1.3.0"}})"));
  const Result<Target> target = FindTarget(icd);
  ASSERT_TRUE(target);
  Harness harness;
  const TargetState state = harness.Probe(*target);
  EXPECT_FALSE(state.available);
  EXPECT_FALSE(state.reason.empty());
}

TEST(Targets, BuiltInsComeFirstAndUnknownOnesAreNamed) {
  const std::vector<Target> targets = FindDrivers();
  ASSERT_GE(targets.size(), 4u);
  EXPECT_EQ(targets[0].name, "lavapipe");
  EXPECT_EQ(targets[1].name, "swiftshader");
  EXPECT_EQ(targets[2].name, "radv-aco");
  EXPECT_EQ(targets[3].name, "radv-llvm");
  EXPECT_EQ(targets[3].kind, Target::Kind::kPipeline);
  for (const Target& target : targets) EXPECT_EQ(target.icd.empty(), !target.missing.empty());
  const Result<Target> none = FindTarget("nosuch");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kUsage);
  EXPECT_NE(none.error().message.find("lavapipe, swiftshader"), std::string::npos);
  EXPECT_FALSE(FindTarget("/nonexistent/x.json"));
}

}  // namespace
}  // namespace refract
