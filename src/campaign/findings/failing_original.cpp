// SPDX-License-Identifier: Apache-2.0
#include "campaign/findings/failing_original.h"

#include "campaign/findings/failing_variant.h"
#include "campaign/original_tests.h"
#include "campaign/retrying_runner.h"
#include "ir/binary.h"
#include "reduce/failing_interestingness.h"
#include "target/expected.h"

namespace refract {
inline namespace campaign {
namespace {

struct DisplayRun {
  Finding finding;
  RunResult ran;
};

// Runs the module with the inputs of the original.
Result<DisplayRun> RunForDisplay(const FailingOriginal& test, const Module& module,
                                 const std::vector<uint32_t>& words, double time_limit,
                                 Harness& harness) {
  Result<Job> job =
      JobOf(test.original, module, words, test.original.context.inputs.get(), test.run);
  if (!job) return job.error();
  job->time_limit = time_limit;
  Result<RunResult> ran = harness.Run(test.target, *job);
  if (!ran) return ran.error();
  Finding finding = FindingOfModule(test.target, *ran, test.interpretation);
  return DisplayRun{std::move(finding), std::move(*ran)};
}

bool IsRefusal(RunOutcome verdict) {
  return verdict == RunOutcome::kRejected || verdict == RunOutcome::kUnsupported ||
         verdict == RunOutcome::kNotUsable;
}

TestRecord RecordOf(const FailingOriginal& test) {
  TestRecord record;
  record.signature = test.signature;
  record.unchanged = true;
  record.entry = test.original.context.entry;
  record.environment = test.original.environment;
  record.validation = test.original.validation;
  record.time_limit = test.run.time_limit;
  record.zero_inputs = test.run.zero_inputs;
  record.partial_subgroups = test.run.partial_subgroups;
  return record;
}

}  // namespace

std::optional<Outcome> OutcomeOfOriginal(const Target& target, const RunResult& ran,
                                         const Interpretation* interpretation) {
  const bool by_interpreter = target.kind == Target::Kind::kInterpreter ||
                              (IsFromInterpreter(target, ran) && ran.verdict != RunOutcome::kOk &&
                               ran.verdict != RunOutcome::kUndefined);
  if (by_interpreter || IsRefusal(ran.verdict)) return std::nullopt;
  const Finding finding = FindingOfModule(target, ran, interpretation);
  if (!finding.verdict || !IsBug(*finding.verdict)) return std::nullopt;
  return Outcome{target.name, finding.verdict, finding.signature, ran.seconds, finding.stage};
}

CampaignTest TestOfOriginal(const CampaignSetup& setup, size_t reference, const Outcome& outcome) {
  const CampaignSource& source = setup.sources[reference];
  CampaignTest test;
  test.index = OriginalTestOf(reference);
  test.reference = source.name;
  test.words = static_cast<uint32_t>(source.original->words.size());
  test.outcomes = {outcome};
  return test;
}

bool IsShrinkable(FailureClass verdict) {
  return verdict == FailureClass::kCrash || verdict == FailureClass::kError ||
         verdict == FailureClass::kInvalidOutput;
}

Result<ShrunkModule> ShrinkFailingOriginal(const FailingOriginal& test, Harness& harness,
                                           const std::function<bool()>& stop) {
  const Original& original = test.original;
  const Result<DisplayRun> first =
      RunForDisplay(test, original.context.module, original.words, test.run.time_limit, harness);
  if (!first) return first.error();
  if (first->finding.signature != test.signature) {
    return Error{"the failure did not reproduce when the reduction began"};
  }
  const double limit =
      CandidateTimeLimit(test.run.time_limit, false, first->finding, first->ran.seconds);
  std::optional<Error> error;
  const InterestingModule is_interesting = [&](std::span<const uint32_t> words) {
    const Result<Module> module = ReadModule(words, original.file);
    if (!module) return false;
    const Result<DisplayRun> shown =
        RunForDisplay(test, *module, {words.begin(), words.end()}, limit, harness);
    if (!shown && shown.error().kind == ErrorKind::kFailed) error = shown.error();
    return shown && shown->finding.signature == test.signature;
  };
  ShrinkOptions options;
  options.progress = [&](const ShrinkProgress&) {
    return !error && !stop() && !harness.IsLost(test.target);
  };
  Result<ShrunkModule> shrunk =
      ShrinkModule({original.words, original.file, original.environment, original.validation},
                   is_interesting, options);
  if (error) return *error;
  return shrunk;
}

Result<TestRecord> WriteFailingOriginal(const std::string& folder, const FailingOriginal& test,
                                        const SmallestWrongOutput& smallest, Harness& harness) {
  const Original& original = test.original;
  TestRecord record = RecordOf(test);
  Result<TargetRecord> target = DescribeTarget(test.target, harness);
  if (!target) return target.error();
  record.target = std::move(*target);
  TestContents contents;
  contents.original = {original.words, original.context.inputs, std::nullopt};
  AddSmallPrograms(smallest, &record, &contents);
  for (; record.runs < test.confirmations; ++record.runs) {
    const Result<DisplayRun> again =
        RunForDisplay(test, original.context.module, original.words, test.run.time_limit, harness);
    // A run before this one lost the target.
    if (!again && record.runs > 0 && harness.IsLost(test.target)) break;
    if (!again) return again.error();
    const bool same = again->finding.verdict && again->finding.signature == test.signature;
    record.confirmed += same;
    if (!same || record.confirmed > 1) continue;
    record.verdict = *again->finding.verdict;
    record.what = again->finding.what;
    contents.original_image = ImageAtLocation0(again->ran.outputs);
    if (IsWrongOutput(again->finding)) {
      contents.log = again->finding.what + "\n";
      contents.expected_image = ImageAtLocation0(test.interpretation->AsRun().outputs);
    } else {
      contents.log = LogText(FactsOf(again->ran));
    }
  }
  if (Status written = WriteTestFolder(folder, record, contents); !written) return written.error();
  return record;
}

}  // namespace campaign
}  // namespace refract
