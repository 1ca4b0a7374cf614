// SPDX-License-Identifier: Apache-2.0
#include "target/harness.h"

#include <signal.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/process_usage.h"
#include "base/text.h"
#include "base/version.h"
#include "driver/protocol.h"
#include "driver/requirements.h"
#include "driver/stage.h"
#include "input/addressed/resolve_addressed.h"
#include "input/grid.h"
#include "input/mesh.h"
#include "target/expected.h"
#include "target/health.h"
#include "target/inspect.h"
#include "target/interpreted.h"
#include "target/module_names.h"
#include "target/run_commands.h"
#include "target/worker_process.h"
#include "target/worker_result.h"

namespace refract {
inline namespace target {
namespace {

/// Seconds to open a driver. Some load a compiler of a hundred megabytes from disk.
constexpr double kStartLimit = 60;
/// The same for a driver that hung or lost its device. It was opened before.
constexpr double kSuspectStartLimit = 20;
/// A worker is replaced after this many jobs or with this much memory, because drivers leak.
constexpr uint32_t kJobsPerWorker = 2000;
constexpr uint64_t kBytesPerWorker = uint64_t{1} << 30;

using WaitResult = WorkerProcess::WaitResult;

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
      return Error{format("a frame of {}x{} pixels: each side must be from 1 to {}", bindings.width,
                          bindings.height, kMaxFrameSide)};
    }
  }
  if (bindings.float_target != spv::ImageFormat::Rgba8 &&
      bindings.float_target != spv::ImageFormat::Rgba32f) {
    return Error{"outputs of floats can be drawn to rgba8 or rgba32f only"};
  }
  if (!std::has_single_bit(bindings.samples) || bindings.samples > kMostFrameSamples ||
      TargetWidth(bindings) > kMaxFrameSide || (bindings.samples > 1 && bindings.depth) ||
      (bindings.samples == 1 && bindings.per_sample)) {
    return Error{format("a frame of {}x{} pixels with {} samples is not supported", bindings.width,
                        bindings.height, bindings.samples)};
  }
  if (bindings.depth.compare > BoundImage::kAlways ||
      !(bindings.depth.clear >= 0 && bindings.depth.clear <= 1)) {
    return Error{"the depth target is cleared to a depth that is not from 0 to 1"};
  }
  for (const BoundConstant& constant : bindings.constants) {
    if (constant.width == 8 || constant.width == 16 || constant.width == 32 ||
        constant.width == 64) {
      continue;
    }
    return Error{format("specialisation constant {} has {} bits; 8, 16, 32 and 64 are supported",
                        constant.id, constant.width)};
  }
  if (bindings.grid_columns == 0 || bindings.grid_rows == 0 ||
      GridVertexCount(bindings) > kMaxGridVertices) {
    return Error{format("a grid of {}x{} cells: a grid must have 1 to {} vertices",
                        bindings.grid_columns, bindings.grid_rows, kMaxGridVertices)};
  }
  if (!IsSound(bindings.mesh)) return Error{"the vertices and their attributes do not match"};
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> taken;
  const auto twice = [](const auto& bound) {
    return Error{format("there are two resources for {}", PlaceText(bound))};
  };
  size_t size =
      4 * (job.spirv.size() + bindings.companion.spirv.size()) + bindings.push_constants.size();
  size += 4 * bindings.mesh.indices.size();
  for (const BoundAttribute& attribute : bindings.mesh.attributes) {
    size += attribute.bytes.size() + 64;
  }
  for (const BoundBuffer& buffer : bindings.buffers) {
    size += buffer.bytes.size() + 64;
    if (!taken.insert({buffer.set, buffer.binding, buffer.element}).second) return twice(buffer);
  }
  for (const AddressedBuffer& buffer : bindings.addressed) {
    size += buffer.bytes.size() + buffer.name.size() + 64;
  }
  size += 64 * bindings.addresses.size();
  if (!AddressesFit(bindings)) return Error{"an address has no place or no buffer"};
  for (const BoundImage& image : bindings.images) {
    size += image.texels.size() + 64;
    if (!taken.insert({image.set, image.binding, image.element}).second) return twice(image);
    const bool has_frame_size = image.width == bindings.width && image.height == bindings.height;
    const bool has_frame_samples = image.samples == 1 || image.samples == bindings.samples;
    if (!IsSound(image) ||
        (image.kind == BoundImage::kAttachment && !(has_frame_size && has_frame_samples))) {
      return Error{
          format("the size and the texels of the image at {} do not match", PlaceText(image))};
    }
  }
  if (size > kMaxPayload / 2)
    return Error{format("module and inputs are too large: {} bytes", size)};
  return {};
}

