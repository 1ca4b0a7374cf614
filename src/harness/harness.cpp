// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.h"

#include <signal.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/version.h"
#include "harness/crash_report.h"
#include "harness/interpreted.h"
#include "harness/protocol.h"
#include "harness/requirements.h"
#include "harness/run_commands.h"
#include "harness/worker_process.h"

namespace refract {
namespace {

/// For opening a driver; some load a compiler of a hundred megabytes from a cold disk.
constexpr double kStartLimit = 60;
/// Drivers leak; a worker that did this many jobs has earned its rest.
constexpr uint32_t kJobsPerWorker = 2000;

using Outcome = WorkerProcess::Outcome;

std::string KeyOf(const Target& target, bool validate) {
  std::string key = format("{}\n{}\n{}", target.name, target.icd, validate);
  for (const auto& [name, value] : target.environment) key += format("\n{}={}", name, value);
  return key;
}

Status CheckJob(const Job& job) {
  const Bindings& bindings = job.bindings;
  ModuleHeader header;
  if (!ReadModuleHeader(job.spirv, &header)) return Error{"not a SPIR-V module of this machine"};
  for (const uint32_t side : {bindings.width, bindings.height}) {
    if (side == 0 || side > kMaxFrameSide) {
      return Error{format("a frame of {}x{} pixels: 1 to {} is possible", bindings.width,
                          bindings.height, kMaxFrameSide)};
    }
  }
  if (bindings.float_target != spv::ImageFormat::Rgba8 &&
      bindings.float_target != spv::ImageFormat::Rgba32f) {
    return Error{"floats are drawn to rgba8 or rgba32f"};
  }
  for (const BoundConstant& constant : bindings.constants) {
    if (constant.width == 8 || constant.width == 16 || constant.width == 32 ||
        constant.width == 64) {
      continue;
    }
    return Error{format("specialisation constant {} of {} bits", constant.id, constant.width)};
  }
  std::set<std::pair<uint32_t, uint32_t>> taken;
  const auto twice = [](uint32_t set, uint32_t binding) {
    return Error{format("two resources for set {}, binding {}", set, binding)};
  };
  size_t size = 4 * job.spirv.size() + bindings.push_constants.size();
  for (const BoundBuffer& buffer : bindings.buffers) {
    size += buffer.bytes.size() + 64;
    if (!taken.insert({buffer.set, buffer.binding}).second) {
      return twice(buffer.set, buffer.binding);
    }
  }
  for (const BoundImage& image : bindings.images) {
    size += image.texels.size() + 64;
    if (!taken.insert({image.set, image.binding}).second) return twice(image.set, image.binding);
    if (!IsSound(image)) {
      return Error{format("the size and the texels of the image at set {}, binding {} do not match",
                          image.set, image.binding)};
    }
  }
  if (size > kMaxPayload / 2) return Error{format("{} bytes of module and inputs", size)};
  return {};
}

/// Turns what a living worker answered into a result.
Result<RunResult> ToResult(const Target& target, Answer answer, RunResult result) {
  if (answer.kind == Answer::Kind::kCannot) {
    return Error{format("target {}: cannot run this module: {}", target.name, answer.reason),
                 ErrorKind::kUnavailable};
  }
  result.outputs = std::move(answer.outputs);
  result.validation_messages = std::move(answer.validation_messages);
  if (answer.kind == Answer::Kind::kFailed) {
    const bool lost = answer.code == VK_ERROR_DEVICE_LOST;
    result.verdict = lost ? RunVerdict::kDeviceLost : RunVerdict::kError;
    result.vulkan_call = std::move(answer.call);
    result.vulkan_code = answer.code;
    result.detail = format("{} failed: {}", result.vulkan_call, VulkanResultName(answer.code));
  }
  return result;
}

/// Buries a worker that gave no answer and says how it ended.
RunResult ToResult(WorkerProcess& worker, Outcome outcome, const Job& job, RunResult result) {
  const WorkerProcess::Death death = worker.Bury(outcome == Outcome::kTimeout);
  result.output = worker.Output();
  CrashReport report = FindCrashReport(result.output);
  result.backtrace = std::move(report.backtrace);
  if (outcome == Outcome::kTimeout && report.signal == 0) {
    result.verdict = RunVerdict::kHang;
    result.detail = format("no answer within {} seconds", job.time_limit);
    return result;
  }
  result.verdict = RunVerdict::kCrash;
  result.signal = report.signal != 0 ? report.signal : death.signal;
  result.exit_code = death.exit_code;
  result.detail = result.signal != 0 ? format("the driver died of {}", SignalName(result.signal))
                                     : format("the driver left with exit code {}", death.exit_code);
  return result;
}

}  // namespace

Harness::Harness() = default;
Harness::~Harness() = default;

Result<std::unique_ptr<WorkerProcess>> Harness::Take(const Target& target, bool validate) {
  if (!target.missing.empty()) {
    return Error{format("target {}: {}", target.name, target.missing), ErrorKind::kUnavailable};
  }
  for (;;) {
    std::unique_ptr<WorkerProcess> worker;
    {
      const std::lock_guard lock(mutex_);
      Idle& idle = idle_[KeyOf(target, validate)];
      if (idle.empty()) break;
      worker = std::move(idle.back());
      idle.pop_back();
    }
    // It is told to die with the thread that started it, which may be gone; and drivers have
    // threads that can crash late.
    if (worker->Alive()) return worker;
  }
  return WorkerProcess::Start(target, validate, kStartLimit);
}

void Harness::PutBack(const Target& target, bool validate, std::unique_ptr<WorkerProcess> worker) {
  if (worker->jobs_done >= kJobsPerWorker) return;
  const std::lock_guard lock(mutex_);
  idle_[KeyOf(target, validate)].push_back(std::move(worker));
}

Result<RunResult> Harness::Run(const Target& target, const Job& job) {
  if (Status checked = CheckJob(job); !checked) return checked.error();
  if (target.command != nullptr) {
    if (target.missing.empty()) return RunTools(*target.command, job);
    return Error{format("target {}: {}", target.name, target.missing), ErrorKind::kUnavailable};
  }
  if (target.kind == Target::Kind::kInterpreter) return RunInterpreted(job);
  Job sent = job;
  sent.pipeline_only |= target.kind == Target::Kind::kPipeline;
  const std::string payload = Encode(sent);
  for (int attempt = 1;; ++attempt) {
    Result<std::unique_ptr<WorkerProcess>> taken = Take(target, job.validate);
    if (!taken) return taken.error();
    WorkerProcess& worker = **taken;
    worker.ClearOutput();
    RunResult result;
    result.target = target.name;
    result.jobs_before = worker.jobs_done++;
    const double begin = MonotonicSeconds();
    FrameKind kind{};
    std::string bytes;
    Outcome outcome = worker.Exchange(FrameKind::kJob, payload, job.time_limit, &kind, &bytes);
    result.seconds = MonotonicSeconds() - begin;
    Answer answer;
    if (outcome == Outcome::kFrame && kind == FrameKind::kAnswer && Decode(bytes, &answer)) {
      result.output = worker.Output();
      const bool keep = answer.kind != Answer::Kind::kFailed;
      if (keep) PutBack(target, job.validate, std::move(*taken));
      return ToResult(target, std::move(answer), std::move(result));
    }
    if (outcome == Outcome::kFrame) {  // it answered, but in no language we know: memory is broken
      worker.Bury(true);
      result.verdict = RunVerdict::kCrash;
      result.output = worker.Output();
      result.detail = "the driver's process answered nonsense";
      return result;
    }
    result = ToResult(worker, outcome, job, std::move(result));
    // Nobody kills itself with SIGKILL: someone outside did (memory ran out, or the thread that
    // started the worker ended). If it happens again, it is the module.
    if (result.verdict != RunVerdict::kCrash || result.signal != SIGKILL || attempt == 2) {
      return result;
    }
  }
}

Result<Target> Harness::DriverOf(const CommandTarget& target) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = driver_.find(target.driver); known != driver_.end()) {
      return known->second;
    }
  }
  for (const Target& driver : FindDrivers()) {
    const bool wanted = target.driver.empty()
                            ? driver.kind == Target::Kind::kRender && driver.missing.empty() &&
                                  Probe(driver).available
                            : driver.name == target.driver;
    if (!wanted) continue;
    const std::lock_guard lock(mutex_);
    return driver_.emplace(target.driver, driver).first->second;
  }
  if (target.driver.empty()) {
    return Error{format("target {}: no driver to draw its output", target.name),
                 ErrorKind::kUnavailable};
  }
  return Error{format("{}: /render: no driver target named '{}'", target.file, target.driver)};
}

