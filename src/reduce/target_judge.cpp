// SPDX-License-Identifier: Apache-2.0
#include "reduce/target_judge.h"

#include <algorithm>

#include "base/text.h"
#include "input/blocks.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "target/judge_job.h"
#include "target/patience.h"

namespace refract {
inline namespace reduce {
namespace {

constexpr double kTimesFirst = 10;
constexpr double kTimesJudging = 4;  // times the limit for the original, for a variant
constexpr double kLeastLimit = 1;    // seconds

// Returns the layouts of the storage buffers. A buffer without a known layout is left out and
// compared bit for bit.
std::vector<BufferLayout> LayoutsOf(const Module& module, const EntryPoint& entry,
                                    const Bindings& bindings) {
  std::vector<BufferLayout> layouts;
  const Result<std::vector<BlockVariable>> blocks =
      BlocksOf(module, entry, BlockNames(module), bindings.constants);
  if (!blocks) return layouts;
  for (const BlockVariable& block : *blocks) {
    for (const BoundBuffer& buffer : bindings.buffers) {
      if (!buffer.storage || block.place != BlockPlace(false, buffer.set, buffer.binding)) continue;
      Result<Layout> layout = LayoutWithin(module, block, buffer.bytes.size(), bindings.constants);
      if (layout) layouts.push_back({buffer.set, buffer.binding, std::move(*layout)});
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
  if (entry->model != spv::ExecutionModel::Fragment &&
      entry->model != spv::ExecutionModel::Vertex &&
      entry->model != spv::ExecutionModel::GLCompute) {
    return Error{format("{}: cannot run entry point '{}': it is not a fragment, vertex or compute "
                        "shader",
                        original.file, entry->name),
                 ErrorKind::kUnavailable};
  }
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

Result<Interpretation> Interpretation::Of(const Original& original, const RunSettings& arguments,
                                          bool schedules) {
  Interpretation made(arguments);
  const Module& module = original.context.module;
  const Result<Job> job =
      JobOf(original, module, original.words, original.context.inputs.get(), arguments);
  if (!job) return job.error();
  const Result<EntryPoint> entry = FindEntryPoint(module, job->entry, original.file);
  if (!entry) return entry.error();
  made.layouts_ = LayoutsOf(module, *entry, job->bindings);
  JudgeOptions options;
  options.schedules = schedules;
  options.time_limit = arguments.judge_limit;
  Result<Judgement> judged = JudgeJob(module, *job, made.layouts_, original.file, options);
  if (!judged) return judged.error();
  if (judged->extent.looked_at == 0) {
    return Error{format("{}: the interpreter could not finish even a sample within {} s",
                        original.file, arguments.judge_limit),
                 ErrorKind::kUnavailable};
  }
  made.judgement_ = std::move(*judged);
  return made;
}

Interpretation::Verdict Interpretation::Compare(const Original& original,
                                                const Candidate& candidate) const {
  const Result<std::shared_ptr<const Module>> module = ModuleOf(candidate);
  if (!module) return Verdict::kUnknown;
  const Result<Job> job =
      JobOf(original, **module, candidate.words, candidate.inputs.get(), arguments_);
  if (!job) return Verdict::kUnknown;
  const Result<EntryPoint> entry = FindEntryPoint(**module, job->entry, original.file);
  if (!entry) return Verdict::kUnknown;
  const Result<Program> program = Program::Decode(**module, *entry, job->bindings, original.file);
  if (!program) return Verdict::kUnknown;
  JudgeOptions options;
  options.schedules = false;
  options.perturbations = 0;
  options.time_limit = kTimesJudging * arguments_.judge_limit;
  options.may_sample = false;
  options.sample = judgement_.sample;
  const Result<Judgement> judged = JudgeProgram(*program, layouts_, original.file, options);
  if (!judged) return Verdict::kUnknown;
  if (!judged->well_defined()) return Verdict::kUndefined;
  RunResult a, b;
  a.outputs = judgement_.report.outputs;
  b.outputs = judged->report.outputs;
  const Finding finding = FindingOf("interp", a, b, rule(), layouts_);
  return finding.verdict ? Verdict::kDifferent : Verdict::kEqual;
}

double CandidateTimeLimit(double time_limit, bool made_by_steps, const Finding& wanted,
                          double first_seconds) {
  const bool takes_long =
      wanted.verdict == FailureClass::kHang || wanted.verdict == FailureClass::kSlow;
  if (made_by_steps || takes_long) return time_limit;
  return std::min(time_limit, std::max(kLeastLimit, kTimesFirst * first_seconds));
}

Result<bool> InterpreterJudge::IsInteresting(const Candidate& candidate) {
  const Interpretation::Verdict verdict = interpretation_.Compare(original_, candidate);
  return verdict == Interpretation::Verdict::kDifferent ||
         verdict == Interpretation::Verdict::kUndefined;
}

TargetJudge::TargetJudge(const Original& original, TargetJudgeOptions options,
                         const Interpretation* interpretation, Harness& harness)
    : original_(original),
      options_(std::move(options)),
      interpretation_(interpretation),
      harness_(harness),
      signature_(options_.signature) {}

void TargetJudge::Interpret() {
  std::call_once(interpreted_, [this] {
    if (interpretation_ == nullptr && options_.interpret) interpretation_ = options_.interpret();
    if (options_.rule) {
      rule_ = *options_.rule;
    } else if (interpretation_ != nullptr) {
      rule_ = interpretation_->rule();
    }
    if (interpretation_ != nullptr) layouts_ = interpretation_->layouts();
  });
}

CompareRule TargetJudge::rule() {
  Interpret();
  return rule_;
}

// Outputs that are equal bit for bit agree by any rule, and a crash has no outputs. Only other
// results need the interpreter.
Finding TargetJudge::FindingOn(const RunResult& original, const RunResult& variant) {
  const std::string& name = options_.target.name;
  Finding finding = FindingOf(name, original, variant, CompareRule::kExact, {});
  if (!IsWrongOutput(finding)) return finding;
  Interpret();
  return FindingOf(name, original, variant, rule_, layouts_);
}

Result<std::unique_ptr<TargetJudge>> TargetJudge::Make(const Original& original,
                                                       TargetJudgeOptions options,
                                                       const Interpretation* interpretation,
                                                       Harness& harness) {
  std::unique_ptr<TargetJudge> judge(
      new TargetJudge(original, std::move(options), interpretation, harness));
  Result<Job> job = JobOf(original, original.context.module, original.words,
                          original.context.inputs.get(), judge->options_.run);
  if (!job) return job.error();
  judge->original_job_ = std::move(*job);
  Result<RunResult> ran = judge->RunOriginal(judge->options_.run.time_limit);
  if (!ran) return ran.error();
  const std::string& name = judge->options_.target.name;
  if (ran->verdict == RunVerdict::kRejected) {
    return Error{format("target {}: cannot run {}: {}", name, original.file, ran->detail),
                 ErrorKind::kUnavailable};
  }
  if (ran->verdict != RunVerdict::kOk) {
    return Error{format("target {}: the original fails too: {}", name, ran->detail)};
  }
  judge->original_run_ = std::move(*ran);
  return judge;
}

Result<RunResult> TargetJudge::RunOriginal(double time_limit) {
  Job job = original_job_;
  job.time_limit = time_limit;
  return harness_.Run(options_.target, job);
}

Result<RunResult> TargetJudge::RunCandidate(const Candidate& candidate) {
  const Result<std::shared_ptr<const Module>> module = ModuleOf(candidate);
  if (!module) return module.error();
  Result<Job> job =
      JobOf(original_, **module, candidate.words, candidate.inputs.get(), options_.run);
  if (!job) return job.error();
  const Patience patience(harness_, options_.target, original_run_.seconds, job->time_limit);
  job->time_limit = patience.limit();
  bool known = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool made_by_steps = candidate.context != nullptr;
    known = first_.has_value();
    if (first_) {
      job->time_limit = CandidateTimeLimit(job->time_limit, made_by_steps, *first_, first_seconds_);
    }
  }
  Result<RunResult> ran = harness_.Run(options_.target, *job);
  // The first candidate sets the failure to look for, so a hang of the first candidate must be
  // certain.
  const bool hangs = ran && ran->verdict == RunVerdict::kHang;
  if (known || !hangs || !options_.repeats_hangs) return ran;
  return patience.RepeatAlone(*job);
}

Result<bool> TargetJudge::IsInteresting(const Candidate& candidate) {
  if (candidate.is_original) return false;  // Make ran the original without a failure
  const Result<RunResult> ran = RunCandidate(candidate);
  if (!ran) {
    // A driver may not support what a step adds. That is not the failure to look for.
    const bool ends = ran.error().kind == ErrorKind::kFailed || harness_.IsLost(options_.target);
    return ends ? Result<bool>(ran.error()) : Result<bool>(false);
  }
  const Finding finding = FindingOn(original_run_, *ran);
  if (!IsWanted(finding, ran->seconds)) return false;
  if (!IsWrongOutput(finding)) return true;
  return IsWrongAgain(candidate, *ran);
}

Result<TargetJudge::Shown> TargetJudge::Show(const Candidate& candidate) {
  Result<RunResult> original = RunOriginal(original_job_.time_limit);
  if (!original) return original.error();
  Result<RunResult> variant = RunCandidate(candidate);
  if (!variant) return variant.error();
  Finding finding = FindingOn(*original, *variant);
  return Shown{std::move(finding), std::move(*original), std::move(*variant)};
}

bool TargetJudge::IsAboutOutputs() {
  return IsWrongOutput(First());
}

bool TargetJudge::IsWanted(const Finding& finding, double seconds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!first_) {
    first_ = finding;
    first_seconds_ = seconds;
    // A run that is only slow is not a failure to look for, because it is not reliable.
    const bool fits = finding.verdict && finding.verdict != FailureClass::kSlow &&
                      (!options_.wrong_output || IsWrongOutput(finding));
    if (signature_.empty() && fits) signature_ = finding.signature;
  }
  return finding.verdict && finding.signature == signature_;
}

Result<bool> TargetJudge::IsWrongAgain(const Candidate& candidate, const RunResult& ran) {
  const Result<RunResult> again = RunOriginal(original_job_.time_limit);
  if (!again) return again.error();
  const Finding finding = FindingOn(*again, ran);
  if (!IsWrongOutput(finding)) return false;
  if (interpretation_ == nullptr) return true;
  const Interpretation::Verdict verdict = interpretation_->Compare(original_, candidate);
  return verdict == Interpretation::Verdict::kEqual || verdict == Interpretation::Verdict::kUnknown;
}

Finding TargetJudge::First() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return first_.value_or(Finding());
}

std::string TargetJudge::signature() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return signature_;
}

}  // namespace reduce
}  // namespace refract
