// SPDX-License-Identifier: Apache-2.0
#include "flesh/plan.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "flesh/paths.h"

namespace refract::flesh {
namespace {

// If no branch is left to take, paths are random. After this many paths in a row that are not new,
// there seem to be no more.
constexpr uint32_t kTries = 16;

// Returns the first invocations of the groups that take the same path.
std::vector<uint32_t> GroupStarts(const PlanOptions& options) {
  std::vector<uint32_t> starts;
  const uint32_t invocations_per_path = std::max(options.invocations_per_path, 1u);
  for (uint32_t i = 0; i < options.invocations; ++i) {
    if (i % options.workgroup % invocations_per_path == 0) starts.push_back(i);
  }
  return starts;
}

}  // namespace

bool operator==(const Path& a, const Path& b) {
  return a.blocks == b.blocks && a.choices == b.choices;
}

Result<Plan> MakePlan(const cfg::Graph& graph, const PlanOptions& options, Random* random) {
  CHECK(options.workgroup > 0);
  PathDrawer drawer(graph, random);
  if (!drawer.has_end())
    return Error{"the graph has no path from its entry block to an end of the function"};
  const std::vector<uint32_t> starts = GroupStarts(options);
  const size_t most = std::max<size_t>(1, std::min<size_t>(options.paths, starts.size()));
  Plan plan;
  plan.paths.reserve(most);
  Path path;
  for (uint32_t tries = 0; tries < kTries && plan.paths.size() < most; ++tries) {
    drawer.Draw(options.most_visits, &path);
    // In one graph, the choices determine the path.
    const auto same = [&](const Path& other) { return other.choices == path.choices; };
    if (std::any_of(plan.paths.begin(), plan.paths.end(), same)) continue;
    plan.paths.push_back(path);
    tries = 0;
  }
  // Use each path once, and random ones for the remaining groups.
  std::vector<uint32_t> deck(starts.size());
  for (size_t i = 0; i < deck.size(); ++i) {
    deck[i] = static_cast<uint32_t>(i < plan.paths.size() ? i : random->Below(plan.paths.size()));
  }
  for (size_t i = deck.size(); i > 1; --i) std::swap(deck[i - 1], deck[random->Below(i)]);
  plan.path_of.resize(options.invocations);
  for (uint32_t i = 0, group = 0; i < options.invocations; ++i) {
    if (group + 1 < starts.size() && i == starts[group + 1]) ++group;
    plan.path_of[i] = deck[group];
  }
  return plan;
}

}  // namespace refract::flesh