Result<RunResult> Harness::RunTools(const CommandTarget& target, const Job& job) {
  const bool draw = target.render != CommandTarget::Render::kNone;
  Result<Target> driver = draw ? DriverOf(target) : Result<Target>(Target());
  if (!driver) return driver.error();
  Result<RunResult> made = RunCommands(target, job);
  if (!made || made->verdict != RunVerdict::kOk || !draw) return made;
  Job drawing = job;
  drawing.spirv = std::move(made->spirv);
  // A round trip through a language may leave the entry point under another name.
  ModuleHeader header;
  CHECK(ReadModuleHeader(drawing.spirv, &header));
  const bool kept =
      std::any_of(header.entries.begin(), header.entries.end(),
                  [&](const ModuleHeader::Entry& entry) { return entry.name == job.entry; });
  if (!kept && header.entries.size() == 1) drawing.entry = header.entries[0].name;
  Result<RunResult> drawn = Run(*driver, drawing);
  if (!drawn) {
    if (drawn.error().kind != ErrorKind::kUnavailable) return drawn.error();
    return Error{format("target {}: {}", target.name, drawn.error().message),
                 ErrorKind::kUnavailable};
  }
  drawn->seconds += made->seconds;
  drawn->spirv = std::move(drawing.spirv);
  if (drawn->verdict == RunVerdict::kOk) drawn->output = std::move(made->output);
  return drawn;
}

