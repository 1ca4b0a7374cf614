// SPDX-License-Identifier: Apache-2.0
// The index page of the report: findings in the order in which they were first seen, then collapsed
// sections that need not be read.
#include <algorithm>
#include <map>
#include <vector>

#include "base/counted.h"
#include "base/text.h"
#include "campaign/report/html.h"
#include "campaign/report/report_page.h"

namespace refract {
inline namespace campaign {
namespace {

// Limits that keep the page under a megabyte, however much was found.
constexpr size_t kMaxFindings = 500;
constexpr size_t kMaxFirst = 50;
constexpr size_t kMaxFolded = 200;
constexpr size_t kMaxBaselines = 200;
constexpr size_t kBars = 60;

std::string Summary(const ReportData& data) {
  const CampaignInfo& info = data.info;
  const double rate = info.seconds > 0 ? static_cast<double>(data.totals.tests) / info.seconds : 0;
  std::string text = "<dl>\n";
  text += format("<dt>Tests</dt><dd>{} in {} ({:.1f} a second), {}</dd>\n", data.totals.tests,
                 DurationText(info.seconds), rate, Counted(info.parts, "part"));
  text += format("<dt>Seed</dt><dd>{}</dd>\n", info.seed);
  if (data.totals.seconds > 0) {
    text += format("<dt>Refract's own time</dt><dd>{:.1f} % of the tests' time</dd>\n",
                   100 * data.totals.own_seconds / data.totals.seconds);
  }
  text += format("<dt>Made by</dt><dd>refract {} ({})</dd>\n</dl>\n", EscapeHtml(info.tool),
                 EscapeHtml(info.commit));
  return text;
}

// A chart of the new findings over the time of the campaign, with a bar for each 60th of it.
std::string Sparkline(const ReportData& data) {
  const double end = std::max(data.info.seconds, 1.0);
  std::vector<uint64_t> bars(kBars, 0);
  uint64_t total = 0;
  for (const Bucket& bucket : data.buckets) {
    if (GroupOf(bucket) != ReportGroup::kFinding) continue;
    const double place = std::clamp(bucket.first_seen / end, 0.0, 1.0);
    ++bars[std::min(static_cast<size_t>(place * kBars), kBars - 1)];
    ++total;
  }
  if (total == 0) return {};
  const uint64_t most = std::max<uint64_t>(*std::max_element(bars.begin(), bars.end()), 1);
  std::string svg = format(
      "<svg viewBox=\"0 0 600 64\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"New "
      "buckets over time: {} in {}, at most {} in a bar\">\n"
      "<path d=\"M0 63.5H600\" stroke=\"currentColor\" stroke-opacity=\".4\"/>\n",
      total, DurationText(data.info.seconds), most);
  for (size_t i = 0; i < kBars; ++i) {
    if (bars[i] == 0) continue;
    const double height = 60.0 * static_cast<double>(bars[i]) / static_cast<double>(most);
    svg += format(
        "<rect x=\"{}\" y=\"{:.1f}\" width=\"8\" height=\"{:.1f}\" fill=\"currentColor\">"
        "<title>{}: {}</title></rect>\n",
        10 * i + 1, 63 - height, height, DurationText(end * static_cast<double>(i) / kBars),
        bars[i]);
  }
  return format(
      "<h2>New buckets over time</h2>\n{}</svg>\n<p class=\"soft\">{} bars of {} each. The last "
      "new bucket was found after {}.</p>\n",
      svg, kBars, DurationText(end / kBars), DurationText(data.totals.last_new_bucket));
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

// The state of a kept test as text.
std::string Progress(const KeptTest& kept) {
  if (kept.state == KeptState::kFound) return "; not run again yet";
  if (kept.state == KeptState::kNotRepeated) {
    return format("; not reproduced in {} runs", kept.runs);
  }
  std::string text = format("; reproduced in {} of {} runs", kept.confirmed, kept.runs);
  if (HasReduction(kept.state)) {
    text += format("; reduced to {}, {}", Counted(kept.reduced_steps, "step"),
                   Counted(kept.instructions, "instruction"));
  } else {
    text += kept.state == KeptState::kFailed ? "; cannot be reduced" : "; not reduced yet";
  }
  return text;
}

std::string Entry(const ReportData& data, const Bucket& bucket) {
  std::string text =
      format("<li><a href=\"{}\">{}</a>", BucketPageName(bucket), EscapeHtml(bucket.signature));
  if (!bucket.sub.empty()) {
    text += format("<br><span class=\"soft\">{}</span>", EscapeHtml(bucket.sub));
  }
  text += "<br>" + Badges(bucket);
  if (IsRecommended(data, bucket)) text += Badge("", "look first");
  text += format("<span class=\"soft\">{}, first seen after {} (test {})", CountText(data, bucket),
                 DurationText(bucket.first_seen), bucket.first_test);
  if (const KeptTest* best = BestKept(data, bucket); best != nullptr) {
    text += Progress(*best);
    if (!best->blame.empty()) text += format("<br>Blame: {}", EscapeHtml(best->blame));
  }
  return text + "</span></li>\n";
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

std::string List(const ReportData& data, const std::vector<const Bucket*>& buckets, size_t most) {
  std::string items;
  for (size_t i = 0; i < std::min(buckets.size(), most); ++i) items += Entry(data, *buckets[i]);
  std::string text = format("<ol class=\"buckets\">\n{}</ol>\n", items);
  if (buckets.size() > most) {
    text += format("<p>{} more buckets have pages in this folder.</p>\n", buckets.size() - most);
  }
  return text;
}

std::string Folded(const ReportData& data, std::string_view title, std::string_view what,
                   const std::vector<const Bucket*>& buckets) {
  if (buckets.empty()) return {};
  return format("<details><summary>{}: {}</summary>\n<p class=\"soft\">{}</p>\n{}</details>\n",
                title, buckets.size(), what, List(data, buckets, kMaxFolded));
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

  std::string body = format("<header><h1>Campaign: {} to investigate</h1>\n{}</header>\n<main>\n",
                            Counted(found.size(), "bucket"), Summary(data));
  body += LookFirst(data, found);
  body += Sparkline(data);
  body += "<h2 id=\"findings\">Findings, in the order in which they were first seen</h2>\n";
  body += found.empty() ? "<p>Nothing new was found.</p>\n" : List(data, found, kMaxFindings);
  if (!own.empty()) {
    body += format(
        "<h2 id=\"own\">Refract's own errors: {}</h2>\n"
        "<p class=\"soft\">These are bugs of Refract, not of a target. Please report them.</p>\n{}",
        own.size(), List(data, own, kMaxFolded));
  }
  body += Targets(data);
  body += "<h2>Known, muted and ignored</h2>\n";
  const std::string folded =
      Folded(data, "Known issues", "Buckets that match a known issue.",
             groups[ReportGroup::kKnown]) +
      Folded(data, "Muted", "Buckets whose folder has a file NOT_INTERESTING.",
             groups[ReportGroup::kMuted]) +
      Folded(data, "Counted only",
             "Unsupported, slow, out of memory, or target not usable: never reported as bugs.",
             groups[ReportGroup::kCounted]) +
      Baselines(data);
  body += folded.empty() ? "<p class=\"soft\">There are no known, muted or ignored buckets.</p>\n"
                         : folded;
  return ReportPage(format("Campaign: {}", Counted(found.size(), "bucket")), body + "</main>\n");
}

}  // namespace campaign
}  // namespace refract
