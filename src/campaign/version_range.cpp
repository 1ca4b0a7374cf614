// SPDX-License-Identifier: Apache-2.0
#include "campaign/version_range.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/text.h"

namespace refract {
inline namespace campaign {
namespace {

using Version = std::vector<uint64_t>;

constexpr std::string_view kDigits = "0123456789";

std::optional<Version> ParseVersion(std::string_view text) {
  Version version;
  for (const std::string& part : Split(text, '.')) {
    uint64_t number = 0;
    if (!ParseNumber(part, &number)) return std::nullopt;
    version.push_back(number);
  }
  return version.empty() ? std::nullopt : std::optional<Version>(version);
}

struct Condition {
  std::string_view relation;  // <, <=, >, >= or =
  Version version;
};

std::optional<Condition> ParseCondition(std::string_view text) {
  constexpr std::string_view kRelations[] = {"<=", ">=", "<", ">", "="};  // the longest first
  Condition condition{"=", {}};
  for (const std::string_view relation : kRelations) {
    if (!text.starts_with(relation)) continue;
    condition.relation = relation;
    text.remove_prefix(relation.size());
    break;
  }
  const std::optional<Version> version = ParseVersion(text);
  if (!version) return std::nullopt;
  condition.version = *version;
  return condition;
}

std::optional<std::vector<Condition>> ParseRange(std::string_view range) {
  std::vector<Condition> conditions;
  for (size_t at = range.find_first_not_of(' '); at != std::string_view::npos;
       at = range.find_first_not_of(' ', at)) {
    const size_t end = std::min(range.find(' ', at), range.size());
    const std::optional<Condition> condition = ParseCondition(range.substr(at, end - at));
    if (!condition) return std::nullopt;
    conditions.push_back(*condition);
    at = end;
  }
  if (conditions.empty()) return std::nullopt;
  return conditions;
}

bool Holds(const Condition& condition, Version version) {
  Version bound = condition.version;
  const size_t size = std::max(bound.size(), version.size());
  bound.resize(size);
  version.resize(size);
  if (condition.relation == "<") return version < bound;
  if (condition.relation == "<=") return version <= bound;
  if (condition.relation == ">") return version > bound;
  if (condition.relation == ">=") return version >= bound;
  return version == bound;
}

}  // namespace

std::string VersionNumberIn(std::string_view text) {
  for (size_t at = text.find_first_of(kDigits); at != std::string_view::npos;
       at = text.find_first_of(kDigits, at)) {
    size_t end = std::min(text.find_first_not_of("0123456789.", at), text.size());
    std::string_view number = text.substr(at, end - at);
    while (number.ends_with(".")) number.remove_suffix(1);
    if (number.find('.') != std::string_view::npos && ParseVersion(number)) {
      return std::string(number);
    }
    at = end;
  }
  return {};
}

bool IsVersionRange(std::string_view range) {
  return ParseRange(range).has_value();
}

bool IsInVersionRange(std::string_view version, std::string_view range) {
  const std::optional<Version> number = ParseVersion(version);
  const std::optional<std::vector<Condition>> conditions = ParseRange(range);
  return number && conditions &&
         std::all_of(conditions->begin(), conditions->end(),
                     [&](const Condition& condition) { return Holds(condition, *number); });
}

}  // namespace campaign
}  // namespace refract
