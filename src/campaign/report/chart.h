// SPDX-License-Identifier: Apache-2.0
// Charts of the report: a value over the time of a campaign, as inline SVG. A chart is 340 units
// wide. It is shown at about one pixel per unit on every screen, so its text has a readable size.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace refract {
inline namespace campaign {

/// How the values of the equal intervals of time are drawn.
enum class ChartKind {
  kTotal,  ///< each value holds at the end of its interval; a line from 0 through these points
  kRate,   ///< each value holds in its interval; steps
};

/// A chart with axes. `values` has one value for each of the equal intervals of `seconds`. `label`
/// is the name of the values, as text. The label for screen readers has some of the values.
std::string ChartSvg(std::string_view label, const std::vector<double>& values, double seconds,
                     ChartKind kind);

/// The distance of the ticks of an axis from 0 to `most`: 1, 2 or 5 times a power of ten, so that
/// the axis has at most 4 intervals. At least 1 for whole numbers.
double ValueStep(double most, bool whole);
/// The distance in seconds of the ticks of an axis from 0 to `seconds`, so that the axis has at
/// most 4 intervals.
double TimeStep(double seconds);
/// A value with at most two decimals; thousands as "20 k", millions as "3 M".
std::string ValueText(double value);
/// "30 s", "20 min", "6 h", "2 d": for a multiple of `step`, in the unit of `step`.
std::string TimeText(double seconds, double step);

}  // namespace campaign
}  // namespace refract
