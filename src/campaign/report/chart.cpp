// SPDX-License-Identifier: Apache-2.0
#include "campaign/report/chart.h"

#include <algorithm>
#include <cmath>

#include "base/escape_html.h"
#include "base/text.h"
#include "campaign/report/html.h"

namespace refract {
inline namespace campaign {
namespace {

// The place of the plot in the chart, in units of the chart. The labels are around it.
constexpr double kWidth = 340, kHeight = 150;
constexpr double kLeft = 40, kRight = 318, kTop = 8, kBottom = 128;
constexpr double kMostIntervals = 4;

// Converts a time or a value to a place in the chart.
struct Scale {
  double seconds, top;
  double X(double at) const { return kLeft + (kRight - kLeft) * at / seconds; }
  double Y(double value) const { return kBottom - (kBottom - kTop) * value / top; }
};

// The value at a time, as text for screen readers.
double ValueAt(const std::vector<double>& values, double part) {
  const auto place = static_cast<size_t>(std::ceil(part * static_cast<double>(values.size())));
  return values[std::clamp<size_t>(place, 1, values.size()) - 1];
}

std::string Description(std::string_view label, const std::vector<double>& values, double seconds,
                        ChartKind kind) {
  std::string text = format("{} over time:", label);
  const double step = TimeStep(seconds);
  for (double at = step; at < seconds * 0.99; at += step) {
    text += format(" {} after {},", ValueText(ValueAt(values, at / seconds)), TimeText(at, step));
  }
  text += format(" {} at the end", ValueText(values.back()));
  if (kind == ChartKind::kRate) {
    text += format("; at most {}", ValueText(*std::max_element(values.begin(), values.end())));
  }
  return text;
}

std::string Axes(const Scale& scale, double value_step) {
  std::string svg;
  const auto lines = static_cast<int>(std::lround(scale.top / value_step));
  for (int i = 0; i <= lines; ++i) {
    const double value = i * value_step;
    svg += format(
        "<path class=\"{}\" d=\"M{} {:.1f}H{}\"/><text x=\"{}\" y=\"{:.1f}\" class=\"end\">"
        "{}</text>\n",
        i == 0 ? "axis" : "grid", kLeft, scale.Y(value), kRight, kLeft - 6, scale.Y(value) + 4,
        ValueText(value));
  }
  const double time_step = TimeStep(scale.seconds);
  for (int i = 0; i * time_step <= scale.seconds * 1.0001; ++i) {
    const double x = scale.X(i * time_step);
    svg += format(
        "<path class=\"axis\" d=\"M{:.1f} {}v4\"/><text x=\"{:.1f}\" y=\"{}\" "
        "class=\"middle\">{}</text>\n",
        x, kBottom, x, kBottom + 17,
        i == 0 ? std::string("0") : TimeText(i * time_step, time_step));
  }
  return svg;
}

std::string Curve(const Scale& scale, const std::vector<double>& values, ChartKind kind) {
  std::string path;
  const double interval = scale.seconds / static_cast<double>(values.size());
  double before = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double end = scale.X(interval * static_cast<double>(i + 1));
    const bool same = i > 0 && values[i] == before;
    // One long line instead of many equal ones keeps the page small.
    const bool next_same = i + 1 < values.size() && values[i + 1] == values[i];
    if (kind == ChartKind::kRate) {
      if (!same) path += format("V{:.1f}", scale.Y(values[i]));
      if (!next_same) path += format("H{:.1f}", end);
    } else if (!same || !next_same) {
      path += format("L{:.1f} {:.1f}", end, scale.Y(values[i]));
    }
    before = values[i];
  }
  return format(
      "<path class=\"area\" d=\"M{0} {1}{2}V{1}Z\"/><path class=\"curve\" d=\"M{0} {1}{2}\"/>\n",
      kLeft, kBottom, path);
}

}  // namespace

double ValueStep(double most, bool whole) {
  double power = whole ? 1 : std::pow(10, std::floor(std::log10(std::max(most, 1e-6))) - 1);
  for (;; power *= 10) {
    for (const double factor : {1, 2, 5}) {
      if (most <= kMostIntervals * factor * power) return factor * power;
    }
  }
}

double TimeStep(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  for (const double step :
       {1.0, 2.0, 5.0, 10.0, 15.0, 30.0, kMinute, 2 * kMinute, 5 * kMinute, 10 * kMinute,
        15 * kMinute, 30 * kMinute, kHour, 2 * kHour, 3 * kHour, 6 * kHour, 12 * kHour}) {
    if (seconds <= kMostIntervals * step) return step;
  }
  return kDay * ValueStep(seconds / kDay, true);
}

std::string ValueText(double value) {
  if (value >= 1e6) return ValueText(value / 1e6) + " M";
  if (value >= 1e4) return ValueText(value / 1e3) + " k";
  if (value >= 100) return format("{:.0f}", value);
  return format("{:.3g}", std::round(value * 100) / 100);
}

std::string TimeText(double seconds, double step) {
  if (step < 60) return format("{:.0f} s", seconds);
  if (step < 3600) return format("{:.0f} min", seconds / 60);
  if (step < 86400) return format("{:.0f} h", seconds / 3600);
  return format("{:.0f} d", seconds / 86400);
}

std::string ChartSvg(std::string_view label, const std::vector<double>& values, double seconds,
                     ChartKind kind) {
  if (values.empty() || seconds <= 0) return {};
  const double most = *std::max_element(values.begin(), values.end());
  const double step = ValueStep(most, kind == ChartKind::kTotal);
  const Scale scale = {seconds, step * std::max(1.0, std::ceil(most / step - 1e-9))};
  return format(
      "<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}{}</svg>\n",
      kWidth, kHeight, EscapeHtml(Description(label, values, seconds, kind)), Axes(scale, step),
      Curve(scale, values, kind));
}

}  // namespace campaign
}  // namespace refract
