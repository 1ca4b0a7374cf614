// SPDX-License-Identifier: Apache-2.0
#include "campaign/run_on_targets.h"

#include <algorithm>

#include "base/clock.h"
#include "base/text.h"
#include "campaign/feedback.h"
#include "campaign/make_variant.h"
#include "campaign/programs/program_test.h"
#include "campaign/retrying_runner.h"
#include "folder/test_folder.h"
#include "target/finding.h"

namespace refract {
inline namespace campaign {
namespace {

// Runs one variant on one target after the other.
class VariantRun {
 public:
  VariantRun(const CampaignSetup& setup, const TestPlan& plan, const FuzzResult& variant,
             References& references, RetryingRunner& runner, Harness& harness)
      : setup_(setup),
        reference_(plan.reference),
        seed_(plan.seed),
        original_(*setup.sources[plan.reference].original),
        variant_(variant),
        references_(references),
        runner_(runner),
        harness_(harness) {}

  /// Runs the variant on a target. Returns nullopt if the original does not run there, or if the
  /// test skips the target (RetryingRunner::Allows).
  Result<std::optional<Outcome>> RunOn(size_t target) {
    const std::string& name = setup_.targets[target].target.name;
    if (!references_.HasBaseline(reference_, target)) {
      runner_.Allows(name);  // counts a lost device
      return std::optional<Outcome>();
    }
    const Baseline& baseline = references_.BaselineOf(reference_, target);
    if (!RunsVariants(baseline.state)) {
      return std::optional<Outcome>();
    }
    if (!runner_.Allows(name)) return std::optional<Outcome>();
    const Target where = TargetOfTest(setup_.targets[target].target, seed_);
    Result<Job> job = JobOf(original_, variant_.context.module, variant_.words,
                            variant_.context.inputs.get(), references_.settings());
    if (!job) return std::optional<Outcome>(FaultOutcome("inputs", job.error().message));
    const auto original = [&] {
      return JobOf(original_, original_.context.module, original_.words,
                   original_.context.inputs.get(), references_.settings());
    };
    const Result<RunResult> ran =
        runner_.Run(name, where, baseline.seconds, std::move(*job), original);
    if (!ran) return OutcomeOfError(name, ran.error());
    Result<Outcome> outcome = OutcomeOfRun(target, where, baseline, *ran);
    if (!outcome) return outcome.error();
    outcome->seconds = ran->seconds;
    // The name without a seed: with every seed, it is one target.
    if (outcome->target == where.name) outcome->target = name;
    return std::optional<Outcome>(std::move(*outcome));
  }

 private:
  Result<Outcome> OutcomeOfRun(size_t target, const Target& where, const Baseline& baseline,
                               const RunResult& ran) {
    if (ran.verdict != RunOutcome::kOk) {
      // A variant may exceed the limits of the interpreter, which are made for originals.
      if (ran.verdict == RunOutcome::kHang && IsFromInterpreter(where, ran)) {
        return PlainOutcome(where.name, FailureClass::kSlow, 0);
      }
      const Finding finding = FindingOf(where.name, RunResult(), ran, CompareRule::kExact, {});
      // With this seed, the original may fail too. Undefined behaviour may be the fault of the
      // variant.
      const bool doubtful = IsSeeded(where) || ran.verdict == RunOutcome::kUndefined;
      if (doubtful && IsBug(*finding.verdict)) return Compare(where);
      return Outcome{where.name, finding.verdict, finding.signature, 0, finding.stage};
    }
    if (!references_.IsCompared(reference_, target) ||
        OutputsHash(ran.outputs) == baseline.outputs_hash) {
      return Outcome{where.name, std::nullopt, {}, 0};
    }
    return Compare(where);
  }

  // The outputs are not the same bytes, or the failure is doubtful. Runs both modules again, and
  // asks the interpreter whether the variant is at fault.
  Result<Outcome> Compare(const Target& where) {
    const Candidate candidate{variant_.words, variant_.context.inputs,
                              std::make_shared<const Context>(variant_.context)};
    const Interpretation* interpretation = references_.InterpretationOf(reference_);
    TargetTestOptions options;
    options.target = where;
    options.rule = references_.RuleOf(reference_);
    options.run = references_.settings();
    Result<std::unique_ptr<TargetTest>> interestingness =
        TargetTest::Make(original_, options, interpretation, harness_);
    if (!interestingness) {
      if (interestingness.error().kind == ErrorKind::kFailed) return interestingness.error();
      return Outcome{where.name, std::nullopt, {}, 0};  // the original fails now: no conclusion
    }
    const Result<TargetTest::DisplayRuns> shown = (*interestingness)->RunForDisplay(candidate);
    if (!shown) {
      if (shown.error().kind == ErrorKind::kFailed) return shown.error();
      return Outcome{where.name, std::nullopt, {}, 0};
    }
    if (!shown->finding.verdict) return Outcome{where.name, std::nullopt, {}, 0};
    const bool about_outputs = shown->variant.verdict == RunOutcome::kOk ||
                               shown->variant.verdict == RunOutcome::kUndefined;
    if (interpretation != nullptr && about_outputs) {
      const Interpretation::CompareResult verdict = interpretation->Compare(original_, candidate);
      if (verdict == Interpretation::CompareResult::kDifferent) {
        return FaultOutcome("variant", "computes something else");
      }
      if (verdict == Interpretation::CompareResult::kUndefined) {
        return FaultOutcome("variant", "has undefined behaviour");
      }
    }
    return Outcome{where.name, shown->finding.verdict, shown->finding.signature, 0,
                   shown->finding.stage};
  }

  const CampaignSetup& setup_;
  const size_t reference_;
  const uint64_t seed_;
  const Original& original_;
  const FuzzResult& variant_;
  References& references_;
  RetryingRunner& runner_;
  Harness& harness_;
};

}  // namespace

Result<std::optional<CampaignTest>> RunTest(const CampaignSetup& setup, uint64_t index,
                                            References& references, Hangs& hangs, Devices& devices,
                                            Harness& harness, const std::function<bool()>& stop) {
  const TestPlan plan = PlanOf(setup, index);
  if (!plan.program) {
    const Status checked = references.Check(plan.reference, harness);
    if (!checked) return checked.error();
    if (references.IsAside(plan.reference)) return std::optional<CampaignTest>();
  }
  CampaignTest test;
  test.index = index;
  test.reference = ReferenceName(setup, plan);
  test.seed = plan.seed;
  const double begin = MonotonicSeconds(), begin_own = ThreadSeconds();
  RetryingRunner runner(hangs, devices, harness, stop, format("test {}", index));
  const auto count = [&](Result<Job> job) -> Status {
    if (setup.feedback == nullptr || !job || stop()) return {};
    return setup.feedback->Run(index, test.types, std::move(*job));
  };
  const auto run_all = [&](auto& on) -> Result<bool> {
    for (size_t target = 0; target < setup.targets.size(); ++target) {
      if (stop()) return false;
      Result<std::optional<Outcome>> outcome = on.RunOn(target);
      if (!outcome) return outcome.error();
      if (!*outcome) continue;
      // The hang is not certain: its confirmation may have been stopped too early.
      if ((*outcome)->verdict == FailureClass::kHang && stop()) return false;
      // A fault of Refract shows on every target, but is one outcome.
      const bool known =
          std::any_of(test.outcomes.begin(), test.outcomes.end(), [&](const Outcome& other) {
            return other.target == (*outcome)->target && other.signature == (*outcome)->signature;
          });
      if (!known) test.outcomes.push_back(std::move(**outcome));
    }
    return true;
  };
  Result<bool> whole = true;
  if (plan.program) {
    const Result<ProgramTest> made = MakeProgramTest(setup, plan);
    if (!made) {
      test.outcomes.push_back(FaultOutcome(test.reference, made.error().message));
    } else if (const std::string fault = made->program->Fault(&harness.stopped()); !fault.empty()) {
      test.outcomes.push_back(FaultOutcome(test.reference, fault));
    } else {
      test.steps = made->variant ? static_cast<uint32_t>(made->variant->recording.steps.size()) : 0;
      if (made->variant) test.types = TypesOf(made->variant->recording);
      test.words = static_cast<uint32_t>(made->words().size());
      const Original& program = made->program->original();
      const Status counted =
          count(made->variant ? JobOf(program, made->variant->context.module, made->words(),
                                      made->variant->context.inputs.get(), references.settings())
                              : ProgramJob(program, references.settings()));
      if (!counted && !stop()) return counted.error();
      ProgramRun run(setup, plan, *made, runner, harness);
      whole = run_all(run);
    }
  } else {
    const Result<FuzzResult> variant = MakeVariant(setup, plan);
    if (!variant) {
      test.outcomes.push_back(FaultOutcome("fuzz", variant.error().message));
    } else {
      test.steps = static_cast<uint32_t>(variant->recording.steps.size());
      test.types = TypesOf(variant->recording);
      test.words = static_cast<uint32_t>(variant->words.size());
      const Status counted =
          count(JobOf(*setup.sources[plan.reference].original, variant->context.module,
                      variant->words, variant->context.inputs.get(), references.settings()));
      if (!counted && !stop()) return counted.error();
      VariantRun run(setup, plan, *variant, references, runner, harness);
      whole = run_all(run);
    }
  }
  if (!whole) return whole.error();
  // What the harness or the interpreter found out while they were stopped may be wrong.
  if (!*whole || harness.IsStopped()) return std::optional<CampaignTest>();
  if (test.outcomes.empty() && !devices.HasUsable()) return std::optional<CampaignTest>();
  test.seconds = MonotonicSeconds() - begin;
  test.own_seconds = ThreadSeconds() - begin_own - runner.target_seconds;
  return std::optional<CampaignTest>(std::move(test));
}

}  // namespace campaign
}  // namespace refract
