// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.h"

namespace refract {
inline namespace cli {

std::span<const Verb* const> AllVerbs() {
  static const Verb* const kVerbs[] = {
      &kFuzzVerb,     &kReplayVerb, &kShowVerb,      &kInputsVerb,  &kRunVerb,    &kCompareVerb,
      &kCheckVerb,    &kReduceVerb, &kPrepareVerb,   &kDiffVerb,    &kListVerb,   &kExplainVerb,
      &kTargetsVerb,  &kDoctorVerb, &kSignatureVerb, &kRepeatVerb,  &kIssueVerb,  &kDedupVerb,
      &kCampaignVerb, &kMergeVerb,  &kReportVerb,    &kExportVerb,  &kImportVerb, &kClusterFuzzVerb,
      &kCfgVerb,      &kFleshVerb,  &kGenerateVerb,  &kCoverageVerb};
  return kVerbs;
}

}  // namespace cli
}  // namespace refract
