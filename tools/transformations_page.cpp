// SPDX-License-Identifier: Apache-2.0
// Prints docs/transformations.md without docs/transformations.tail.md, which `make docs` appends.
#include <cstdio>

#include "base/text.h"
#include "message/info.h"
#include "transform/registry.h"

namespace refract {
namespace {

std::string FollowOnsTable() {
  std::string text =
      "\n## Recommendations\n\nFor each fuzzer pass, a run draws from the range the chance that "
      "the pass uses an opportunity.\nAfter a pass that changed the module, the passes that it "
      "recommends are queued. The next pass is\nthe first of the queue or any enabled pass, with "
      "equal chances.\n\n"
      "| pass | chance (%) | recommended passes |\n|---|---|---|\n";
  for (const RegistryEntry& entry : Registry()) {
    const Tuning& tuning = entry.rule->tuning;
    std::string next;
    for (std::string_view name : tuning.follow_ons) {
      if (!name.empty()) next += format("{}[{}](#{})", next.empty() ? "" : ", ", name, name);
    }
    text += format("| [{}](#{}) | {}-{} | {} |\n", entry.name, entry.name, tuning.chance.low,
                   tuning.chance.high, next);
  }
  return text;
}

}  // namespace
}  // namespace refract

int main() {
  const std::string page = refract::message::TransformationsPage() + refract::FollowOnsTable();
  std::fputs(page.c_str(), stdout);
}
