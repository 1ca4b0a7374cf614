// SPDX-License-Identifier: Apache-2.0
#include "measure/planted_folder.h"

#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "engine/replay.h"
#include "folder/test_folder.h"

namespace refract::measure {
namespace {

FailureClass VerdictOf(planted::BugKind kind) {
  return kind == planted::BugKind::kCrash  ? FailureClass::kCrash
         : kind == planted::BugKind::kHang ? FailureClass::kHang
                                           : FailureClass::kWrongImage;
}

}  // namespace

Status WritePlantedFolder(const std::string& folder, const PlantedFinding& finding) {
  const planted::BugInfo& bug = planted::BugTable()[static_cast<size_t>(finding.bug)];
  const std::string parent =
      format("{}/{}.{}", folder, planted::BugKindName(bug.kind), std::string(bug.name));
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  if (error) return Error{format("{}: cannot be made: {}", parent, error.message())};
  size_t number = 1;
  while (std::filesystem::exists(format("{}/{}", parent, number))) ++number;

  const Original& original = finding.original;
  TestRecord record;
  record.verdict = VerdictOf(bug.kind);
  record.signature = finding.signature;
  record.what = format("planted_opt --bug {}", std::string(bug.name));
  record.target.name = "planted";
  record.target.kind = "command";
  record.seed = finding.variant.seed;
  record.runs = record.confirmed = 1;
  record.minimal = finding.reduction.minimal;
  record.entry = original.context.entry;
  record.environment = original.environment;
  record.validation = original.validation;

  const Result<ReplayResult> variant = Replay(original, finding.variant, {});
  if (!variant) return variant.error();
  TestContents contents;
  contents.original = {original.words, original.context.inputs, std::nullopt};
  contents.variant = {variant->words, variant->context.inputs, finding.variant};
  contents.reduced = {finding.reduction.words, finding.reduction.inputs,
                      finding.reduction.recording};
  return WriteTestFolder(format("{}/{}", parent, number), record, contents);
}

}  // namespace refract::measure
