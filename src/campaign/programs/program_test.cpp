// SPDX-License-Identifier: Apache-2.0
#include "campaign/programs/program_test.h"

#include "base/text.h"
#include "campaign/make_variant.h"
#include "cfg/graph.h"
#include "target/expected.h"
#include "target/interpreted.h"

namespace refract {
inline namespace campaign {
namespace {

constexpr double kInterpreterSeconds = 60;

}  // namespace

Result<std::shared_ptr<const TestProgram>> MakeTestProgram(const CampaignSetup& setup,
                                                           const TestPlan& plan) {
  if (*plan.program == ProgramKind::kControlFlow) {
    Result<flesh::ProgramSpec> spec = flesh::DrawProgramSpec(plan.seed, setup.fuel);
    if (!spec) return spec.error();
    Result<flesh::Program> program = flesh::MakeProgram(*spec);
    if (!program) return program.error();
    return TestProgramOf(std::move(*spec), std::move(*program));
  }
  generate::ProgramRecipe recipe = generate::DrawAnyRecipe(plan.seed);
  Result<generate::GeneratedProgram> program = generate::MakeProgram(recipe);
  if (!program) return program.error();
  return TestProgramOf(std::move(recipe), std::move(*program));
}

std::string ProgramCommand(const CampaignSetup& setup, const TestPlan& plan) {
  if (*plan.program == ProgramKind::kGenerated) {
    return generate::CommandOf(generate::DrawAnyRecipe(plan.seed));
  }
  const Result<flesh::ProgramSpec> spec = flesh::DrawProgramSpec(plan.seed, setup.fuel);
  return spec ? flesh::CommandOf(*spec) : std::string();
}

bool IsVaried(const TestPlan& plan, const TestProgram& program) {
  return plan.varied && program.MayVary();
}

Result<ProgramTest> MakeProgramTest(const CampaignSetup& setup, const TestPlan& plan) {
  Result<std::shared_ptr<const TestProgram>> program = MakeTestProgram(setup, plan);
  if (!program) return program.error();
  ProgramTest test{std::move(*program), std::nullopt};
  if (!IsVaried(plan, *test.program)) return test;
  Result<FuzzResult> variant = Fuzz(test.program->original(), VariantOptions(setup, plan));
  if (!variant) return variant.error();
  test.variant = std::move(*variant);
  return test;
}

Result<Job> ProgramJob(const Original& original, const RunSettings& settings) {
  return JobOf(original, original.context.module, original.words, original.context.inputs.get(),
               settings);
}

std::string FaultOfProgram(const Original& original, const std::atomic<bool>* stop) {
  RunSettings settings;
  settings.time_limit = kInterpreterSeconds;
  const Result<Job> job = ProgramJob(original, settings);
  if (!job) return job.error().message;
  Result<RunResult> ran = RunInterpreted(*job, stop);
  if (!ran) return ran.error().message;
  CompareWithExpected(*original.context.inputs->expected, &*ran);
  if (ran->verdict == RunOutcome::kOk) return {};
  return format("{}: {}", RunOutcomeName(ran->verdict), ran->detail);
}

Finding FindingOfProgram(const Target& target, const RunResult& ran) {
  if (ran.verdict == RunOutcome::kOk) return {};
  if (ran.verdict == RunOutcome::kHang && IsFromInterpreter(target, ran)) {
    RunResult of_tool = ran;  // the program ends, so the target as a whole is to blame
    of_tool.target = target.name;
    return FindingOf(target.name, RunResult(), of_tool, CompareRule::kExact, {});
  }
  return FindingOf(target.name, RunResult(), ran, CompareRule::kExact, {});
}

Result<bool> IsFailureOfDriver(const Target& target, const RunResult& ran, const Job& job,
                               Harness& harness) {
  const bool is_after_tools = target.command != nullptr && ran.command.empty() &&
                              target.command->render != CommandTarget::Render::kNone &&
                              ran.verdict != RunOutcome::kOk && !IsInterpreted(target);
  if (!is_after_tools) return false;
  const Result<Target> driver = harness.DriverOf(*target.command);
  if (!driver) return driver.error();
  const Result<RunResult> without_tools = harness.Run(*driver, job);
  if (!without_tools) return without_tools.error();
  return without_tools->verdict != RunOutcome::kOk;
}

Result<Job> ProgramRun::VariantJob() const {
  const Context& context = test_.variant->context;
  return JobOf(test_.program->original(), context.module, test_.variant->words,
               context.inputs.get(), settings_);
}

Result<RunResult> ProgramRun::RunProgram(const std::string& name, const Target& where) {
  Result<Job> job = ProgramJob(test_.program->original(), settings_);
  if (!job) return job.error();
  return runner_.Run(name, where, 0, std::move(*job), {});
}

// Checks with the interpreter that the variant computes the same as the program. Returns a fault of
// Refract if it does not.
std::optional<Outcome> ProgramRun::FaultOfVariant() {
  const Original& original = test_.program->original();
  RunSettings settings = settings_;
  settings.interpreter_limit = kInterpreterSeconds;
  const Result<Interpretation> interpretation = Interpretation::Of(original, settings);
  if (!interpretation)
    return FaultOutcome(ReferenceName(test_.program->kind()), interpretation.error().message);
  const Candidate candidate{test_.variant->words, test_.variant->context.inputs,
                            std::make_shared<const Context>(test_.variant->context)};
  switch (interpretation->Compare(original, candidate)) {
    case Interpretation::CompareResult::kDifferent:
      return FaultOutcome("variant", "computes something else");
    case Interpretation::CompareResult::kUndefined:
      return FaultOutcome("variant", "has undefined behaviour");
    case Interpretation::CompareResult::kEqual:
    case Interpretation::CompareResult::kUncertified:
    case Interpretation::CompareResult::kUnknown:
      break;
  }
  return std::nullopt;
}

Result<std::optional<Outcome>> ProgramRun::RunOn(size_t target) {
  const std::string& name = setup_.targets[target].target.name;
  if (!runner_.Allows(name)) return std::optional<Outcome>();
  const Target where = TargetOfTest(setup_.targets[target].target, plan_.seed);
  const bool varied = test_.variant.has_value();
  const auto run_variant = [&]() -> Result<RunResult> {
    Result<Job> job = VariantJob();
    if (!job) return job.error();
    return runner_.Run(name, where, 0, std::move(*job),
                       [&] { return ProgramJob(test_.program->original(), settings_); });
  };
  Result<RunResult> ran = varied ? run_variant() : RunProgram(name, where);
  if (!ran) return OutcomeOfError(name, ran.error());
  if (ran->verdict == RunOutcome::kOk) {
    return std::optional<Outcome>(Outcome{name, std::nullopt, {}, ran->seconds});
  }
  bool of_variant = varied;
  if (varied) {
    Result<RunResult> itself = RunProgram(name, where);
    if (!itself) return OutcomeOfError(name, itself.error());
    if (itself->verdict != RunOutcome::kOk) {
      ran = std::move(itself);
      of_variant = false;
    } else if (ran->verdict == RunOutcome::kUnexpected || ran->verdict == RunOutcome::kUndefined) {
      if (std::optional<Outcome> fault = FaultOfVariant()) return fault;
    }
  }
  const Result<Job> failing =
      of_variant ? VariantJob() : ProgramJob(test_.program->original(), settings_);
  if (!failing) return failing.error();
  const Result<bool> only_driver = IsFailureOfDriver(where, *ran, *failing, harness_);
  if (!only_driver) return OutcomeOfError(name, only_driver.error());
  if (*only_driver) return std::optional<Outcome>();
  // A variant may exceed the limits of the interpreter. The program itself is known to end.
  if (of_variant && ran->verdict == RunOutcome::kHang && IsFromInterpreter(where, *ran)) {
    return std::optional<Outcome>(PlainOutcome(name, FailureClass::kSlow, 0));
  }
  const Finding finding = FindingOfProgram(where, *ran);
  return std::optional<Outcome>(
      Outcome{name, finding.verdict, finding.signature, ran->seconds, finding.stage});
}

}  // namespace campaign
}  // namespace refract
