// SPDX-License-Identifier: Apache-2.0
#include "cli/target_comparison.h"

#include <algorithm>

#include "base/text.h"

namespace refract {
inline namespace cli {
namespace {

using Json = nlohmann::ordered_json;
using Judge = Agreement::Judge;

// "a", "a and b", "a, b and c"
std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += format("{}{}", i == 0 ? "" : i + 1 < names.size() ? ", " : " and ", names[i]);
  }
  return text;
}

std::vector<std::string> NamesOf(const TargetComparison& comparison,
                                 const Agreement::Group& group) {
  std::vector<std::string> names;
  for (const size_t i : group.targets) names.push_back(comparison.targets[i]);
  return names;
}

// The targets that are not in the group that is right.
std::vector<std::string> WrongTargets(const TargetComparison& comparison) {
  std::vector<size_t> wrong;
  const std::vector<Agreement::Group>& groups = comparison.agreement.groups;
  if (comparison.agreement.judge == Judge::kNone) return {};
  for (size_t i = 1; i < groups.size(); ++i) {
    wrong.insert(wrong.end(), groups[i].targets.begin(), groups[i].targets.end());
  }
  std::sort(wrong.begin(), wrong.end());
  return NamesOf(comparison, {wrong, {}});
}

// The last line: which targets are wrong, and why.
std::string Conclusion(const TargetComparison& comparison) {
  const Agreement& agreement = comparison.agreement;
  const std::vector<std::string> wrong = WrongTargets(comparison);
  const char* is = wrong.size() == 1 ? "is" : "are";
  if (agreement.judge == Judge::kMajority) {
    return format("{} {} probably wrong: most targets agree on another output", Listed(wrong), is);
  }
  if (agreement.judge == Judge::kInterpreter) {
    // The interpreter may have a bug, too.
    const bool alone =
        agreement.groups.size() == 2 && agreement.groups[0].targets.size() == 1 && wrong.size() > 1;
    return format(
        "{} {} wrong: the output of interp is exact, so it is the only correct one{}",
        Listed(wrong), is,
        alone ? "; these targets agree with each other, so interp may be wrong instead" : "");
  }
  std::string groups;
  for (const Agreement::Group& group : agreement.groups) {
    groups += format("{}{}", groups.empty() ? "" : " | ", Listed(NamesOf(comparison, group)));
  }
  return format(
      "no output has a majority, so it is not known which targets are wrong; groups of targets "
      "that agree: {}",
      groups);
}

}  // namespace

std::vector<TargetComparison> CompareTargets(const std::vector<TargetReport>& reports,
                                             const TargetRule& rule,
                                             const std::vector<BufferLayout>& layouts) {
  std::vector<TargetComparison> comparisons;
  for (const char* role : {"original", "variant"}) {
    TargetComparison comparison{role, {}, {}};
    std::vector<TargetOutputs> outputs;
    std::optional<size_t> exact;
    for (const TargetReport& report : reports) {
      for (const ReportedRun& ran : report.runs) {
        // Some targets only compile, and the outputs of a failed run are not complete.
        const bool complete =
            ran.result.verdict == RunOutcome::kOk || ran.result.verdict == RunOutcome::kUnexpected;
        if (ran.role != role || !complete || ran.result.outputs == Outputs()) continue;
        if (rule.exact && report.target == "interp") exact = outputs.size();
        outputs.push_back({&report.target, &ran.result.outputs});
        comparison.targets.push_back(report.target);
      }
    }
    if (outputs.size() < 2) continue;
    comparison.agreement = CompareTargets(outputs, exact, rule.rule, layouts);
    comparisons.push_back(std::move(comparison));
  }
  return comparisons;
}

bool IsFinding(const std::vector<TargetComparison>& comparisons, const TargetRule& rule) {
  return rule.no_meaning.empty() &&
         std::any_of(comparisons.begin(), comparisons.end(),
                     [](const TargetComparison& each) { return !each.agreement.same(); });
}

std::string Summary(const std::vector<TargetComparison>& comparisons, const TargetRule& rule) {
  std::string text;
  for (const TargetComparison& comparison : comparisons) {
    const std::string role = comparisons.size() > 1 ? comparison.role + ": " : "";
    const std::string start = format("targets: {}", role);
    const std::vector<Agreement::Group>& groups = comparison.agreement.groups;
    if (comparison.agreement.same()) {
      text += format("{}same under rule {}: {}\n", start, RuleName(rule.rule.kind),
                     Listed(comparison.targets));
      continue;
    }
    const std::string first = Listed(NamesOf(comparison, groups[0]));
    for (size_t i = 1; i < groups.size(); ++i) {
      const std::vector<std::string> names = NamesOf(comparison, groups[i]);
      text += format("{}{} {} from {} under rule {}: {}\n", start, Listed(names),
                     names.size() == 1 ? "DIFFERS" : "DIFFER", first, RuleName(rule.rule.kind),
                     groups[i].difference);
    }
    text += start;
    text += rule.no_meaning.empty()
                ? Conclusion(comparison)
                : format("these differences are not meaningful: {}", rule.no_meaning);
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json ToJson(const std::vector<TargetComparison>& comparisons,
                              const TargetRule& rule) {
  Json list = Json::array();
  for (const TargetComparison& comparison : comparisons) {
    const Agreement& agreement = comparison.agreement;
    const bool meaningful = rule.no_meaning.empty();
    Json groups = Json::array();
    for (const Agreement::Group& group : agreement.groups) {
      groups.push_back({{"targets", NamesOf(comparison, group)}, {"difference", group.difference}});
    }
    list.push_back({{"role", comparison.role},
                    {"same", agreement.same()},
                    {"rule", RuleName(rule.rule.kind)},
                    {"decided_by", !meaningful                              ? ""
                                   : agreement.judge == Judge::kInterpreter ? "interp"
                                   : agreement.judge == Judge::kMajority    ? "majority"
                                                                            : ""},
                    {"wrong", meaningful ? WrongTargets(comparison) : std::vector<std::string>()},
                    {"not_meaningful", rule.no_meaning},
                    {"groups", std::move(groups)}});
  }
  return list;
}

}  // namespace cli
}  // namespace refract
