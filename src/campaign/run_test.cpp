// SPDX-License-Identifier: Apache-2.0
#include "campaign/run_test.h"

#include <time.h>

#include <algorithm>

#include "base/clock.h"
#include "base/text.h"
#include "harness/finding.h"
#include "harness/patience.h"

namespace refract {
namespace {

// What a failure of ours is called.
std::string OwnSignature(const std::string& stage, const std::string& what) {
  FailureFacts facts;
  facts.target = kOwnTarget;
  facts.stage = stage;
  facts.kind = FailureClass::kError;
  facts.detail = what;
  return SignatureOf(facts).text;
}

Outcome OwnFault(const std::string& stage, const std::string& what) {
  return {kOwnTarget, kOwnVerdict, OwnSignature(stage, what), 0};
}

Outcome Named(const std::string& target, const std::string& verdict, double seconds) {
  return {target, verdict, format("{} {}", verdict, target), seconds};
}

// Whether it was the interpreter that came to this result, and no tool before it.
bool IsInterpreters(const Target& target, const RunResult& ran) {
  return IsInterpreted(target) && ran.target == "interp";
}

// Runs one variant on the targets, one after the other.
class VariantRun {
 public:
  VariantRun(const CampaignSetup& setup, const TestPlan& plan, const FuzzResult& variant,
             References& references, Hangs& hangs, Harness& harness,
             const std::function<bool()>& stop)
      : setup_(setup),
        reference_(plan.reference),
        seed_(plan.seed),
        original_(*setup.sources[plan.reference].original),
        variant_(variant),
        references_(references),
        hangs_(hangs),
        harness_(harness),
        stop_(stop) {}

  /// nullopt: the original does not run there, or what it hangs in is enough.
  Result<std::optional<Outcome>> On(size_t target) {
    const Baseline& baseline = references_.BaselineOf(reference_, target);
    if (baseline.state == "fails" || baseline.state == "unsupported") {
      return std::optional<Outcome>();
    }
    const std::string& name = setup_.targets[target].target.name;
    if (!hangs_.Allows(name)) return std::optional<Outcome>();
    const Target where = TargetOfTest(setup_.targets[target].target, seed_);
    Result<Job> job = JobOf(original_, variant_.context.module, variant_.words,
                            variant_.context.inputs.get(), references_.settings());
    if (!job) return std::optional<Outcome>(OwnFault("inputs", job.error().message));
    const Patience patience(harness_, where, baseline.seconds, job->time_limit);
    job->time_limit = patience.limit();
    const double before = ThreadSeconds();
    Result<RunResult> ran = harness_.Run(where, *job);
    if (IsInterpreted(where)) target_seconds += ThreadSeconds() - before;
    if (ran && ran->verdict == RunVerdict::kHang && !IsInterpreters(where, *ran)) {
      ran = LookAgain(name, patience, *job, std::move(*ran));
    }
    if (!ran) return OfError(setup_.targets[target].target, ran.error());
    Result<Outcome> outcome = OfRun(target, where, baseline, *ran);
    if (!outcome) return outcome.error();
    outcome->seconds = ran->seconds;
    // With whatever seed, it is one target.
    if (outcome->target == where.name) outcome->target = name;
    return std::optional<Outcome>(std::move(*outcome));
  }

  /// Of this thread, that targets used.
  double target_seconds = 0;

 private:
  // What did not end in time: a hang, slow, or whatever it does when it is alone.
  Result<RunResult> LookAgain(const std::string& target, const Patience& patience, const Job& job,
                              RunResult result) {
    const std::string signature = Signature(result);
    double beside = result.seconds, alone = 0;
    const double begin = MonotonicSeconds();
    const int times = hangs_.Confirmations(signature);
    if (times > 1) {
      result = patience.ConfirmHang(job, times, stop_);
      alone = MonotonicSeconds() - begin;
    } else if (times == 1) {
      result = patience.RepeatBeside(job);
      beside += MonotonicSeconds() - begin;
    }
    hangs_.Add(target, signature, beside, alone, result.verdict == RunVerdict::kHang);
    // The job was taken before.
    if (result.verdict == RunVerdict::kOurError) return Error{result.detail, ErrorKind::kFailed};
    return result;
  }

  Result<std::optional<Outcome>> OfError(const Target& target, const Error& error) {
    if (error.kind == ErrorKind::kUnavailable) {
      return std::optional<Outcome>(Named(target.name, "unsupported", 0));
    }
    if (error.kind == ErrorKind::kFailed) return error;
    return std::optional<Outcome>(OwnFault("harness", error.message));
  }

  Result<Outcome> OfRun(size_t target, const Target& where, const Baseline& baseline,
                        const RunResult& ran) {
    if (ran.verdict != RunVerdict::kOk) {
      // A variant may take longer than the interpreter's limits, which are for originals.
      if (ran.verdict == RunVerdict::kHang && IsInterpreters(where, ran)) {
        return Named(where.name, "slow", 0);
      }
      const Finding finding = FindingOf(where.name, RunResult(), ran, CompareRule::kExact, {});
      // With this seed the original may fail as well.
      if (IsSeeded(where) && IsBug(*finding.verdict)) return Compare(where);
      return Outcome{where.name, std::string(VerdictName(finding.verdict)), finding.signature, 0,
                     finding.stage};
    }
    if (!references_.IsCompared(reference_, target) ||
        OutputsHash(ran.outputs) == baseline.outputs_hash) {
      return Outcome{where.name, "ok", {}, 0};
    }
    return Compare(where);
  }

