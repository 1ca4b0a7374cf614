// SPDX-License-Identifier: Apache-2.0
#include "image/comparison_rule.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace refract {
inline namespace image {
namespace {

struct RuleRow {
  CompareRule rule;
  std::string_view name;
};
constexpr RuleRow kRules[] = {
    {CompareRule::kExact, "exact"},         {CompareRule::kBounded, "bounded"},
    {CompareRule::kStable, "stable"},       {CompareRule::kSpatial, "spatial"},
    {CompareRule::kHistogram, "histogram"},
};

// A threshold: either a number of levels or pixels, or a share or mean.
struct ThresholdRow {
  std::string_view name;
  uint32_t Thresholds::*whole;
  double Thresholds::*share;
  uint32_t largest;
};
constexpr ThresholdRow kThresholds[] = {
    {"slack", &Thresholds::slack, nullptr, 255},
    {"narrow", &Thresholds::narrow, nullptr, 255},
    {"levels", &Thresholds::levels, nullptr, 255},
    {"square", &Thresholds::square, nullptr, 65535},
    {"similarity", nullptr, &Thresholds::similarity, 1},
    {"shift", nullptr, &Thresholds::shift, 255},
};

// A number without sign and exponent, with at most 6 digits after the point.
std::optional<double> ParseDecimal(std::string_view text) {
  const size_t point = text.find('.');
  const std::string_view before = text.substr(0, point);
  uint64_t whole = 0, part = 0;
  if (!ParseNumber(before, &whole)) return std::nullopt;
  if (point == std::string_view::npos) return static_cast<double>(whole);
  const std::string_view after = text.substr(point + 1);
  if (after.size() > 6 || !ParseNumber(after, &part)) return std::nullopt;
  return static_cast<double>(whole) +
         static_cast<double>(part) / std::pow(10.0, static_cast<double>(after.size()));
}

}  // namespace

std::string_view RuleName(CompareRule rule) {
  for (const RuleRow& row : kRules) {
    if (row.rule == rule) return row.name;
  }
  return "";
}

std::optional<CompareRule> RuleByName(std::string_view name) {
  for (const RuleRow& row : kRules) {
    if (row.name == name) return row.rule;
  }
  return std::nullopt;
}

std::string ThresholdsText(const Thresholds& thresholds) {
  std::string text;
  for (const ThresholdRow& row : kThresholds) {
    text += format("{}{}=", text.empty() ? "" : ",", row.name);
    text += row.whole != nullptr ? format("{}", thresholds.*row.whole)
                                 : format("{}", thresholds.*row.share);
  }
  return text;
}

Result<Thresholds> ParseThresholds(std::string_view text, const Thresholds& base) {
  Thresholds thresholds = base;
  if (text.empty()) return thresholds;
  for (const std::string& part : Split(text, ',')) {
    const size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const auto row = std::find_if(std::begin(kThresholds), std::end(kThresholds),
                                  [&](const ThresholdRow& known) { return known.name == name; });
    if (row == std::end(kThresholds)) {
      std::string names;
      for (const ThresholdRow& known : kThresholds) {
        names += format("{}{}", names.empty() ? "" : ", ", known.name);
      }
      return Error{format("'{}' is not a threshold; the thresholds are {}", name, names),
                   ErrorKind::kUsage};
    }
    const std::optional<double> value =
        equals == std::string::npos ? std::nullopt : ParseDecimal(part.substr(equals + 1));
    const bool fits =
        value && *value <= row->largest && (row->whole == nullptr || *value == std::floor(*value));
    if (!fits) {
      return Error{format("{}: the value must be a {} from 0 to {}, as in {}={}", part,
                          row->whole != nullptr ? "whole number" : "decimal number", row->largest,
                          row->name, row->whole != nullptr ? "1" : "0.5"),
                   ErrorKind::kUsage};
    }
    if (row->whole != nullptr) {
      thresholds.*row->whole = static_cast<uint32_t>(*value);
    } else {
      thresholds.*row->share = *value;
    }
  }
  return thresholds;
}

const LevelBounds* ComparisonRule::BoundsOf(size_t target) const {
  if (bounds == nullptr || target >= bounds->size() || (*bounds)[target].empty()) return nullptr;
  return &(*bounds)[target];
}

}  // namespace image
}  // namespace refract