// The additional time limit for a job with acceleration structures. To build the first one,
// lavapipe compiles its own shaders, which takes 8 seconds of processor time.
double SecondsForScenes(const Job& job) {
  constexpr double kSeconds = 60;
  const std::vector<BoundImage>& images = job.bindings.images;
  const bool has_scene = std::any_of(images.begin(), images.end(), [](const BoundImage& image) {
    return image.kind == BoundImage::kScene;
  });
  return has_scene && !job.pipeline_only ? kSeconds : 0;
}

Error StoppedError(const Target& target) {
  return Error{format("target {}: stopped", target.name), ErrorKind::kFailed};
}

/// Adds to the error of a driver that cannot be opened which library it is, and what selects it.
Error WithDriver(Error error, const Target& target) {
  if (error.kind != ErrorKind::kUnavailable || !target.missing.empty()) return error;
  const std::string library = LibraryOf(target);
  error.message += format("; the driver is {}, selected by VK_DRIVER_FILES={}",
                          library.empty() ? "unknown" : library, target.icd);
  return error;
}

/// The beginning of an error about a module that a target cannot run.
constexpr std::string_view kCannot = "cannot run this module: ";

// Removes outputs that the given module does not write. Some translators (to HLSL) must write every
// output, and what they write there is undefined.
void KeepGivenTargets(const Job& given, Outputs* outputs) {
  const Result<EntryPointInfo> stage = ReadEntryPointInfo(given);
  if (!stage) return;
  std::erase_if(outputs->targets, [&](const ColourTarget& target) {
    if (target.location == kDepthLocation) return false;
    return std::none_of(
        stage->outputs.begin(), stage->outputs.end(),
        [&](const EntryPointInfo::Output& output) { return output.location == target.location; });
  });
}

}  // namespace

Harness::Harness() = default;
Harness::~Harness() {
  Idle all;
  for (auto& [key, idle] : idle_) std::move(idle.begin(), idle.end(), std::back_inserter(all));
  WorkerProcess::EndAll(std::move(all));
}

Result<std::unique_ptr<WorkerProcess>> Harness::Take(const Target& target, bool validate) {
  if (!target.missing.empty()) {
    return Error{format("target {}: {}", target.name, target.missing), ErrorKind::kUnavailable};
  }
  bool suspect = false;
  for (;;) {
    std::unique_ptr<WorkerProcess> worker;
    {
      const std::lock_guard lock(mutex_);
      const std::string key = KeyOf(target, validate);
      suspect = suspects_.count(key) != 0;
      Idle& idle = idle_[key];
      if (idle.empty()) break;
      worker = std::move(idle.back());
      idle.pop_back();
    }
    // The worker may have died while it was idle: with the thread that started it, or because a
    // thread of the driver crashed late.
    if (worker->Alive()) return worker;
  }
  Result<std::unique_ptr<WorkerProcess>> worker = WorkerProcess::Start(
      target, validate, {.seconds = suspect ? kSuspectStartLimit : kStartLimit, .stop = &stopped_});
  if (!suspect || stopped_) return worker;
  // Not under the lock: this may take long, and other threads use other targets.
  const Status healthy = worker ? CheckHealth(target, **worker) : Status(worker.error());
  if (stopped_) return StoppedError(target);
  const std::lock_guard lock(mutex_);
  const auto why = suspects_.find(KeyOf(target, validate));
  if (healthy) {
    if (why != suspects_.end()) suspects_.erase(why);
    lost_.erase(KeyOf(target, validate));
    return worker;
  }
  lost_.insert(KeyOf(target, validate));
  // Meanwhile another thread may have found the driver healthy. It is suspected again all the same.
  if (why == suspects_.end()) suspects_[KeyOf(target, validate)] = "a hang";
  return Error{format("target {}: not usable after {}: {}", target.name,
                      why != suspects_.end() ? why->second : "a hang", healthy.error().message),
               ErrorKind::kUnavailable};
}

/// Marks the driver for a health check and ends its idle workers, which may be useless too.
void Harness::MarkAsSuspect(const Target& target, bool validate, std::string_view why) {
  Idle gone;
  {
    const std::lock_guard lock(mutex_);
    const std::string key = KeyOf(target, validate);
    suspects_[key] = why;
    std::swap(gone, idle_[key]);
  }
  WorkerProcess::EndAll(std::move(gone));
}

std::optional<Target> Harness::DriverUnder(const Target& target) {
  if (target.kind == Target::Kind::kInterpreter) return std::nullopt;
  if (target.command == nullptr) return target;
  if (target.command->render == CommandTarget::Render::kNone) return std::nullopt;
  const Result<Target> driver = DriverOf(*target.command);
  return driver ? DriverUnder(*driver) : std::nullopt;
}

