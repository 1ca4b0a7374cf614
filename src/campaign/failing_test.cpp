// SPDX-License-Identifier: Apache-2.0
#include "campaign/failing_test.h"

#include "engine/replay.h"

namespace refract {
inline namespace campaign {
namespace {

Candidate SmallestOf(const FailingTest& test) {
  if (test.reduction == nullptr) return test.variant;
  return {test.reduction->words, test.reduction->inputs, test.reduction->context};
}

// Runs the smallest variant, counts how often it fails with the signature, and stores what the
// first such run showed.
Status Confirm(const FailingTest& test, TestRecord* record, TestContents* contents) {
  const std::string wanted = test.judge.signature();
  const Candidate candidate = SmallestOf(test);
  for (; record->runs < test.confirmations; ++record->runs) {
    const Result<TargetJudge::Shown> shown = test.judge.Show(candidate);
    if (!shown) return shown.error();
    const bool same = shown->finding.verdict && shown->finding.signature == wanted;
    if (same) ++record->confirmed;
    if (!same || record->confirmed > 1) continue;
    record->verdict = *shown->finding.verdict;
    record->what = shown->finding.what;
    contents->original_picture = PictureOf(shown->original.outputs);
    contents->variant_picture = PictureOf(shown->variant.outputs);
    if (shown->variant.verdict != RunVerdict::kOk) {
      contents->log = LogText(FactsOf(shown->variant));
    }
  }
  record->signature = wanted;
  if (record->confirmed > 0) return {};
  // The failure is flaky and did not reproduce. Describe its first occurrence.
  const Finding first = test.judge.First();
  record->verdict = first.verdict.value_or(FailureClass::kUnknown);
  record->what = first.what;
  return {};
}

TestRecord RecordOf(const FailingTest& test) {
  TestRecord record;
  record.rule = test.judge.rule();
  record.seed = test.recording.seed;
  record.minimal = test.reduction != nullptr && test.reduction->minimal;
  record.entry = test.original.context.entry;
  record.environment = test.original.environment;
  record.validation = test.original.validation;
  record.time_limit = test.run.time_limit;
  record.zero_inputs = test.run.zero_inputs;
  record.partial_subgroups = test.run.partial_subgroups;
  return record;
}

Status AddReduction(const FailingTest& test, TestContents* contents) {
  const Reduction& reduction = *test.reduction;
  contents->reduced = {reduction.words, reduction.inputs, reduction.recording};
  contents->smallest = reduction.smallest;
  if (reduction.recording.steps.size() < 2) return {};
  ReplayOptions options;
  options.first = reduction.recording.steps.back().number - 1;
  const Result<ReplayResult> neighbour = Replay(test.original, reduction.recording, options);
  if (!neighbour) return neighbour.error();
  contents->neighbour = neighbour->words;
  return {};
}

}  // namespace

Result<TestRecord> WriteFailingTest(const std::string& folder, const FailingTest& test,
                                    Harness& harness) {
  TestRecord record = RecordOf(test);
  Result<TargetRecord> target = DescribeTarget(test.target, harness);
  if (!target) return target.error();
  record.target = std::move(*target);
  TestContents contents;
  contents.original = {test.original.words, test.original.context.inputs, std::nullopt};
  contents.variant = {test.variant.words, test.variant.inputs, test.recording};
  if (test.reduction != nullptr) {
    if (Status added = AddReduction(test, &contents); !added) return added.error();
  }
  if (Status seen = Confirm(test, &record, &contents); !seen) return seen.error();
  if (Status written = WriteTestFolder(folder, record, contents); !written) return written.error();
  return record;
}

}  // namespace campaign
}  // namespace refract
