// SPDX-License-Identifier: Apache-2.0
#include "flesh/shorter_plans.h"

#include <algorithm>
#include <map>
#include <utility>

namespace refract::flesh {
namespace {

size_t Visits(const Plan& plan) {
  size_t visits = 0;
  for (const Path& path : plan.paths) visits += path.blocks.size();
  return visits;
}

// Returns the plan without path `gone`; its invocations take path `other`.
Plan WithoutPath(const Plan& plan, uint32_t gone, uint32_t other) {
  Plan shorter = plan;
  shorter.paths.erase(shorter.paths.begin() + gone);
  for (uint32_t& path : shorter.path_of) {
    if (path == gone) path = other;
    if (path > gone) --path;
  }
  return shorter;
}

// Returns the plan without the visits from `from` to before `to`. Both visits are of the same
// block.
Plan WithoutVisits(const Plan& plan, uint32_t number, uint32_t from, uint32_t to) {
  Plan shorter = plan;
  Path& path = shorter.paths[number];
  path.blocks.erase(path.blocks.begin() + from, path.blocks.begin() + to);
  path.choices.erase(path.choices.begin() + from, path.choices.begin() + to);
  for (uint32_t i = 0; i < shorter.paths.size(); ++i) {
    if (i != number && shorter.paths[i] == path) return WithoutPath(shorter, number, i);
  }
  return shorter;
}

}  // namespace

std::vector<Plan> ShorterPlans(const Plan& plan) {
  std::vector<Plan> plans;
  const auto add = [&](Plan shorter) {
    const auto same = [&](const Plan& other) {
      return other.paths == shorter.paths && other.path_of == shorter.path_of;
    };
    if (std::none_of(plans.begin(), plans.end(), same)) plans.push_back(std::move(shorter));
  };
  const uint32_t count = static_cast<uint32_t>(plan.paths.size());
  for (uint32_t i = 0; i < count && count > 1; ++i) add(WithoutPath(plan, i, i == 0 ? 1 : 0));
  for (uint32_t i = 0; i < count; ++i) {
    std::map<uint32_t, std::vector<uint32_t>> visits;  // of each block
    const Path& path = plan.paths[i];
    for (uint32_t at = 0; at < path.blocks.size(); ++at) visits[path.blocks[at]].push_back(at);
    for (const auto& [block, at] : visits) {
      for (size_t run = at.size() - 1; run > 0; run /= 2) {
        for (size_t k = 0; k + run < at.size(); k += run) {
          add(WithoutVisits(plan, i, at[k], at[k + run]));
        }
      }
    }
  }
  std::stable_sort(plans.begin(), plans.end(),
                   [](const Plan& a, const Plan& b) { return Visits(a) < Visits(b); });
  return plans;
}

}  // namespace refract::flesh