bool Harness::IsLost(const Target& target) {
  if (target.command != nullptr) {
    const std::optional<Target> driver = DriverUnder(target);
    return driver && IsLost(*driver);
  }
  const std::lock_guard lock(mutex_);
  return lost_.count(KeyOf(target, true)) != 0 || lost_.count(KeyOf(target, false)) != 0;
}

Status Harness::CheckDriver(const Target& driver) {
  if (stopped_) return StoppedError(driver);
  std::string why = "a hang";
  {
    const std::lock_guard lock(mutex_);
    const auto known = suspects_.find(KeyOf(driver, false));
    if (known != suspects_.end()) why = known->second;
  }
  MarkAsSuspect(driver, false, why);
  Result<std::unique_ptr<WorkerProcess>> worker = Take(driver, false);
  if (!worker) return worker.error();
  PutBack(driver, false, std::move(*worker));
  return {};
}

Status Harness::CheckHealth(const Target& target, WorkerProcess& worker) {
  Job job = HealthJob();
  job.pipeline_only = target.kind == Target::Kind::kPipeline;
  RunResult result;
  FrameKind kind{};
  std::string bytes;
  Answer answer;
  const WaitResult outcome = worker.Exchange(
      FrameKind::kJob, Encode(job), {job.time_limit, job.memory_limit, &stopped_}, &kind, &bytes);
  if (outcome != WaitResult::kFrame) {
    result = EndWorkerAndReport(worker, outcome, job, std::move(result));
  } else if (kind == FrameKind::kAnswer && Decode(bytes, &answer)) {
    result = ResultFromAnswer(std::move(answer), std::move(result));
  } else {
    return Error{"the health check failed: no valid answer"};
  }
  const std::string problem = HealthProblem(result, job.pipeline_only);
  if (problem.empty()) return {};
  return Error{format("the health check failed: {}", problem)};
}

void Harness::PutBack(const Target& target, bool validate, std::unique_ptr<WorkerProcess> worker) {
  if (worker->jobs_done >= kJobsPerWorker || worker->MemoryUse() > kBytesPerWorker) return;
  const std::lock_guard lock(mutex_);
  idle_[KeyOf(target, validate)].push_back(std::move(worker));
}

Result<RunResult> Harness::Run(const Target& target, const Job& job) {
  const JobGate::RunningJob pass(gate_, false);
  Result<RunResult> result = Attempt(target, job);
  if (!result || result->verdict != RunOutcome::kUnsupported) return result;
  const std::string inner =
      result->target == target.name ? "" : format("target {}: ", result->target);
  return Error{format("target {}: {}{}{}", target.name, inner, kCannot, result->detail),
               ErrorKind::kUnavailable};
}

RunResult Harness::Try(const Target& target, const Job& job) {
  const JobGate::RunningJob pass(gate_, false);
  return TryInside(target, job);
}

RunResult Harness::TryAlone(const Target& target, const Job& job) {
  const JobGate::RunningJob pass(gate_, true);
  return TryInside(target, job);
}

RunResult Harness::TryInside(const Target& target, const Job& job) {
  Result<RunResult> result = Attempt(target, job);
  if (result) return std::move(*result);
  RunResult failed;
  failed.target = target.name;
  failed.verdict = result.error().kind == ErrorKind::kUnavailable ? RunOutcome::kNotUsable
                                                                  : RunOutcome::kOurError;
  failed.detail = result.error().message;
  return failed;
}

Result<RunResult> Harness::Attempt(const Target& target, const Job& job) {
  if (Status checked = CheckJob(job); !checked) return checked.error();
  if (!target.missing.empty()) {
    return Error{format("target {}: {}", target.name, target.missing), ErrorKind::kUnavailable};
  }
  if (stopped_) return StoppedError(target);
  const double cpu = OwnCpuSeconds();
  Result<RunResult> result = target.command != nullptr ? AttemptTools(*target.command, job)
                             : target.kind == Target::Kind::kInterpreter
                                 ? RunInterpreted(job, &stopped_)
                                 : AttemptOnDriver(target, job);
  if (stopped_) return StoppedError(target);
  if (result && job.expected && !job.pipeline_only) CompareWithExpected(*job.expected, &*result);
  if (result) AddNames(job.spirv, &*result);
  if (result) result->own_cpu_seconds = OwnCpuSeconds() - cpu;
  return result;
}

