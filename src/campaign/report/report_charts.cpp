// SPDX-License-Identifier: Apache-2.0
// The charts of the index page: failing tests, buckets and tests a second over the time of the
// campaign, with a table of the same numbers.
#include <algorithm>

#include "base/text.h"
#include "campaign/report/chart.h"
#include "campaign/report/html.h"
#include "campaign/report/report_page.h"

namespace refract {
inline namespace campaign {
namespace {

constexpr size_t kTableRows = 8;
constexpr uint64_t kTestsPerStep = 8;  // a rate from fewer tests says little
static_assert(kReportIntervals % kTableRows == 0);

// For each interval, the numbers from the begin of the campaign to the end of the interval.
struct SeriesOfTotals {
  std::vector<double> tests, failing, buckets;
};

SeriesOfTotals TotalsOf(const ReportData& data) {
  const size_t size = data.over_time.size();
  SeriesOfTotals totals = {std::vector<double>(size), std::vector<double>(size),
                           std::vector<double>(size)};
  for (const Bucket& bucket : data.buckets) {
    if (bucket.counted_only) continue;
    const double part = std::clamp(bucket.first_seen / data.info.seconds, 0.0, 1.0);
    ++totals.buckets[std::min(static_cast<size_t>(part * static_cast<double>(size)), size - 1)];
  }
  for (size_t i = 0; i < size; ++i) {
    totals.tests[i] = static_cast<double>(data.over_time[i].tests);
    totals.failing[i] = static_cast<double>(data.over_time[i].failing);
    if (i == 0) continue;
    totals.tests[i] += totals.tests[i - 1];
    totals.failing[i] += totals.failing[i - 1];
    totals.buckets[i] += totals.buckets[i - 1];
  }
  return totals;
}

// The tests a second in each of `steps` equal parts of the campaign.
std::vector<double> Rates(const std::vector<double>& tests, double seconds, size_t steps) {
  std::vector<double> rates;
  const size_t width = tests.size() / steps;
  double before = 0;
  for (size_t end = width; end <= tests.size(); end += width) {
    rates.push_back((tests[end - 1] - before) * static_cast<double>(steps) / seconds);
    before = tests[end - 1];
  }
  return rates;
}

// As many steps as there are intervals, or fewer if there are few tests.
size_t RateSteps(size_t intervals, double tests) {
  for (size_t steps = intervals; steps > 6; --steps) {
    if (intervals % steps == 0 && static_cast<double>(steps * kTestsPerStep) <= tests) return steps;
  }
  return std::min<size_t>(intervals, 6);
}

std::string Figure(std::string_view value, std::string_view label, const std::string& chart) {
  return format("<figure><figcaption><b>{}</b> {}</figcaption>\n{}</figure>\n", value, label,
                chart);
}

std::string Table(const SeriesOfTotals& totals, double seconds) {
  const size_t rows = std::min(kTableRows, totals.tests.size());
  const std::vector<double> rates = Rates(totals.tests, seconds, rows);
  std::string text =
      "<details><summary>Numbers of the charts</summary>\n<table>\n<tr><th>Time</th>"
      "<th>Tests</th><th>Failing tests</th><th>Buckets</th><th>Tests a second</th></tr>\n";
  for (size_t row = 0; row < rows; ++row) {
    const size_t last = (row + 1) * totals.tests.size() / rows - 1;
    const double end = seconds * static_cast<double>(row + 1) / static_cast<double>(rows);
    text += format("<tr><td>{}</td><td>{:.0f}</td><td>{:.0f}</td><td>{:.0f}</td><td>{}</td></tr>\n",
                   DurationText(end), totals.tests[last], totals.failing[last],
                   totals.buckets[last], ValueText(rates[row]));
  }
  return text + "</table>\n</details>\n";
}

}  // namespace

std::string ReportCharts(const ReportData& data) {
  if (data.over_time.empty() || data.totals.tests == 0 || data.info.seconds <= 0) return {};
  const SeriesOfTotals totals = TotalsOf(data);
  const double seconds = data.info.seconds;
  const std::vector<double> rates =
      Rates(totals.tests, seconds, RateSteps(totals.tests.size(), totals.tests.back()));
  const auto total = [&](std::string_view label, const std::vector<double>& values) {
    return Figure(format("{:.0f}", values.back()), label,
                  ChartSvg(label, values, seconds, ChartKind::kTotal));
  };
  std::string text =
      "<h2 id=\"charts\">Over the time of the campaign</h2>\n<div class=\"charts\">\n";
  text += total("failing tests", totals.failing);
  text += total("distinct buckets", totals.buckets);
  text += Figure(ValueText(totals.tests.back() / seconds), "tests a second",
                 ChartSvg("tests a second", rates, seconds, ChartKind::kRate));
  text += "</div>\n<p class=\"soft\">Failures that are only counted are left out.";
  if (data.totals.last_new_bucket > 0) {
    text += format(" The last new bucket was found after {}.",
                   DurationText(data.totals.last_new_bucket));
  }
  return text + "</p>\n" + Table(totals, seconds);
}

}  // namespace campaign
}  // namespace refract
