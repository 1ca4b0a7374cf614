// SPDX-License-Identifier: Apache-2.0
#include "reduce/smallest_pair.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "engine/execution_facts.h"
#include "engine/validity.h"
#include "reduce/exact_output.h"
#include "reduce/failing_interestingness.h"
#include "shrink/replayed.h"

namespace refract {
inline namespace reduce {
namespace {

// Taking them again needs a run of the interpreter.
bool HasExecutionFacts(const message::Recording& recording) {
  return !recording.execution_facts.never_runs.empty() ||
         !recording.execution_facts.uniform.empty();
}

/// The original and the variant. `pair` must outlive them.
std::array<Candidate, 2> ModulesOf(const Pair& pair) {
  const std::shared_ptr<const Context> context(std::shared_ptr<const void>(),
                                               &pair.original.context);
  return {Candidate{pair.original.words, pair.original.context.inputs, context}, pair.variant};
}

/// The outputs of both modules. Empty, with the reason in `*why_not`, unless they are exact and the
/// same.
Result<std::vector<Interpretation>> InterpretPair(const Pair& pair, const RunSettings& settings,
                                                  bool schedules, std::string* why_not) {
  const std::array<Candidate, 2> modules = ModulesOf(pair);
  std::vector<Interpretation> exact;
  for (const Candidate& each : modules) {
    Result<std::optional<Interpretation>> interpreted =
        InterpretExactly(pair.original, each, settings, schedules, why_not);
    if (!interpreted) return interpreted.error();
    if (!*interpreted) return std::vector<Interpretation>();
    exact.push_back(std::move(**interpreted));
  }
  const Finding ours = FindingOf("interp", exact[0].AsRun(), exact[1].AsRun(), CompareRule::kExact,
                                 exact[0].layouts());
  if (!ours.verdict) return exact;
  *why_not = "the modules compute different outputs";
  return std::vector<Interpretation>();
}

}  // namespace

std::optional<Pair> MakePair(const Original& source, const message::Recording& recording,
                             const Candidate& smaller) {
  OriginalOptions same = OptionsOf(source);
  same.latest_shapes = recording.limits.latest_shapes;
  Result<Original> original = MakeOriginal(smaller.words, source.file, smaller.inputs, same);
  if (!original) return std::nullopt;
  if (smaller.module != nullptr) original->context.module = *smaller.module;
  message::Recording moved = recording;
  moved.module_hash = original->module_hash;
  moved.inputs_hash = original->inputs_hash;
  moved.companion_hash = original->companion_hash;
  // The smaller original may use these ids for other things.
  moved.ids.clear();
  if (HasExecutionFacts(recording)) moved.execution_facts = TakeExecutionFacts(*original);
  const Result<ReplayedPointer> replayed = ReplayWithContexts(*original, std::move(moved));
  if (!replayed) return std::nullopt;
  const ReplayedRecording& result = **replayed;
  if (result.recording.steps.size() != recording.steps.size()) return std::nullopt;
  if (FindValidityError(result.context().module, result.words, *original)) return std::nullopt;
  Candidate variant{result.words, result.context().inputs, result.contexts.back()};
  return Pair{std::move(*original), std::move(variant)};
}

PairTest::PairTest(const Original& source, const message::Recording& recording, Target target,
                   RunSettings run, Harness& harness)
    : source_(source),
      recording_(recording),
      target_(std::move(target)),
      run_(run),
      harness_(harness) {
  run_.stop = &harness.stopped();
}

Result<PairTest::Outcome> PairTest::Judge(const Pair& pair, const std::optional<FirstPair>& first,
                                          FirstPair* taken) {
  const auto no = [](std::string why) { return Outcome{std::move(why), false, {}}; };
  const std::array<Candidate, 2> modules = ModulesOf(pair);
  std::array<RunResult, 2> runs;
  for (size_t i = 0; i < modules.size(); ++i) {
    Result<Job> job = JobOf(pair.original, modules[i].context->module, modules[i].words,
                            modules[i].inputs.get(), run_);
    if (!job) return first ? Result<Outcome>(no("an input is missing")) : job.error();
    if (first) {
      job->time_limit = CandidateTimeLimit(job->time_limit, false, Finding(), first->seconds);
    }
    Result<RunResult> ran = harness_.Run(target_, *job);
    if (!ran) {
      const bool ends = ran.error().kind == ErrorKind::kFailed || harness_.IsLost(target_);
      return ends || !first ? Result<Outcome>(ran.error()) : Result<Outcome>(no("it does not run"));
    }
    if (!MayBeWrong(*ran)) return no("the target does not run both modules");
    taken->seconds = std::max(taken->seconds, ran->seconds);
    runs[i] = std::move(*ran);
  }
  const bool ended = runs[0].verdict == RunOutcome::kOk && runs[1].verdict == RunOutcome::kOk;
  if (ended && !FindingOf(target_.name, runs[0], runs[1], CompareRule::kExact, {}).verdict) {
    return no("the target gives the same output for both modules");
  }
  RunSettings settings = run_;
  if (first) {
    settings.interpreter_limit = CandidateInterpreterLimit(run_, first->interpreter_seconds);
  }
  Outcome outcome;
  const double begin = MonotonicSeconds();
  // Other orders of execution take long. Only outputs that seem wrong need them.
  for (const bool schedules : {false, true}) {
    std::string why_not;
    const Result<std::vector<Interpretation>> exact =
        InterpretPair(pair, settings, schedules, &why_not);
    if (!exact) return exact.error();
    if (exact->empty()) return no(why_not);
    std::array<Finding, 2> findings;
    for (size_t i = 0; i < findings.size(); ++i) {
      findings[i] = FindingOfModule(target_, runs[i], &(*exact)[i]);
    }
    if (findings[0].verdict.has_value() == findings[1].verdict.has_value()) {
      return no(findings[0].verdict ? "the target's output is wrong for both modules"
                                    : "the target's output is right for both modules");
    }
    outcome.is_original_wrong = findings[0].verdict.has_value();
    outcome.finding = std::move(findings[outcome.is_original_wrong ? 0 : 1]);
  }
  taken->interpreter_seconds = MonotonicSeconds() - begin;
  if (outcome.finding.verdict == FailureClass::kSlow) return no("the target is only slow");
  return outcome;
}

Result<bool> PairTest::IsInteresting(const Candidate& candidate) {
  std::optional<FirstPair> first = this->first();
  // A failure that does not reproduce in every run is looked for again.
  if (first && !first->why_not.empty()) first.reset();
  const std::optional<Pair> pair = MakePair(source_, recording_, candidate);
  FirstPair taken;
  if (!pair) {
    if (first) return false;
    taken.why_not = "the steps of the recording do not apply";
  } else {
    const Result<Outcome> outcome = Judge(*pair, first, &taken);
    if (!outcome) return outcome.error();
    if (first) {
      return outcome->why_not.empty() && outcome->finding.signature == first->signature &&
             outcome->is_original_wrong == first->is_original_wrong;
    }
    taken.why_not = outcome->why_not;
    taken.is_original_wrong = outcome->is_original_wrong;
    taken.signature = outcome->finding.signature;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  first_ = std::move(taken);
  return first_->why_not.empty();
}

// The interpreter is asked before the target, because it is faster than most targets, and because
// what it refuses is not a try.
bool PairTest::MayBeInteresting(const Candidate& candidate, const Module& module) {
  if (!JobOf(source_, module, candidate.words, candidate.inputs.get(), run_)) return false;
  if (HasExecutionFacts(recording_)) return true;
  const std::optional<Pair> pair = MakePair(source_, recording_, candidate);
  if (!pair) return false;
  const std::optional<FirstPair> first = this->first();
  if (!first || !first->why_not.empty()) return true;
  RunSettings settings = run_;
  settings.interpreter_limit = CandidateInterpreterLimit(run_, first->interpreter_seconds);
  std::string why_not;
  const Result<std::vector<Interpretation>> exact = InterpretPair(*pair, settings, false, &why_not);
  return !exact || !exact->empty();
}

std::optional<PairTest::FirstPair> PairTest::first() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return first_;
}

std::string PairTest::why_not() {
  const std::optional<FirstPair> taken = first();
  return taken ? taken->why_not : std::string();
}

bool PairTest::IsOriginalWrong() {
  const std::optional<FirstPair> taken = first();
  return taken && taken->is_original_wrong;
}

Result<SmallestPair> ReducePair(const Original& original, const message::Recording& recording,
                                const Target& target, const RunSettings& run, ReduceOptions options,
                                Harness& harness) {
  PairTest test(original, recording, target, run, harness);
  RepeatedTest repeated(test, options.wanted_runs, options.runs);
  options.wrong_output = [] { return true; };
  options.keep_ids = true;
  Result<ModuleReduction> reduction = ReduceModule(original, options, repeated);
  if (!reduction) return reduction.error();
  SmallestPair result;
  result.why_not = test.why_not();
  result.is_original_wrong = test.IsOriginalWrong();
  if (reduction->end != Reduction::End::kNotInteresting && !reduction->words.empty()) {
    result.pair =
        MakePair(original, recording,
                 {reduction->words, reduction->inputs, nullptr, false, reduction->module});
  }
  result.reduction = std::move(*reduction);
  return result;
}

}  // namespace reduce
}  // namespace refract