  // Not the same bytes: what that means takes another run of both, and the interpreter, who says
  // whether the variant is to blame.
  Result<Outcome> Compare(const Target& where) {
    const Candidate candidate{variant_.words, variant_.context.inputs,
                              std::make_shared<const Context>(variant_.context)};
    const Interpretation* interpretation = references_.InterpretationOf(reference_);
    TargetJudgeOptions options;
    options.target = where;
    options.rule = references_.RuleOf(reference_);
    options.run = references_.settings();
    Result<std::unique_ptr<TargetJudge>> judge =
        TargetJudge::Make(original_, options, interpretation, harness_);
    if (!judge) {
      if (judge.error().kind == ErrorKind::kFailed) return judge.error();
      return Outcome{where.name, "ok", {}, 0};  // the original fails today: nothing can be said
    }
    const Result<TargetJudge::Shown> shown = (*judge)->Show(candidate);
    if (!shown) {
      if (shown.error().kind == ErrorKind::kFailed) return shown.error();
      return Outcome{where.name, "ok", {}, 0};
    }
    if (!shown->finding.verdict) return Outcome{where.name, "ok", {}, 0};
    if (interpretation != nullptr && shown->variant.verdict == RunVerdict::kOk) {
      const Interpretation::Verdict verdict = interpretation->Compare(original_, candidate);
      if (verdict == Interpretation::Verdict::kDifferent) {
        return OwnFault("variant", "computes something else");
      }
      if (verdict == Interpretation::Verdict::kUndefined) {
        return OwnFault("variant", "has undefined behaviour");
      }
    }
    return Outcome{where.name, std::string(VerdictName(shown->finding.verdict)),
                   shown->finding.signature, 0, shown->finding.stage};
  }

  const CampaignSetup& setup_;
  const size_t reference_;
  const uint64_t seed_;
  const Original& original_;
  const FuzzResult& variant_;
  References& references_;
  Hangs& hangs_;
  Harness& harness_;
  const std::function<bool()>& stop_;
};

}  // namespace

double ThreadSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Result<FuzzResult> MakeVariant(const CampaignSetup& setup, const TestPlan& plan) {
  FuzzOptions options;
  options.seed = plan.seed;
  options.max_steps = setup.max_steps;
  options.donors = setup.donors;
  return Fuzz(*setup.sources[plan.reference].original, options);
}

std::string MakeVariantCommand(const CampaignSetup& setup, const TestPlan& plan) {
  return format("refract fuzz {} -o variant.spv --seed {} --max-steps {}{}",
                setup.sources[plan.reference].file, plan.seed, setup.max_steps,
                setup.fuzz_arguments);
}

Result<std::optional<CampaignTest>> RunTest(const CampaignSetup& setup, uint64_t index,
                                            References& references, Hangs& hangs, Harness& harness,
                                            const std::function<bool()>& stop) {
  const TestPlan plan = PlanTest(setup.seed, index, setup.sources.size());
  if (Status checked = references.Check(plan.reference, harness); !checked) return checked.error();
  CampaignTest test;
  test.index = index;
  test.reference = setup.sources[plan.reference].name;
  test.seed = plan.seed;
  const double begin = MonotonicSeconds(), begin_own = ThreadSeconds();
  const Result<FuzzResult> variant = MakeVariant(setup, plan);
  double in_targets = 0;
  if (!variant) {
    test.outcomes.push_back(OwnFault("fuzz", variant.error().message));
  } else {
    test.steps = static_cast<uint32_t>(variant->recording.steps.size());
    test.words = static_cast<uint32_t>(variant->words.size());
    VariantRun run(setup, plan, *variant, references, hangs, harness, stop);
    for (size_t target = 0; target < setup.targets.size(); ++target) {
      if (stop()) return std::optional<CampaignTest>();
      Result<std::optional<Outcome>> outcome = run.On(target);
      if (!outcome) return outcome.error();
      if (!*outcome) continue;
      // Not known for sure: it may have been told to stop before it had hung often enough.
      if ((*outcome)->verdict == kHangVerdict && stop()) return std::optional<CampaignTest>();
      // A fault of ours shows on every target, and is one.
      const bool known =
          std::any_of(test.outcomes.begin(), test.outcomes.end(), [&](const Outcome& other) {
            return other.target == (*outcome)->target && other.signature == (*outcome)->signature;
          });
      if (!known) test.outcomes.push_back(std::move(**outcome));
    }
    in_targets = run.target_seconds;
  }
  test.seconds = MonotonicSeconds() - begin;
  test.own_seconds = ThreadSeconds() - begin_own - in_targets;
  return std::optional<CampaignTest>(std::move(test));
}

}  // namespace refract
