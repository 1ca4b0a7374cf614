// SPDX-License-Identifier: Apache-2.0
// A campaign at work: threads that make tests and look after those that are kept, until there is no
// more to do, time is up or somebody says stop. What it knows is in the store (store.h).
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/result.h"
#include "campaign/setup.h"
#include "campaign/store.h"

namespace refract::inline campaign {

/// How far it has come, for people who wait.
struct CampaignProgress {
  std::string phase;     ///< "references", "tests", "reducing"
  uint64_t checked = 0;  ///< references, of `references`
  uint64_t references = 0;
  uint64_t tests = 0;            ///< in all, also of earlier parts
  uint64_t findings = 0;         ///< buckets that are worth a look
  uint64_t waiting = 0;          ///< kept tests that are not reduced yet
  double seconds = 0;            ///< of this part
  double tests_per_second = 0;   ///< of this part
  double since_new_bucket = -1;  ///< seconds; less than 0: there is none yet
};

struct CampaignEnd {
  enum class Why : uint8_t { kDone, kTime, kBuckets, kStopped };
  Why why = Why::kDone;
  uint64_t tests = 0;         ///< of this part
  uint64_t new_findings = 0;  ///< buckets of this part that are neither muted nor known
  /// By target that hung too much: tests of this part that were not run on it.
  std::map<std::string, uint64_t> passed_over;
};

/// Works on `store` (OpenStore). `stop` is asked often: true ends it in good order, with the test
/// under way thrown away and reductions to be gone on with. `progress` is called from one thread
/// now and then. An Error is the disk's or the machine's: what was done is in the store.
Result<CampaignEnd> RunCampaign(const CampaignSetup& setup, Store& store,
                                const std::function<bool()>& stop,
                                const std::function<void(const CampaignProgress&)>& progress);

}  // namespace refract::inline campaign
