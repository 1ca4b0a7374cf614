// SPDX-License-Identifier: Apache-2.0
#include "target/agreement.h"

#include <algorithm>

#include "target/finding.h"

namespace refract {
inline namespace target {

Agreement CompareTargets(const std::vector<TargetOutputs>& outputs, std::optional<size_t> exact,
                         const ComparisonRule& rule, const std::vector<BufferLayout>& layouts) {
  // The first target of a group is the one with which others are compared, so the interpreter must
  // be the first of its group.
  std::vector<size_t> order;
  if (exact) order.push_back(*exact);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (exact != i) order.push_back(i);
  }
  const auto difference = [&](size_t from, size_t of) {
    return DifferenceText(*outputs[of].outputs, *outputs[of].target, *outputs[from].outputs,
                          *outputs[from].target, rule, layouts);
  };
  Agreement agreement;
  std::vector<Agreement::Group>& groups = agreement.groups;
  for (const size_t i : order) {
    const auto equal = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return difference(group.targets.front(), i).empty();
    });
    if (equal != groups.end()) {
      equal->targets.push_back(i);
    } else {
      groups.push_back({{i}, {}});
    }
  }
  if (groups.empty()) return agreement;
  // Stable: groups of the same size keep the order of their first targets.
  std::stable_sort(groups.begin() + (exact ? 1 : 0), groups.end(),
                   [](const Agreement::Group& a, const Agreement::Group& b) {
                     return a.targets.size() > b.targets.size();
                   });
  if (exact) {
    agreement.judge = Agreement::Judge::kInterpreter;
  } else if (2 * groups[0].targets.size() > outputs.size()) {
    agreement.judge = Agreement::Judge::kMajority;
  }
  const size_t first = groups[0].targets.front();
  for (size_t i = 1; i < groups.size(); ++i) {
    groups[i].difference = difference(first, groups[i].targets.front());
  }
  for (Agreement::Group& group : groups) std::sort(group.targets.begin(), group.targets.end());
  return agreement;
}

}  // namespace target
}  // namespace refract