TargetState Harness::Probe(const Target& target) {
  TargetState state;
  if (target.command != nullptr) {
    state.available = target.missing.empty();
    state.reason = target.missing;
    if (state.available) state.version = VersionsOf(*target.command);
    return state;
  }
  if (target.kind == Target::Kind::kInterpreter) {
    state.available = true;
    state.version = format("refract {}", ToolVersion());
    return state;
  }
  Result<std::unique_ptr<WorkerProcess>> taken = Take(target, false);
  if (!taken) {
    state.reason = taken.error().message;
    const std::string prefix = format("target {}: ", target.name);
    if (state.reason.starts_with(prefix)) state.reason.erase(0, prefix.size());
    return state;
  }
  state.available = true;
  state.device = (*taken)->device();
  state.version = VersionText(state.device);
  PutBack(target, false, std::move(*taken));
  return state;
}

std::vector<std::string> Harness::Close() {
  std::vector<std::string> messages;
  const std::lock_guard lock(mutex_);
  for (auto& [key, idle] : idle_) {
    for (const std::unique_ptr<WorkerProcess>& worker : idle) {
      FrameKind kind{};
      std::string bytes;
      std::vector<std::string> said;
      if (worker->Exchange(FrameKind::kStop, {}, kStartLimit, &kind, &bytes) == Outcome::kFrame &&
          kind == FrameKind::kStopped && Decode(bytes, &said)) {
        messages.insert(messages.end(), said.begin(), said.end());
      }
    }
  }
  idle_.clear();
  return messages;
}

}  // namespace refract
