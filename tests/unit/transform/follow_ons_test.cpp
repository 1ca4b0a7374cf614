// SPDX-License-Identifier: Apache-2.0
// The recommendations after each transformation: each transformation has some or is one, and no
// name is misspelt.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "transform/registry.h"

namespace refract {
namespace {

std::set<std::string_view> AllThatFollow() {
  std::set<std::string_view> names;
  for (const RegistryEntry& entry : Registry()) {
    for (std::string_view name : entry.rule->tuning.follow_ons) names.insert(name);
  }
  return names;
}

TEST(FollowOns, AreTransformationsListedOnce) {
  for (const RegistryEntry& entry : Registry()) {
    std::set<std::string_view> seen;
    for (std::string_view name : entry.rule->tuning.follow_ons) {
      if (name.empty()) continue;
      EXPECT_GE(RegistryIndex(name), 0) << entry.name << " is followed by " << name;
      EXPECT_TRUE(seen.insert(name).second) << entry.name << " is followed twice by " << name;
    }
  }
}

TEST(FollowOns, EachTransformationFollowsOrIsFollowed) {
  const std::set<std::string_view> following = AllThatFollow();
  for (const RegistryEntry& entry : Registry()) {
    const auto& next = entry.rule->tuning.follow_ons;
    const bool leads_on = std::any_of(next.begin(), next.end(), [&](std::string_view name) {
      return !name.empty() && name != entry.name;
    });
    EXPECT_TRUE(leads_on || following.count(entry.name) != 0)
        << entry.name << " follows nothing, and nothing follows it";
  }
}

TEST(FollowOns, ChancesArePercentages) {
  for (const RegistryEntry& entry : Registry()) {
    EXPECT_GE(entry.rule->tuning.chance.low, 1u) << entry.name;
    EXPECT_LE(entry.rule->tuning.chance.low, entry.rule->tuning.chance.high) << entry.name;
    EXPECT_LE(entry.rule->tuning.chance.high, 100u) << entry.name;
  }
}

}  // namespace
}  // namespace refract
