// SPDX-License-Identifier: Apache-2.0
#include "campaign/findings/finding_loader.h"

#include "base/text.h"
#include "campaign/make_variant.h"
#include "engine/certifier.h"
#include "wire/recording_file.h"

namespace refract {
inline namespace campaign {

FailingVariant LoadedVariant::Failing(uint32_t confirmations, const Reduction* reduction) const {
  return {
      .original = *original,
      .recording = variant.recording,
      .variant = candidate,
      .reduction = reduction,
      .interestingness = *interestingness,
      .target = target,
      .run = run,
      .confirmations = confirmations,
  };
}

FailingProgram LoadedProgram::Failing(const std::string& signature, uint32_t confirmations) const {
  return {*program, target, signature, run, confirmations};
}

FailingOriginal LoadedOriginal::Failing(const std::string& signature,
                                        uint32_t confirmations) const {
  return {*original, target, signature, interpretation, run, confirmations};
}

Result<LoadedFinding> FindingLoader::Load(const Bucket& bucket, const KeptTest& kept,
                                          Harness& harness) {
  const TestPlan plan = PlanOf(setup_, kept.test);
  const VersionedTarget* target = TargetNamed(setup_, kept.target);
  if (target == nullptr) return Error{format("the campaign has no target {}", kept.target)};
  if (plan.original) return LoadOriginal(plan, bucket, target->target);
  LoadedVariant loaded;
  loaded.target = TargetOfTest(target->target, plan.seed);
  loaded.run = references_.settings();
  if (plan.program) {
    Result<ProgramTest> test = MakeProgramTest(setup_, plan);
    if (!test) return Error{test.error().message};
    const Result<bool> alone = FailsWithoutVariant(*test, loaded.target, bucket.signature, harness);
    if (!alone) return alone.error();
    if (*alone) {
      return LoadedFinding(
          LoadedProgram{std::move(test->program), std::move(loaded.target), loaded.run});
    }
    Status made = LoadVariantOfProgram(std::move(*test), &loaded);
    if (!made) return made.error();
  } else if (Status made = LoadVariant(plan, harness, &loaded); !made) {
    return made.error();
  }
  loaded.candidate = {loaded.variant.words, loaded.variant.context.inputs,
                      std::make_shared<const Context>(loaded.variant.context)};
  Status made = MakeInterestingnessTest(plan, bucket, harness, &loaded);
  if (!made) return made.error();
  return LoadedFinding(std::move(loaded));
}

Result<LoadedFinding> FindingLoader::LoadOriginal(const TestPlan& plan, const Bucket& bucket,
                                                  const Target& target) const {
  if (plan.reference >= setup_.sources.size()) return Error{"the campaign has no such reference"};
  LoadedOriginal loaded;
  loaded.original = setup_.sources[plan.reference].original.get();
  loaded.target = target;
  loaded.run = references_.settings();
  if (IsWrongOutput(bucket.verdict)) {
    loaded.interpretation = references_.InterpretationOf(plan.reference);
    if (loaded.interpretation == nullptr) {
      return Error{"the interpreter does not reach the end of the reference any more"};
    }
  }
  return LoadedFinding(std::move(loaded));
}

Result<bool> FindingLoader::FailsWithoutVariant(const ProgramTest& test, const Target& target,
                                                const std::string& signature,
                                                Harness& harness) const {
  if (!test.variant) return true;
  const Result<Job> job = ProgramJob(test.program->original(), references_.settings());
  if (!job) return job.error();
  const Result<RunResult> ran = harness.Run(target, *job);
  if (!ran) return ran.error();
  return FindingOfProgram(target, *ran).signature == signature;
}

Status FindingLoader::LoadVariant(const TestPlan& plan, Harness& harness, LoadedVariant* loaded) {
  if (Status checked = references_.Check(plan.reference, harness); !checked) return checked;
  loaded->original = setup_.sources[plan.reference].original.get();
  Result<FuzzResult> variant = MakeVariant(setup_, plan);
  if (!variant) return Error{variant.error().message};
  loaded->variant = std::move(*variant);
  return {};
}

Status FindingLoader::LoadVariantOfProgram(ProgramTest test, LoadedVariant* loaded) {
  loaded->program = std::move(test.program);
  loaded->original = &loaded->program->original();
  loaded->variant = std::move(*test.variant);
  Result<Interpretation> made = Interpretation::Of(*loaded->original, references_.settings());
  if (!made) return made.error();
  loaded->interpretation = std::make_unique<const Interpretation>(std::move(*made));
  return {};
}

Status FindingLoader::MakeInterestingnessTest(const TestPlan& plan, const Bucket& bucket,
                                              Harness& harness, LoadedVariant* loaded) {
  TargetTestOptions options;
  options.target = loaded->target;
  options.signature = bucket.signature;
  options.wrong_output = IsWrongOutput(bucket.verdict);
  options.repeats_hangs = false;  // hangs were repeated before they were filed
  if (plan.program) {
    options.rule = CompareRule::kExact;
  } else if (options.wrong_output) {
    options.rule = references_.RuleOf(plan.reference);
  } else {
    options.rule = references_.PlainRuleOf(plan.reference);
  }
  options.needs_certificate = NeedsCertificate(loaded->variant.recording);
  options.run = loaded->run;
  const Interpretation* interpretation = nullptr;
  if (options.wrong_output) {
    interpretation =
        plan.program ? loaded->interpretation.get() : references_.InterpretationOf(plan.reference);
  }
  Result<std::unique_ptr<TargetTest>> interestingness =
      TargetTest::Make(*loaded->original, std::move(options), interpretation, harness);
  if (!interestingness) return interestingness.error();
  loaded->interestingness = std::move(*interestingness);
  if (interpretation != nullptr) loaded->layouts = interpretation->layouts();
  return {};
}

Result<LoadedFault> FindingLoader::LoadFault(const KeptTest& kept) const {
  const TestPlan plan = PlanOf(setup_, kept.test);
  if (plan.program) {
    const Result<ProgramTest> test = MakeProgramTest(setup_, plan);
    if (!test) return test.error();
    return LoadedFault{test->words(),
                       test->variant ? WriteRecording(test->variant->recording) : std::string()};
  }
  const Result<FuzzResult> variant = MakeVariant(setup_, plan);
  if (!variant) return variant.error();
  return LoadedFault{variant->words, WriteRecording(variant->recording)};
}

}  // namespace campaign
}  // namespace refract
