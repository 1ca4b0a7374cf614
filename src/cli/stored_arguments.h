// SPDX-License-Identifier: Apache-2.0
// The command line of the last start of a campaign, which `refract campaign --reduce-only` uses
// again.
#pragma once

#include "cli/campaign/campaign_arguments.h"
#include "cli/options.h"

namespace refract {
inline namespace cli {

/// For --reduce-only without --references, --flesh or --generate: the options of the last start of
/// the campaign in the folder. From `given` it takes only what does not determine results: --out,
/// --time,
/// --jobs,
/// --known-issues, --seed and --new-only. Changes to the working folder of that start, because its
/// paths may be relative. Returns `given` if it names references. `declare` declares the options of
/// the verb.
Result<CampaignArguments> WithStoredArguments(const CampaignArguments& given,
                                              void (*declare)(CampaignArguments&, Options&));

}  // namespace cli
}  // namespace refract
