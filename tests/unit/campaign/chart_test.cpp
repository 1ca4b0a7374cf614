// SPDX-License-Identifier: Apache-2.0
// The charts of the report: ticks, labels and curves.
#include "campaign/report/chart.h"

#include <gtest/gtest.h>

namespace refract {
namespace {

TEST(Chart, ValueStepsAreFewAndRound) {
  EXPECT_EQ(ValueStep(0, true), 1);
  EXPECT_EQ(ValueStep(4, true), 1);
  EXPECT_EQ(ValueStep(5, true), 2);
  EXPECT_EQ(ValueStep(9, true), 5);
  EXPECT_EQ(ValueStep(80001, true), 50000);
  EXPECT_DOUBLE_EQ(ValueStep(0.7, false), 0.2);
  EXPECT_DOUBLE_EQ(ValueStep(12, false), 5);
  EXPECT_GT(ValueStep(0, false), 0);
}

TEST(Chart, TimeStepsAreFewAndRound) {
  EXPECT_EQ(TimeStep(0.5), 1);
  EXPECT_EQ(TimeStep(60), 15);
  EXPECT_EQ(TimeStep(61), 30);
  EXPECT_EQ(TimeStep(8 * 3600), 2 * 3600);
  EXPECT_EQ(TimeStep(100 * 86400.0), 50 * 86400.0);
}

TEST(Chart, ValuesHaveUnits) {
  EXPECT_EQ(ValueText(0), "0");
  EXPECT_EQ(ValueText(0.126), "0.13");
  EXPECT_EQ(ValueText(1500), "1500");
  EXPECT_EQ(ValueText(20000), "20 k");
  EXPECT_EQ(ValueText(1.5e6), "1.5 M");
  EXPECT_EQ(TimeText(90, 30), "90 s");
  EXPECT_EQ(TimeText(5400, 1800), "90 min");
  EXPECT_EQ(TimeText(43200, 21600), "12 h");
  EXPECT_EQ(TimeText(172800, 86400), "2 d");
}

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Chart, AxesHaveFewTicks) {
  for (const double seconds : {0.1, 1.0, 59.0, 61.0, 4000.0, 86400.0, 1e7}) {
    for (const double most : {0.0, 1.0, 7.0, 12345.0, 9e6}) {
      const std::string svg = ChartSvg("tests", {0, most / 2, most}, seconds, ChartKind::kTotal);
      EXPECT_LE(CountOf(svg, "<text "), 10u) << seconds << " " << most;
      EXPECT_GE(CountOf(svg, "<text "), 3u) << seconds << " " << most;
      EXPECT_EQ(svg.find("nan"), std::string::npos);
      EXPECT_EQ(svg.find("inf"), std::string::npos);
    }
  }
  EXPECT_EQ(ChartSvg("tests", {}, 1, ChartKind::kTotal), "");
  EXPECT_EQ(ChartSvg("tests", {1}, 0, ChartKind::kTotal), "");
}

// The curve ends at the right and top end of the axes, and equal values are one line.
TEST(Chart, CurvesGoThroughTheirValues) {
  const std::string total = ChartSvg("tests", {0, 0, 0, 4}, 40, ChartKind::kTotal);
  EXPECT_NE(total.find("class=\"curve\" d=\"M40 128L109.5 128.0L248.5 128.0L318.0 8.0\""),
            std::string::npos)
      << total;
  const std::string rate = ChartSvg("tests a second", {2, 2, 4, 4}, 40, ChartKind::kRate);
  EXPECT_NE(rate.find("class=\"curve\" d=\"M40 128V68.0H179.0V8.0H318.0\""), std::string::npos)
      << rate;
}

TEST(Chart, LabelsAreEscaped) {
  const std::string svg = ChartSvg("<a\"b>", {1}, 1, ChartKind::kTotal);
  EXPECT_NE(svg.find("aria-label=\"&lt;a&quot;b&gt; over time: 1 at the end\""), std::string::npos)
      << svg;
}

}  // namespace
}  // namespace refract
