// SPDX-License-Identifier: Apache-2.0
#include "campaign/findings/failing_variant.h"

#include "engine/replay.h"
#include "shrink/shrink_module.h"

namespace refract {
inline namespace campaign {
namespace {

Candidate SmallestOf(const FailingVariant& failing) {
  if (failing.reduction == nullptr) return failing.variant;
  return {failing.reduction->words, failing.reduction->inputs, failing.reduction->context};
}

// Runs the smallest variant, counts how often it fails with the signature, and stores what the
// first such run showed.
Status Confirm(const FailingVariant& failing, Harness& harness, TestRecord* record,
               TestContents* contents) {
  const std::string wanted = failing.interestingness.signature();
  const Candidate candidate = SmallestOf(failing);
  for (; record->runs < failing.confirmations; ++record->runs) {
    const Result<TargetTest::DisplayRuns> shown = failing.interestingness.RunForDisplay(candidate);
    // A run before this one lost the target.
    if (!shown && record->runs > 0 && harness.IsLost(failing.target)) break;
    if (!shown) return shown.error();
    const bool same = shown->finding.verdict && shown->finding.signature == wanted;
    if (same) ++record->confirmed;
    if (!same || record->confirmed > 1) continue;
    record->verdict = *shown->finding.verdict;
    record->what = shown->finding.what;
    contents->original_image = ImageAtLocation0(shown->original.outputs);
    contents->variant_image = ImageAtLocation0(shown->variant.outputs);
    if (shown->variant.verdict != RunOutcome::kOk) {
      contents->log = LogText(FactsOf(shown->variant));
    }
  }
  record->signature = wanted;
  if (record->confirmed > 0) return {};
  // The failure is flaky and did not reproduce. Describe its first occurrence.
  const Finding first = failing.interestingness.First();
  record->verdict = first.verdict.value_or(FailureClass::kUnknown);
  record->what = first.what;
  return {};
}

TestRecord RecordOf(const FailingVariant& failing) {
  TestRecord record;
  record.rule = failing.interestingness.rule();
  record.seed = failing.recording.seed;
  record.minimal = failing.reduction != nullptr && failing.reduction->minimal;
  record.entry = failing.original.context.entry;
  record.environment = failing.original.environment;
  record.validation = failing.original.validation;
  record.time_limit = failing.run.time_limit;
  record.zero_inputs = failing.run.zero_inputs;
  record.partial_subgroups = failing.run.partial_subgroups;
  if (failing.blame) {
    record.blamed = failing.blame->stage;
    if (failing.blame->pass) record.blamed_pass = failing.blame->pass->flag;
  }
  return record;
}

Status AddReduction(const FailingVariant& failing, TestRecord* record, TestContents* contents) {
  const Reduction& reduction = *failing.reduction;
  contents->reduced = {reduction.words, reduction.inputs, reduction.recording};
  if (!reduction.smallest.empty()) {
    contents->smallest = {reduction.smallest, nullptr, std::nullopt};
    record->smallest_instructions = CountInstructions(reduction.smallest);
  }
  if (reduction.recording.steps.size() < 2) return {};
  ReplayOptions options;
  options.first = reduction.recording.steps.back().number - 1;
  const Result<ReplayResult> neighbour = Replay(failing.original, reduction.recording, options);
  if (!neighbour) return neighbour.error();
  contents->neighbour = neighbour->words;
  return {};
}

}  // namespace

void AddSmallPrograms(const SmallestWrongOutput& smallest, TestRecord* record,
                      TestContents* contents) {
  if (smallest.pair.pair) {
    const Original& original = smallest.pair.pair->original;
    const Candidate& variant = smallest.pair.pair->variant;
    contents->pair_original = {original.words, original.context.inputs, std::nullopt};
    contents->pair_variant = {variant.words, variant.inputs, std::nullopt};
    record->pair_instructions = CountInstructions(original.words);
  }
  if (!smallest.module.words.empty()) {
    contents->smallest = {smallest.module.words, smallest.module.inputs, std::nullopt};
    record->smallest_instructions = CountInstructions(smallest.module.words);
  }
  if (!smallest.self_checking) return;
  contents->self_checking = {smallest.self_checking->words, smallest.self_checking->inputs,
                             std::nullopt};
}

Result<TestRecord> WriteFailingVariant(const std::string& folder, const FailingVariant& failing,
                                       Harness& harness) {
  TestRecord record = RecordOf(failing);
  Result<TargetRecord> target = DescribeTarget(failing.target, harness);
  if (!target) return target.error();
  record.target = std::move(*target);
  TestContents contents;
  contents.original = {failing.original.words, failing.original.context.inputs, std::nullopt};
  contents.variant = {failing.variant.words, failing.variant.inputs, failing.recording};
  if (failing.reduction != nullptr) {
    if (Status added = AddReduction(failing, &record, &contents); !added) return added.error();
  }
  if (failing.smallest != nullptr) AddSmallPrograms(*failing.smallest, &record, &contents);
  if (Status seen = Confirm(failing, harness, &record, &contents); !seen) return seen.error();
  if (Status written = WriteTestFolder(folder, record, contents); !written) return written.error();
  return record;
}

}  // namespace campaign
}  // namespace refract
