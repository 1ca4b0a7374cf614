// SPDX-License-Identifier: Apache-2.0
// refract report: writes the report of a campaign and its files for CI again, for example after
// muting buckets by hand.
#include <string>

#include "base/text.h"
#include "campaign/report/report.h"
#include "cli/verbs.h"

namespace refract {
inline namespace cli {
namespace {

struct ReportArguments {
  std::string folder;
};

void Declare(ReportArguments& given, Options& options) {
  options.Argument("DIR", &given.folder, "Folder of a campaign (its --out)");
}

Result<ExitCode> Run(const ReportArguments& given, Console& console) {
  Result<Store> store = Store::Read(format("{}/{}", given.folder, kStoreFile));
  if (!store) return store.error();
  if (Status written = WriteReport(*store, given.folder); !written) return written.error();
  if (Status written = WriteResultFiles(*store, given.folder); !written) return written.error();
  console.Say(
      format("wrote {}/{}/index.html, junit.xml and report.sarif", given.folder, kReportFolder));
  return kDone;
}

}  // namespace

const Verb kReportVerb = {
    .name = "report",
    .summary = "Write the report of a campaign again",
    .example = "refract report night",
    .exit_codes = {},
    .main_options = {"--quiet"},
    .declare = DeclareVerb<ReportArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
