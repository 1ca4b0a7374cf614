// SPDX-License-Identifier: Apache-2.0
#include "reduce/target_interestingness.h"

#include <algorithm>

#include "base/text.h"
#include "engine/compare_runs.h"
#include "input/blocks.h"
#include "input/pipeline/stages.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "target/cached_original_check.h"
#include "target/time_limits.h"

namespace refract {
inline namespace reduce {
namespace {

constexpr double kTargetTimeFactor = 10;
constexpr double kInterpreterLimitFactor = 4;  // times the limit for the original, for a variant
constexpr double kMinTargetTime = 1;           // seconds

// Returns the layouts of the storage buffers. A buffer without a known layout is left out and
// compared bit for bit.
std::vector<BufferLayout> LayoutsOf(const Module& module, const EntryPoint& entry,
                                    const Bindings& bindings) {
  std::vector<BufferLayout> layouts;
  AddAddressedLayouts(bindings, &layouts);
  const Result<std::vector<BlockVariable>> blocks =
      BlocksOf(module, entry, BlockNames(module), bindings.constants);
  if (!blocks) return layouts;
  for (const BlockVariable& block : *blocks) {
    for (const BoundBuffer& buffer : bindings.buffers) {
      if (!buffer.storage || block.place != BlockPlace(buffer)) continue;
      Result<Layout> layout = LayoutWithin(module, block, buffer.bytes.size(), bindings.constants);
      if (layout)
        layouts.push_back({buffer.set, buffer.binding, std::move(*layout), buffer.element});
    }
  }
  return layouts;
}

// Returns the module of a candidate: as steps made it, or read from its words.
Result<std::shared_ptr<const Module>> ModuleOf(const Candidate& candidate) {
  if (candidate.context != nullptr) {
    return std::shared_ptr<const Module>(candidate.context, &candidate.context->module);
  }
  Result<Module> module = ReadModule(candidate.words, "candidate");
  if (!module) return module.error();
  return std::make_shared<const Module>(std::move(*module));
}

}  // namespace

Result<Job> JobOf(const Original& original, const Module& module,
                  const std::vector<uint32_t>& words, const Inputs* inputs,
                  const RunSettings& arguments) {
  const Result<EntryPoint> entry = FindEntryPoint(module, original.context.entry, original.file);
  if (!entry) return entry.error();
  if (Status runnable = CheckRunnable(*entry, original.file); !runnable) return runnable.error();
  const Inputs none;
  Result<ResolvedInputs> resolved = Resolve(module, *entry, inputs != nullptr ? *inputs : none,
                                            original.file, {.zero_inputs = arguments.zero_inputs});
  if (!resolved) return resolved.error();
  Job job;
  job.spirv = words;
  job.entry = entry->name;
  job.bindings = std::move(resolved->bindings);
  job.time_limit = arguments.time_limit;
  job.partial_subgroups = arguments.partial_subgroups;
  job.environment = original.environment;
  job.validation = original.validation;
  if (inputs != nullptr) job.expected = inputs->expected;
  return job;
}

bool MayFailBecauseOfShader(const RunResult& ran) {
  if (!ran.command.empty()) return false;
  switch (ran.verdict) {
    case RunOutcome::kHang:
    case RunOutcome::kDeviceLost:
      return true;
    case RunOutcome::kCrash:
      return std::find(ran.backtrace.begin(), ran.backtrace.end(), "jit") != ran.backtrace.end();
    default:
      return false;
  }
}

Result<Interpretation> Interpretation::Of(const Original& original, const RunSettings& arguments,
                                          bool schedules) {
  const std::shared_ptr<const Context> context(std::shared_ptr<const void>(), &original.context);
  return OfCandidate(original, {original.words, original.context.inputs, context}, arguments,
                     schedules);
}

Result<Interpretation> Interpretation::OfCandidate(const Original& original,
                                                   const Candidate& candidate,
                                                   const RunSettings& arguments, bool schedules) {
  Interpretation made(arguments);
  const Result<std::shared_ptr<const Module>> module = ModuleOf(candidate);
  if (!module) return module.error();
  const Result<Job> job =
      JobOf(original, **module, candidate.words, candidate.inputs.get(), arguments);
  if (!job) return job.error();
  const Result<EntryPoint> entry = FindEntryPoint(**module, job->entry, original.file);
  if (!entry) return entry.error();
  made.layouts_ = LayoutsOf(**module, *entry, job->bindings);
  OriginalCheckOptions options;
  options.schedules = schedules;
  options.time_limit = arguments.interpreter_limit;
  options.stop = arguments.stop;
  Result<OriginalCheck> judged =
      CheckOriginalJob(**module, *job, made.layouts_, original.file, options);
  if (!judged) return judged.error();
  if (judged->extent.looked_at == 0) {
    return Error{
        format("{}: the interpreter could not finish even a part of the invocations within {} s",
               original.file, arguments.interpreter_limit),
        ErrorKind::kUnavailable};
  }
  made.check_ = std::move(*judged);
  return made;
}

RunResult Interpretation::AsRun() const {
  RunResult run;
  run.outputs = check_.report.outputs;
  return run;
}

Interpretation::CompareResult Interpretation::Compare(const Original& original,
                                                      const Candidate& candidate,
                                                      bool needs_certificate) const {
  const Result<std::shared_ptr<const Module>> module = ModuleOf(candidate);
  if (!module) return CompareResult::kUnknown;
  const Result<Job> job =
      JobOf(original, **module, candidate.words, candidate.inputs.get(), arguments_);
  if (!job) return CompareResult::kUnknown;
  const Result<EntryPoint> entry = FindEntryPoint(**module, job->entry, original.file);
  if (!entry) return CompareResult::kUnknown;
  const Result<Program> program = Program::Decode(**module, *entry, job->bindings, original.file);
  if (!program) return CompareResult::kUnknown;
  OriginalCheckOptions options;
  options.schedules = false;
  options.perturbations = 0;
  options.time_limit = kInterpreterLimitFactor * arguments_.interpreter_limit;
  options.stop = arguments_.stop;
  options.may_sample = false;
  options.sample = check_.sample;
  const Result<OriginalCheck> judged =
      CheckOriginalProgram(*program, layouts_, original.file, options);
  if (!judged) return CompareResult::kUnknown;
  if (!judged->well_defined()) return CompareResult::kUndefined;
  if (needs_certificate) {
    if (!check_.well_defined() || !check_.extent.is_whole()) return CompareResult::kUnknown;
    const auto uncertified = FindUncertified(check_.report, judged->report);
    return uncertified ? CompareResult::kUncertified : CompareResult::kEqual;
  }
  RunResult ran;
  ran.outputs = judged->report.outputs;
  const Finding finding = FindingOf("interp", AsRun(), ran, rule(), layouts_);
  return finding.verdict ? CompareResult::kDifferent : CompareResult::kEqual;
}

double CandidateTimeLimit(double time_limit, bool made_by_steps, const Finding& wanted,
                          double first_seconds) {
  const bool takes_long =
      wanted.verdict == FailureClass::kHang || wanted.verdict == FailureClass::kSlow;
  if (made_by_steps || takes_long) return time_limit;
  return std::min(time_limit, std::max(kMinTargetTime, kTargetTimeFactor * first_seconds));
}

Result<bool> InterpreterTest::IsInteresting(const Candidate& candidate) {
  const Interpretation::CompareResult verdict =
      interpretation_.Compare(original_, candidate, needs_certificate_);
  return verdict == Interpretation::CompareResult::kDifferent ||
         verdict == Interpretation::CompareResult::kUndefined;
}

TargetTest::TargetTest(const Original& original, TargetTestOptions options,
                       const Interpretation* interpretation, Harness& harness)
    : original_(original),
      options_(std::move(options)),
      tools_(WithoutDriver(options_.target)),
      interpretation_(interpretation),
      harness_(harness),
      signature_(options_.signature) {}

void TargetTest::Interpret() {
  std::call_once(interpreted_, [this] {
    if (interpretation_ == nullptr && options_.interpret) interpretation_ = options_.interpret();
    if (options_.rule) {
      rule_ = *options_.rule;
      if (rule_.kind == CompareRule::kBounded && rule_.bounds == nullptr &&
          interpretation_ != nullptr) {
        rule_.bounds = interpretation_->rule().bounds;
      }
    } else if (interpretation_ != nullptr) {
      rule_ = interpretation_->rule();
      rule_.thresholds = options_.thresholds;
    }
    if (interpretation_ != nullptr) layouts_ = interpretation_->layouts();
  });
}

ComparisonRule TargetTest::rule() {
  Interpret();
  return rule_;
}

// Outputs that are equal bit for bit agree by any rule, and a crash has no outputs. Only other
// results need the interpreter.
Finding TargetTest::CompareWithOriginal(const RunResult& original, const RunResult& variant) {
  const std::string& name = options_.target.name;
  Finding finding = FindingOf(name, original, variant, CompareRule::kExact, {});
  if (!IsWrongOutput(finding)) return finding;
  Interpret();
  return FindingOf(name, original, variant, rule_, layouts_);
}

Result<std::unique_ptr<TargetTest>> TargetTest::Make(const Original& original,
                                                     TargetTestOptions options,
                                                     const Interpretation* interpretation,
                                                     Harness& harness) {
  std::unique_ptr<TargetTest> test(
      new TargetTest(original, std::move(options), interpretation, harness));
  Result<Job> job = JobOf(original, original.context.module, original.words,
                          original.context.inputs.get(), test->options_.run);
  if (!job) return job.error();
  test->original_job_ = std::move(*job);
  Result<RunResult> ran = test->RunOriginal(test->options_.run.time_limit);
  if (!ran) return ran.error();
  const std::string& name = test->options_.target.name;
  if (ran->verdict == RunOutcome::kRejected) {
    return Error{format("target {}: cannot run {}: {}", name, original.file, ran->detail),
                 ErrorKind::kUnavailable};
  }
  if (ran->verdict != RunOutcome::kOk) {
    return Error{format("target {}: the original fails too: {}", name, ran->detail)};
  }
  test->original_run_ = std::move(*ran);
  return test;
}

Result<RunResult> TargetTest::RunOriginal(double time_limit) {
  Job job = original_job_;
  job.time_limit = time_limit;
  return harness_.Run(options_.target, job);
}

Result<RunResult> TargetTest::RunCandidate(const Candidate& candidate, const Target& target) {
  const Result<std::shared_ptr<const Module>> module = ModuleOf(candidate);
  if (!module) return module.error();
  Result<Job> job =
      JobOf(original_, **module, candidate.words, candidate.inputs.get(), options_.run);
  if (!job) return job.error();
  const TimeLimits time_limits(harness_, target, original_run_.seconds, job->time_limit);
  job->time_limit = time_limits.limit();
  bool known = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool made_by_steps = candidate.context != nullptr;
    known = first_.has_value();
    if (first_) {
      job->time_limit = CandidateTimeLimit(job->time_limit, made_by_steps, *first_, first_seconds_);
    }
  }
  Result<RunResult> ran = harness_.Run(target, *job);
  // The first candidate sets the failure to look for, so a hang of the first candidate must be
  // certain.
  const bool hangs = ran && ran->verdict == RunOutcome::kHang;
  if (known || !hangs || !options_.repeats_hangs) return ran;
  return time_limits.Repeat(*job, *ran);
}

Result<bool> TargetTest::IsInteresting(const Candidate& candidate) {
  if (candidate.is_original) return false;  // Make ran the original without a failure
  bool fails_in_tool = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    fails_in_tool = fails_in_tool_;
  }
  const Target& target = fails_in_tool ? tools_ : options_.target;
  const Result<RunResult> ran = RunCandidate(candidate, target);
  if (!ran) {
    // A driver may not support what a step adds. That is not the failure to look for.
    const bool ends = ran.error().kind == ErrorKind::kFailed || harness_.IsLost(target);
    return ends ? Result<bool>(ran.error()) : Result<bool>(false);
  }
  if (fails_in_tool && ran->command.empty()) return false;
  const Finding finding = CompareWithOriginal(original_run_, *ran);
  if (!IsWanted(finding, *ran)) return false;
  if (IsWrongOutput(finding)) return ReproducesWrongOutput(candidate, *ran);
  return MayFailBecauseOfShader(*ran) ? IsNoFaultOfShader(candidate) : Result<bool>(true);
}

