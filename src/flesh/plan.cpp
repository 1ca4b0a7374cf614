// SPDX-License-Identifier: Apache-2.0
#include "flesh/plan.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "flesh/walks.h"

namespace refract::flesh {
namespace {

// If no branch is left to take, paths are random. After this many paths in a row that are not new,
// there seem to be no more.
constexpr uint32_t kTries = 16;

// Returns the first invocations of the groups that take the same path.
std::vector<uint32_t> GroupStarts(const PlanOptions& options) {
  std::vector<uint32_t> starts;
  const uint32_t alike = std::max(options.alike, 1u);
  for (uint32_t i = 0; i < options.invocations; ++i) {
    if (i % options.workgroup % alike == 0) starts.push_back(i);
  }
  return starts;
}

}  // namespace

bool operator==(const Walk& a, const Walk& b) {
  return a.blocks == b.blocks && a.choices == b.choices;
}

Result<Plan> MakePlan(const cfg::Graph& graph, const PlanOptions& options, Random* random) {
  CHECK(options.workgroup > 0);
  WalkDrawer drawer(graph, random);
  if (!drawer.has_end())
    return Error{"the graph has no path from its entry block to an end of the function"};
  const std::vector<uint32_t> starts = GroupStarts(options);
  const size_t most = std::max<size_t>(1, std::min<size_t>(options.walks, starts.size()));
  Plan plan;
  plan.walks.reserve(most);
  Walk walk;
  for (uint32_t tries = 0; tries < kTries && plan.walks.size() < most; ++tries) {
    drawer.Draw(options.most_visits, &walk);
    // In one graph, the choices determine the path.
    const auto same = [&](const Walk& other) { return other.choices == walk.choices; };
    if (std::any_of(plan.walks.begin(), plan.walks.end(), same)) continue;
    plan.walks.push_back(walk);
    tries = 0;
  }
  // Use each path once, and random ones for the remaining groups.
  std::vector<uint32_t> deck(starts.size());
  for (size_t i = 0; i < deck.size(); ++i) {
    deck[i] = static_cast<uint32_t>(i < plan.walks.size() ? i : random->Below(plan.walks.size()));
  }
  for (size_t i = deck.size(); i > 1; --i) std::swap(deck[i - 1], deck[random->Below(i)]);
  plan.walk_of.resize(options.invocations);
  for (uint32_t i = 0, group = 0; i < options.invocations; ++i) {
    if (group + 1 < starts.size() && i == starts[group + 1]) ++group;
    plan.walk_of[i] = deck[group];
  }
  return plan;
}

}  // namespace refract::flesh
