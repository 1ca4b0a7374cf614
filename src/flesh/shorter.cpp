// SPDX-License-Identifier: Apache-2.0
#include "flesh/shorter.h"

#include <algorithm>
#include <map>
#include <utility>

namespace refract::flesh {
namespace {

size_t Visits(const Plan& plan) {
  size_t visits = 0;
  for (const Walk& walk : plan.walks) visits += walk.blocks.size();
  return visits;
}

// Returns the plan without path `gone`; its invocations take path `other`.
Plan WithoutWalk(const Plan& plan, uint32_t gone, uint32_t other) {
  Plan shorter = plan;
  shorter.walks.erase(shorter.walks.begin() + gone);
  for (uint32_t& walk : shorter.walk_of) {
    if (walk == gone) walk = other;
    if (walk > gone) --walk;
  }
  return shorter;
}

// Returns the plan without the visits from `from` to before `to`. Both visits are of the same
// block.
Plan WithoutVisits(const Plan& plan, uint32_t number, uint32_t from, uint32_t to) {
  Plan shorter = plan;
  Walk& walk = shorter.walks[number];
  walk.blocks.erase(walk.blocks.begin() + from, walk.blocks.begin() + to);
  walk.choices.erase(walk.choices.begin() + from, walk.choices.begin() + to);
  for (uint32_t i = 0; i < shorter.walks.size(); ++i) {
    if (i != number && shorter.walks[i] == walk) return WithoutWalk(shorter, number, i);
  }
  return shorter;
}

}  // namespace

std::vector<Plan> ShorterPlans(const Plan& plan) {
  std::vector<Plan> plans;
  const auto add = [&](Plan shorter) {
    const auto same = [&](const Plan& other) {
      return other.walks == shorter.walks && other.walk_of == shorter.walk_of;
    };
    if (std::none_of(plans.begin(), plans.end(), same)) plans.push_back(std::move(shorter));
  };
  const uint32_t count = static_cast<uint32_t>(plan.walks.size());
  for (uint32_t i = 0; i < count && count > 1; ++i) add(WithoutWalk(plan, i, i == 0 ? 1 : 0));
  for (uint32_t i = 0; i < count; ++i) {
    std::map<uint32_t, std::vector<uint32_t>> visits;  // of each block
    const Walk& walk = plan.walks[i];
    for (uint32_t at = 0; at < walk.blocks.size(); ++at) visits[walk.blocks[at]].push_back(at);
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