Result<TargetTest::DisplayRuns> TargetTest::RunForDisplay(const Candidate& candidate) {
  Result<RunResult> original = RunOriginal(original_job_.time_limit);
  if (!original) return original.error();
  Result<RunResult> variant = RunCandidate(candidate, options_.target);
  if (!variant) return variant.error();
  Finding finding = CompareWithOriginal(*original, *variant);
  return DisplayRuns{std::move(finding), std::move(*original), std::move(*variant)};
}

bool TargetTest::FoundWrongOutput() {
  return IsWrongOutput(First());
}

bool TargetTest::IsWanted(const Finding& finding, const RunResult& ran) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!first_) {
    first_ = finding;
    first_seconds_ = ran.seconds;
    // A run that is only slow is not a failure to look for, because it is not reliable.
    const bool fits = finding.verdict && finding.verdict != FailureClass::kSlow &&
                      (!options_.wrong_output || IsWrongOutput(finding));
    if (signature_.empty() && fits) signature_ = finding.signature;
  }
  const bool is_wanted = finding.verdict && finding.signature == signature_;
  if (is_wanted && !ran.command.empty()) fails_in_tool_ = true;
  return is_wanted;
}

Result<bool> TargetTest::ReproducesWrongOutput(const Candidate& candidate, const RunResult& ran) {
  const Result<RunResult> again = RunOriginal(original_job_.time_limit);
  if (!again) return again.error();
  const Finding finding = CompareWithOriginal(*again, ran);
  if (!IsWrongOutput(finding)) return false;
  if (interpretation_ == nullptr) return !options_.needs_certificate;
  const Interpretation::CompareResult verdict =
      interpretation_->Compare(original_, candidate, options_.needs_certificate);
  // The interpreter may have been stopped.
  if (harness_.IsStopped()) return Error{"the comparison was stopped", ErrorKind::kFailed};
  return verdict == Interpretation::CompareResult::kEqual ||
         (verdict == Interpretation::CompareResult::kUnknown && !options_.needs_certificate);
}

Result<bool> TargetTest::IsNoFaultOfShader(const Candidate& candidate) {
  Interpret();
  if (interpretation_ == nullptr) return true;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_first_well_defined_ == false) return true;
  }
  const Interpretation::CompareResult verdict =
      interpretation_->Compare(original_, candidate, false);
  if (harness_.IsStopped()) return Error{"the comparison was stopped", ErrorKind::kFailed};
  const bool well_defined = verdict != Interpretation::CompareResult::kUndefined &&
                            verdict != Interpretation::CompareResult::kUnknown;
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool is_first = !is_first_well_defined_;
  if (is_first) is_first_well_defined_ = well_defined;
  return is_first || well_defined;
}

Finding TargetTest::First() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return first_.value_or(Finding());
}

std::string TargetTest::signature() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return signature_;
}

}  // namespace reduce
}  // namespace refract