Result<RunResult> Harness::AttemptOnDriver(const Target& target, const Job& job) {
  Job sent = job;
  sent.pipeline_only |= target.kind == Target::Kind::kPipeline;
  sent.time_limit += SecondsForScenes(sent);
  const std::string payload = Encode(sent);
  for (int attempt = 1;; ++attempt) {
    Result<std::unique_ptr<WorkerProcess>> taken = Take(target, job.validate);
    if (!taken) return WithDriver(taken.error(), target);
    WorkerProcess& worker = **taken;
    worker.ClearOutput();
    RunResult result;
    result.target = target.name;
    result.jobs_before = worker.jobs_done++;
    const double begin = MonotonicSeconds(), cpu = worker.CpuSeconds();
    FrameKind kind{};
    std::string bytes;
    const WaitResult outcome = worker.Exchange(
        FrameKind::kJob, payload, {sent.time_limit, job.memory_limit, &stopped_}, &kind, &bytes);
    result.seconds = MonotonicSeconds() - begin;
    if (outcome == WaitResult::kStopped) {
      worker.Terminate(true);
      return StoppedError(target);
    }
    Answer answer;
    if (outcome == WaitResult::kFrame && kind == FrameKind::kAnswer && Decode(bytes, &answer)) {
      result.cpu_seconds = worker.CpuSeconds() - cpu;
      result.output = worker.Output();
      const bool keep = answer.kind != Answer::Kind::kFailed;
      result = ResultFromAnswer(std::move(answer), std::move(result));
      if (keep) PutBack(target, job.validate, std::move(*taken));
      if (result.verdict == RunOutcome::kDeviceLost) {
        MarkAsSuspect(target, job.validate, "a lost device");
      }
      return result;
    }
    if (outcome == WaitResult::kFrame) {  // the answer is not valid: the worker's memory is damaged
      worker.Terminate(true);
      result.verdict = RunOutcome::kCrash;
      result.output = worker.Output();
      result.detail = "the driver's process answered nonsense";
      return result;
    }
    result = EndWorkerAndReport(worker, outcome, sent, std::move(result));
    result.cpu_seconds = worker.CpuSeconds() - cpu;
    if (result.verdict == RunOutcome::kHang) MarkAsSuspect(target, job.validate, "a hang");
    // A process does not send SIGKILL to itself: it was killed from outside, most likely because
    // memory ran out. A worker over its memory limit may have leaked memory in earlier jobs. The
    // job is tried once more; if the same happens again, the module is the cause.
    const bool killed = result.verdict == RunOutcome::kCrash && result.signal == SIGKILL;
    const bool leaked = outcome == WaitResult::kMemory && result.jobs_before > 0;
    if (attempt == 1 && (killed || leaked)) continue;
    if (killed) {
      result.verdict = RunOutcome::kOutOfMemory;
      result.detail = "the driver was killed from outside, as when memory runs out";
    }
    return result;
  }
}

Result<Target> Harness::DriverOf(const CommandTarget& target) {
  if (target.described_driver != nullptr) {
    if (target.described_driver->missing.empty()) return *target.described_driver;
    return Error{format("target {}: {}", target.name, target.described_driver->missing),
                 ErrorKind::kUnavailable};
  }
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

Result<RunResult> Harness::AttemptTools(const CommandTarget& target, const Job& job) {
  Result<RunResult> made = RunCommands(target, job, &stopped_);
  const bool draw = target.render != CommandTarget::Render::kNone;
  if (!made || made->verdict != RunOutcome::kOk || !draw) return made;
  const Result<Target> driver = DriverOf(target);
  if (!driver) return driver.error();
  Job drawing = DrawingJob(job, std::move(made->spirv));
  Result<RunResult> drawn = Attempt(*driver, drawing);
  if (!drawn) {
    if (drawn.error().kind != ErrorKind::kUnavailable) return drawn.error();
    return Error{format("target {}: {}", target.name, drawn.error().message),
                 ErrorKind::kUnavailable};
  }
  if (drawn->outputs.targets.size() > 1) KeepGivenTargets(job, &drawn->outputs);
  drawn->seconds += made->seconds;
  drawn->cpu_seconds += made->cpu_seconds;
  drawn->spirv = std::move(drawing.spirv);
  drawn->passes = std::move(made->passes);
  if (drawn->verdict == RunOutcome::kOk) drawn->output = std::move(made->output);
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
      if (worker->Exchange(FrameKind::kStop, {}, {.seconds = kStartLimit}, &kind, &bytes) ==
              WaitResult::kFrame &&
          kind == FrameKind::kStopped && Decode(bytes, &said)) {
        messages.insert(messages.end(), said.begin(), said.end());
      }
    }
  }
  idle_.clear();
  return messages;
}

}  // namespace target
}  // namespace refract
