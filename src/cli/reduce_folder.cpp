// SPDX-License-Identifier: Apache-2.0
#include "cli/reduce_folder.h"

#include "engine/replay.h"
#include "folder/test_folder.h"

namespace refract {
namespace {

constexpr uint32_t kConfirmations = 3;

// Runs the reduced variant, and fills in what is to be seen then.
Status Confirm(const Reduction& reduction, ChosenJudge& judge, TestRecord* record,
               TestContents* contents) {
  const std::string wanted = judge.target()->signature();
  for (; record->runs < kConfirmations; ++record->runs) {
    const Result<TargetJudge::Shown> shown =
        judge.target()->Show({reduction.words, reduction.inputs, reduction.context});
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
  // A bug of moods: what it was when it was first seen.
  const Finding first = judge.target()->First();
  record->verdict = first.verdict.value_or(FailureClass::kUnknown);
  record->what = first.what;
  return {};
}

TestRecord RecordOf(const Original& original, const message::Recording& recording,
                    const Reduction& reduction, ChosenJudge& judge) {
  TestRecord record;
  record.rule = judge.target()->rule();
  record.seed = recording.seed;
  record.minimal = reduction.minimal;
  record.entry = original.context.entry;
  record.environment = original.environment;
  record.validation = original.validation;
  record.time_limit = judge.run().time_limit;
  record.zero_inputs = judge.run().zero_inputs;
  record.partial_subgroups = judge.run().partial_subgroups;
  return record;
}

}  // namespace

Status WriteReducedFolder(const std::string& folder, const Original& original,
                          const message::Recording& recording, const Reduction& reduction,
                          ChosenJudge& judge) {
  TestRecord record = RecordOf(original, recording, reduction, judge);
  Result<TargetRecord> target = DescribeTarget(judge.target_found(), judge.harness());
  if (!target) return target.error();
  record.target = std::move(*target);
  TestContents contents;
  contents.original = {original.words, original.context.inputs, std::nullopt};
  const Result<ReplayResult> variant = Replay(original, recording, {});
  if (!variant) return variant.error();
  contents.variant = {variant->words, variant->context.inputs, recording};
  contents.reduced = {reduction.words, reduction.inputs, reduction.recording};
  contents.smallest = reduction.smallest;
  if (reduction.recording.steps.size() > 1) {
    ReplayOptions options;
    options.first = reduction.recording.steps.back().number - 1;
    const Result<ReplayResult> neighbour = Replay(original, reduction.recording, options);
    if (!neighbour) return neighbour.error();
    contents.neighbour = neighbour->words;
  }
  if (Status seen = Confirm(reduction, judge, &record, &contents); !seen) return seen;
  return WriteTestFolder(folder, record, contents);
}

}  // namespace refract
