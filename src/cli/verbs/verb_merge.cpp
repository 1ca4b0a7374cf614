// SPDX-License-Identifier: Apache-2.0
// refract merge: merges the shards of a campaign into one campaign.
#include <string>
#include <vector>

#include "base/counted.h"
#include "base/text.h"
#include "campaign/merge.h"
#include "campaign/report/report.h"
#include "cli/verbs.h"

namespace refract {
inline namespace cli {
namespace {

struct MergeArguments {
  std::vector<std::string> folders;
  std::string out;
};

void Declare(MergeArguments& given, Options& options) {
  options.Arguments("DIR", &given.folders, "Folder of each shard (its --output)");
  options.RequiredText("-o,--output,--out", "DIR", &given.out,
                       "Folder for the merged campaign; it must not contain a campaign");
}

Result<ExitCode> Run(const MergeArguments& given, Console& console) {
  if (given.folders.empty())
    return Error{"no campaign to merge: pass the folders of the shards", ErrorKind::kUsage};
  const Result<MergeResult> merged = MergeCampaigns(given.folders, given.out);
  if (!merged) return merged.error();
  console.Say(format("{} in {}, {}", Counted(merged->tests, "test"),
                     Counted(merged->buckets, "bucket"), Counted(merged->kept, "test folder")));
  if (merged->duplicate_tests > 0) {
    console.Say(format("tests that are in several shards, each counted once: {}",
                       Counted(merged->duplicate_tests, "test")));
  }
  console.Say(format("wrote {}/{}/index.html", given.out, kReportFolder));
  return kDone;
}

}  // namespace

const Verb kMergeVerb = {
    .name = "merge",
    .summary = "Merge the shards of a campaign into one campaign",
    .example = "refract merge night.1 night.2 night.3 night.4 -o night",
    .exit_codes = {},
    .main_options = {"--output"},
    .declare = DeclareVerb<MergeArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
