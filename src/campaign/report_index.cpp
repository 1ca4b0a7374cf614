// SPDX-License-Identifier: Apache-2.0
// The first page of the report: what is new, by when it was first seen; then what need not be
// looked at, folded.
#include <algorithm>
#include <map>
#include <vector>

#include "base/counted.h"
#include "base/text.h"
#include "campaign/html.h"
#include "campaign/report_page.h"

namespace refract::inline campaign {
namespace {

// So the page stays under a megabyte, however much was found.
constexpr size_t kMostFindings = 500;
constexpr size_t kMostFirst = 50;
constexpr size_t kMostFolded = 200;
constexpr size_t kMostBaselines = 200;
constexpr size_t kBars = 60;

std::string Summary(const ReportData& data) {
  const CampaignInfo& info = data.info;
  const double rate = info.seconds > 0 ? static_cast<double>(data.totals.tests) / info.seconds : 0;
  std::string text = "<dl>\n";
  text += format("<dt>Tests</dt><dd>{} in {} ({:.1f} a second), {}</dd>\n", data.totals.tests,
                 DurationText(info.seconds), rate, Counted(info.parts, "part"));
  text += format("<dt>Seed</dt><dd>{}</dd>\n", info.seed);
  if (data.totals.seconds > 0) {
    text += format("<dt>Own share</dt><dd>{:.1f} % of the tests' time</dd>\n",
                   100 * data.totals.own_seconds / data.totals.seconds);
  }
  text += format("<dt>Made by</dt><dd>refract {} ({})</dd>\n</dl>\n", Html(info.tool),
                 Html(info.commit));
  return text;
}

// New findings over the campaign's time, a bar for each 60th of it.
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
      "<h2>New buckets over time</h2>\n{}</svg>\n<p class=\"soft\">{} bars of {} each; the last "
      "new bucket came after {}.</p>\n",
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
      verdicts += format("<dt>{}</dt><dd>{}</dd>\n", Html(count.verdict), count.count);
      tests += count.count;
      seconds += count.seconds;
    }
    if (tests == 0 && target.kind.empty()) continue;
    const std::string rate =
        seconds > 0 ? format("{:.1f} tests a second", static_cast<double>(tests) / seconds) : "";
    cards += format(
        "<section class=\"card\"><h3>{}</h3>\n<p class=\"soft\">{}</p>\n<p>{}</p>\n<dl>\n{}"
        "</dl></section>\n",
        Html(target.name), Html(target.version), rate, verdicts);
  }
  return format("<h2>Targets</h2>\n<div class=\"cards\">\n{}</div>\n", cards);
}

// How far a kept test is.
std::string Progress(const KeptTest& kept) {
  if (kept.state == "found") return "; not run again yet";
  if (kept.state == "not_repeated") return format("; not seen again in {} runs", kept.runs);
  std::string text = format("; {} of {} runs", kept.confirmed, kept.runs);
  if (kept.state == "reduced" || kept.state == "ended") {
    text += format("; reduced to {}, {}", Counted(kept.reduced_steps, "step"),
                   Counted(kept.instructions, "instruction"));
  } else {
    text += kept.state == "failed" ? "; cannot be reduced" : "; not reduced yet";
  }
  return text;
}

std::string Entry(const ReportData& data, const Bucket& bucket) {
  std::string text =
      format("<li><a href=\"{}\">{}</a>", BucketPageName(bucket), Html(bucket.signature));
  if (!bucket.sub.empty()) text += format("<br><span class=\"soft\">{}</span>", Html(bucket.sub));
  text += "<br>" + Badges(bucket);
  if (IsRecommended(data, bucket)) text += Badge("", "look first");
  text += format("<span class=\"soft\">{}, first after {} (test {})", CountText(data, bucket),
                 DurationText(bucket.first_seen), bucket.first_test);
  if (const KeptTest* best = BestKept(data, bucket); best != nullptr) {
    text += Progress(*best);
    if (!best->blame.empty()) text += format("<br>Blame: {}", Html(best->blame));
  }
  return text + "</span></li>\n";
}

// One of each bug, as far as dedup can tell: short enough to be read before anything else.
std::string LookFirst(const ReportData& data, const std::vector<const Bucket*>& findings) {
  std::string items;
  size_t count = 0;
  for (const Bucket* bucket : findings) {
    if (!IsRecommended(data, *bucket)) continue;
    if (++count > kMostFirst) continue;
    items += format("<li><a href=\"{}\">{}</a></li>\n", BucketPageName(*bucket),
                    Html(bucket->sub.empty() ? bucket->signature
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
    text += format("<p>{} more have pages beside this one.</p>\n", buckets.size() - most);
  }
  return text;
}

std::string Folded(const ReportData& data, std::string_view title, std::string_view what,
                   const std::vector<const Bucket*>& buckets) {
  if (buckets.empty()) return {};
  return format("<details><summary>{}: {}</summary>\n<p class=\"soft\">{}</p>\n{}</details>\n",
                title, buckets.size(), what, List(data, buckets, kMostFolded));
}

std::string Baselines(const ReportData& data) {
  if (data.baselines.empty()) return {};
  std::string items;
  for (size_t i = 0; i < std::min(data.baselines.size(), kMostBaselines); ++i) {
    const Baseline& baseline = data.baselines[i];
    items += format("<li>{}{} on {}: {}</li>\n", Badge("", baseline.state),
                    Html(baseline.reference), Html(baseline.target), Html(baseline.detail));
  }
  return format(
      "<details><summary>References that differ before any change: {}</summary>\n<p class=\"soft\">"
      "What their variants leave there is not compared; crashes and the like are reported all the "
      "same.</p>\n<ul class=\"plain\">\n{}</ul>\n</details>\n",
      data.baselines.size(), items);
}

}  // namespace

std::string ReportIndex(const ReportData& data) {
  std::map<ReportGroup, std::vector<const Bucket*>> groups;
  for (const Bucket& bucket : data.buckets) groups[GroupOf(bucket)].push_back(&bucket);
  const std::vector<const Bucket*>& found = groups[ReportGroup::kFinding];
  const std::vector<const Bucket*>& own = groups[ReportGroup::kOwn];

  std::string body = format("<header><h1>Campaign: {} to look at</h1>\n{}</header>\n<main>\n",
                            Counted(found.size(), "bucket"), Summary(data));
  body += LookFirst(data, found);
  body += Sparkline(data);
  body += "<h2 id=\"findings\">Findings, by when they were first seen</h2>\n";
  body += found.empty() ? "<p>Nothing new was found.</p>\n" : List(data, found, kMostFindings);
  if (!own.empty()) {
    body += format(
        "<h2 id=\"own\">Refract's own errors: {}</h2>\n<p class=\"soft\">Faults of this tool, not "
        "of a target: please report them.</p>\n{}",
        own.size(), List(data, own, kMostFolded));
  }
  body += Targets(data);
  body += "<h2>Not to be looked at</h2>\n";
  const std::string folded =
      Folded(data, "Known issues", "Named by the campaign's file of known issues.",
             groups[ReportGroup::kKnown]) +
      Folded(data, "Muted", "Their folders hold a file NOT_INTERESTING.",
             groups[ReportGroup::kMuted]) +
      Folded(data, "Counted only", "Unsupported, slow or out of memory: never reported as bugs.",
             groups[ReportGroup::kCounted]) +
      Baselines(data);
  body += folded.empty() ? "<p class=\"soft\">Nothing is known, muted or merely counted.</p>\n"
                         : folded;
  return ReportPage(format("Campaign: {}", Counted(found.size(), "bucket")), body + "</main>\n");
}

}  // namespace refract::inline campaign
