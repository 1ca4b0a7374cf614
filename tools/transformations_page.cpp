// SPDX-License-Identifier: Apache-2.0
// Prints docs/transformations.md, but for its tail; `make docs` puts it there.
#include <cstdio>

#include "base/text.h"
#include "message/info.h"
#include "transform/registry.h"

namespace refract {
namespace {

std::string FollowOnsTable() {
  std::string text =
      "\n## What follows on what\n\nA run draws for each pass a chance to act at an opportunity "
      "from "
      "its range. After a pass that changed\nsomething, those that are worth doing next are "
      "queued; "
      "the next one comes from the queue or is any, with\neven odds.\n\n"
      "| pass | chance | worth doing next |\n|---|---|---|\n";
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
