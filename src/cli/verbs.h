// SPDX-License-Identifier: Apache-2.0
// The verbs. cli/verbs/verb_NAME.cpp defines each, and cli/verbs.cpp lists it.
#pragma once

#include <span>

#include "cli/verb.h"

namespace refract {
inline namespace cli {

extern const Verb kFuzzVerb;
extern const Verb kReplayVerb;
extern const Verb kShowVerb;
extern const Verb kInputsVerb;
extern const Verb kRunVerb;
extern const Verb kCompareVerb;
extern const Verb kCheckVerb;
extern const Verb kReduceVerb;
extern const Verb kPrepareVerb;
extern const Verb kDiffVerb;
extern const Verb kListVerb;
extern const Verb kExplainVerb;
extern const Verb kTargetsVerb;
extern const Verb kDoctorVerb;
extern const Verb kSignatureVerb;
extern const Verb kRepeatVerb;
extern const Verb kDedupVerb;
extern const Verb kCampaignVerb;
extern const Verb kCampaignStatusVerb;
extern const Verb kExportVerb;
extern const Verb kImportVerb;
extern const Verb kIssueVerb;
extern const Verb kMergeVerb;
extern const Verb kReportVerb;
extern const Verb kClusterFuzzVerb;
extern const Verb kCfgVerb;
extern const Verb kCfgDivergenceVerb;
extern const Verb kCfgGenerateVerb;
extern const Verb kCfgEnumerateVerb;
extern const Verb kCfgCountVerb;
extern const Verb kCfgMineVerb;
extern const Verb kCoverageVerb;
extern const Verb kCoverageBuildVerb;
extern const Verb kCoverageRunVerb;
extern const Verb kCoverageCompareVerb;
extern const Verb kCoverageGapsVerb;
extern const Verb kCoverageCoversVerb;
extern const Verb kFleshVerb;
extern const Verb kGenerateVerb;

/// Returns the verbs that `refract --help` lists, in its order.
std::span<const Verb* const> AllVerbs();

}  // namespace cli
}  // namespace refract
