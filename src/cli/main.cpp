// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cli/command_line.h"
#include "cli/verbs.h"
#include "driver/worker.h"

int main(int argc, char** argv) {
  using namespace refract;
  BecomeWorkerIfAsked(argc, argv);
  // In the order of --help.
  const std::array verbs = {
      &kFuzzVerb,      &kReplayVerb,      &kShowVerb,  &kRunVerb,      &kCompareVerb, &kCheckVerb,
      &kReduceVerb,    &kPrepareVerb,     &kDiffVerb,  &kListVerb,     &kExplainVerb, &kTargetsVerb,
      &kSignatureVerb, &kRepeatVerb,      &kDedupVerb, &kCampaignVerb, &kMergeVerb,   &kReportVerb,
      &kExportVerb,    &kClusterFuzzVerb, &kCfgVerb,   &kFleshVerb};
  return RunCommandLine(argc, argv, verbs);
}
