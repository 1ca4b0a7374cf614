// SPDX-License-Identifier: Apache-2.0
// The index page of the report: findings in the order in which they were first seen, then collapsed
// sections that need not be read.
#include <algorithm>
#include <map>
#include <vector>

#include "base/counted.h"
#include "base/escape_html.h"
#include "base/text.h"
#include "campaign/report/chart.h"
#include "campaign/report/html.h"
#include "campaign/report/report_list.h"
#include "campaign/report/report_page.h"

namespace refract {
inline namespace campaign {
namespace {

// Limits that keep the page under a megabyte, however much was found.
constexpr size_t kMaxFindings = 500;
constexpr size_t kMaxFirst = 50;
constexpr size_t kMaxFolded = 200;
constexpr size_t kMaxBaselines = 200;
constexpr size_t kMaxUnusedText = 2000;

std::string Summary(const ReportData& data) {
  const CampaignInfo& info = data.info;
  const double rate = info.seconds > 0 ? static_cast<double>(data.totals.tests) / info.seconds : 0;
  std::string text = "<dl>\n";
  text += format("<dt>Tests</dt><dd>{} in {} ({} a second), {}</dd>\n", data.totals.tests,
                 DurationText(info.seconds), ValueText(rate), Counted(info.parts, "part"));
  text += format("<dt>Seed</dt><dd>{}</dd>\n", info.seed);
  if (data.totals.seconds > 0) {
    text += format("<dt>Refract's own time</dt><dd>{:.1f} % of the tests' time</dd>\n",
                   100 * data.totals.own_seconds / data.totals.seconds);
  }
  if (data.coverage) {
    text += format("<dt>Coverage</dt><dd>{} of {} lines, {} new in the last of {}</dd>\n",
                   data.coverage->lines, data.coverage->all_lines, data.coverage->new_lines,
                   Counted(data.coverage->rounds, "round"));
  }
  text += format("<dt>Made by</dt><dd>refract {} ({})</dd>\n</dl>\n", EscapeHtml(info.tool),
                 EscapeHtml(info.commit));
  return text;
}

std::string Targets(const ReportData& data) {
  std::string cards;
  for (const CampaignTarget& target : data.targets) {
    std::string verdicts;
    uint64_t tests = 0;
    double seconds = 0;
    for (const VerdictCount& count : data.verdicts) {
      if (count.target != target.name) continue;
      verdicts +=
          format("<dt>{}</dt><dd>{}</dd>\n", EscapeHtml(TextOf(count.verdict)), count.count);
      tests += count.count;
      seconds += count.seconds;
    }
    if (tests == 0 && target.kind.empty()) continue;
    const std::string rate =
        seconds > 0 ? format("{:.1f} tests a second", static_cast<double>(tests) / seconds) : "";
    cards += format(
        "<section class=\"card\"><h3>{}</h3>\n<p class=\"soft\">{}</p>\n<p>{}</p>\n<dl>\n{}"
        "</dl></section>\n",
        EscapeHtml(target.name), EscapeHtml(target.version), rate, verdicts);
  }
  return format("<h2>Targets</h2>\n<div class=\"cards\">\n{}</div>\n", cards);
}

// The list of tests to look at first: one test of each bug, as far as dedup can tell. It is short
// enough to be read before anything else.
std::string LookFirst(const ReportData& data, const std::vector<const Bucket*>& findings) {
  std::string items;
  size_t count = 0;
  for (const Bucket* bucket : findings) {
    if (!IsRecommended(data, *bucket)) continue;
    if (++count > kMaxFirst) continue;
    items +=
        format("<li><a href=\"{}\">{}</a></li>\n", BucketPageName(*bucket),
               EscapeHtml(bucket->sub.empty() ? bucket->signature
                                              : format("{} ({})", bucket->signature, bucket->sub)));
  }
  if (items.empty() || count == findings.size()) return {};
  return format(
      "<h2 id=\"first\">Look first</h2>\n<p class=\"soft\">One test of each bug, as far as dedup "
      "can tell: {} of {}.</p>\n<ol>\n{}</ol>\n",
      count, Counted(findings.size(), "bucket"), items);
}

std::string Folded(const BucketLists& lists, std::string_view title, std::string_view what,
                   const std::vector<const Bucket*>& buckets) {
  if (buckets.empty()) return {};
  return format(
      "<details class=\"group\"><summary>{}: {}</summary>\n<p "
      "class=\"soft\">{}</p>\n{}</details>\n",
      title, buckets.size(), what, lists.List(buckets, kMaxFolded));
}

std::string UnusedReferences(const ReportData& data) {
  if (data.unused_references.empty()) return {};
  std::string items;
  for (size_t i = 0; i < std::min(data.unused_references.size(), kMaxBaselines); ++i) {
    const CampaignReference& reference = data.unused_references[i];
    items +=
        format("<li>{}{}: <pre>{}</pre></li>\n", Badge("", TextOf(reference.stability)),
               EscapeHtml(reference.name), EscapeHtml(Shortened(reference.detail, kMaxUnusedText)));
  }
  return format(
      "<details><summary>References that no test uses: {}</summary>\n"
      "<p class=\"soft\">They cannot be loaded, they lack inputs, or the interpreter finds "
      "undefined behaviour.</p>\n<ul class=\"plain\">\n{}</ul>\n</details>\n",
      data.unused_references.size(), items);
}

std::string Baselines(const ReportData& data) {
  if (data.baselines.empty()) return {};
  std::string items;
  for (size_t i = 0; i < std::min(data.baselines.size(), kMaxBaselines); ++i) {
    const Baseline& baseline = data.baselines[i];
    items += format("<li>{}{} on {}: {}</li>\n", Badge("", TextOf(baseline.state)),
                    EscapeHtml(baseline.reference), EscapeHtml(baseline.target),
                    EscapeHtml(baseline.detail));
  }
  return format(
      "<details><summary>References that are not ok on a target: {}</summary>\n"
      "<p class=\"soft\">If the output of a reference differs or varies on a target, outputs of "
      "its variants are not compared there. If a reference fails or is unsupported, its variants "
      "do not run there.</p>\n<ul class=\"plain\">\n{}</ul>\n</details>\n",
      data.baselines.size(), items);
}

}  // namespace

std::string ReportIndex(const ReportData& data) {
  std::map<ReportGroup, std::vector<const Bucket*>> groups;
  for (const Bucket& bucket : data.buckets) groups[GroupOf(bucket)].push_back(&bucket);
  const std::vector<const Bucket*>& found = groups[ReportGroup::kFinding];
  const std::vector<const Bucket*>& own = groups[ReportGroup::kOwn];

  const BucketLists lists(data);
  std::string body = format("<header><h1>Campaign: {} to investigate</h1>\n{}</header>\n<main>\n",
                            Counted(found.size(), "bucket"), Summary(data));
  body += LookFirst(data, found) + ReportCharts(data);
  body += format(
      "<h2 id=\"findings\">Findings, in the order in which they were first seen</h2>\n{}"
      "<div class=\"group\">\n{}</div>\n",
      lists.Filter(),
      found.empty() ? "<p>Nothing new was found.</p>\n" : lists.List(found, kMaxFindings));
  if (!own.empty()) {
    body += format(
        "<section class=\"group\"><h2 id=\"own\">Refract's own errors: {}</h2>\n"
        "<p class=\"soft\">These are bugs of Refract, not of a target. Please report them.</p>\n{}"
        "</section>\n",
        own.size(), lists.List(own, kMaxFolded));
  }
  body += "<h2>Known, muted and ignored</h2>\n";
  const std::string folded =
      Folded(lists, "Known issues", "Buckets that match a known issue.",
             groups[ReportGroup::kKnown]) +
      Folded(lists, "Muted", "Buckets whose folder has a file NOT_INTERESTING.",
             groups[ReportGroup::kMuted]) +
      Folded(lists, "Counted only",
             "Unsupported, slow, out of memory, or target not usable: never reported as bugs.",
             groups[ReportGroup::kCounted]) +
      UnusedReferences(data) + Baselines(data);
  body += folded.empty() ? "<p class=\"soft\">There are no known, muted or ignored buckets.</p>\n"
                         : folded;
  body += Targets(data);
  return ReportPage(format("Campaign: {}", Counted(found.size(), "bucket")), body + "</main>\n",
                    kFilterScript);
}

}  // namespace campaign
}  // namespace refract
