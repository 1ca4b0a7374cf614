// SPDX-License-Identifier: Apache-2.0
// refract campaign status DIR: prints the status of a campaign that runs or has ended.
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

#include "base/file.h"
#include "base/text.h"
#include "campaign/status.h"
#include "cli/campaign/campaign_screen.h"
#include "cli/verbs.h"

namespace refract {
inline namespace cli {
namespace {

constexpr size_t kWidth = 80;

struct StatusArguments {
  std::string folder;
};

void Declare(StatusArguments& given, Options& options) {
  options.Argument("DIR", &given.folder, "Folder of a campaign (its --out)");
}

size_t WidthOfOutput() {
  winsize window{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
  return known ? window.ws_col : kWidth;
}

Result<ExitCode> Run(const StatusArguments& given, Console& console) {
  const Result<CampaignStatus> status = ReadStatus(given.folder);
  if (!status) return status.error();
  if (console.json) {
    const Result<std::string> stats = ReadFile(format("{}/{}", given.folder, kStatsFile));
    if (!stats) return stats.error();
    console.Print(*stats);
    return kDone;
  }
  for (const ScreenLine& line : CampaignScreen(*status, WidthOfOutput(), 0)) {
    console.Print(line.text + "\n");
  }
  return kDone;
}

}  // namespace

const Verb kCampaignStatusVerb = {
    .name = "status",
    .summary = "Print the status of a campaign that runs or has ended",
    .example = "refract campaign status night",
    .exit_codes = {},
    .main_options = {"--json"},
    .declare = DeclareVerb<StatusArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
