// SPDX-License-Identifier: Apache-2.0
#include "campaign/report/report_page.h"

#include <algorithm>
#include <tuple>

#include "base/counted.h"
#include "base/escape_html.h"
#include "base/text.h"
#include "campaign/original_tests.h"
#include "campaign/report/html.h"

namespace refract {
inline namespace campaign {
namespace {

// A single column that wraps. Nothing is wider than the window; long lines of logs scroll in their
// own box. Colours have a contrast of at least 4.5 to 1 in both colour schemes.
constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--page:#fff;--text:#1c1e21;--soft:#595f69;--line:#d5d9df;--box:#f4f5f7;
--link:#0b57c2;--bad:#a3130f;--bad-box:#fde8e6;--warn:#7a4a00;--warn-box:#fdf0d5;--cool:#1d4f91;
--cool-box:#e4eefb;--plus:#10632b;--minus:#a3130f}
@media(prefers-color-scheme:dark){:root{--page:#15171a;--text:#e6e8eb;--soft:#a3aab4;--line:#363b43;
--box:#1f2226;--link:#8ab8ff;--bad:#ffb3ac;--bad-box:#4a1a17;--warn:#ffd58a;--warn-box:#45310c;
--cool:#b3d1ff;--cool-box:#17304f;--plus:#8fdba6;--minus:#ffb3ac}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:70rem;background:var(--page);color:var(--text);
font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}
h2{font-size:1.2rem;margin:2rem 0 .5rem}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,pre:focus-visible{outline:3px solid var(--link);outline-offset:2px}
p{margin:.5rem 0}
.soft{color:var(--soft)}
code,pre{font:.875rem/1.45 ui-monospace,monospace}
pre{overflow-x:auto;overflow-wrap:normal;max-width:100%;max-height:32rem;padding:.75rem;margin:.5rem 0;background:var(--box);
border:1px solid var(--line);border-radius:.4rem;white-space:pre}
pre.command{white-space:pre-wrap;overflow-wrap:anywhere}
pre ins,pre del{text-decoration:none}
pre ins{color:var(--plus)}
pre del{color:var(--minus)}
dl{display:grid;grid-template-columns:minmax(6rem,max-content) minmax(0,1fr);gap:.15rem 1rem;margin:.5rem 0}
dt{color:var(--soft)}
dd{margin:0}
ol.buckets,ul.plain{list-style:none;margin:.5rem 0;padding:0}
ol.buckets>li{border-top:1px solid var(--line);padding:.6rem 0}
ol.buckets>li:last-child{border-bottom:1px solid var(--line)}
.badge{display:inline-block;margin-right:.35rem;padding:0 .45rem;border-radius:.3rem;font-size:.8125rem;
background:var(--box);color:var(--text)}
.badge.bad{background:var(--bad-box);color:var(--bad)}
.badge.warn{background:var(--warn-box);color:var(--warn)}
.badge.cool{background:var(--cool-box);color:var(--cool)}
.images{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(15rem,100%),1fr));gap:1rem}
.compare+.images{grid-template-columns:repeat(auto-fit,minmax(6rem,1fr))}
figure{margin:0}
img{display:block;width:100%;max-width:24rem;height:auto;image-rendering:pixelated;
background:repeating-conic-gradient(var(--line) 0 25%,var(--page) 0 50%) 0 0/1rem 1rem;
border:1px solid var(--line)}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(19rem,100%),1fr));gap:1.25rem}
.chart{display:block;width:100%;max-width:30rem;height:auto;margin-top:.25rem;overflow:visible}
.chart text{font:12px system-ui,sans-serif;fill:var(--soft)}
.chart .end{text-anchor:end}
.chart .middle{text-anchor:middle}
.chart path{fill:none;stroke:var(--line)}
.chart .axis{stroke:var(--soft)}
.chart .curve{stroke:var(--link);stroke-width:2;stroke-linejoin:round}
.chart .area{fill:var(--link);fill-opacity:.12;stroke:none}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;overflow-wrap:normal}
td{white-space:nowrap}
th,td{padding:.2rem 0 .2rem .75rem;text-align:right;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:400;vertical-align:bottom}
.controls{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.5rem 1rem;
padding:.75rem;margin:.75rem 0;background:var(--box);border:1px solid var(--line);border-radius:.4rem}
.controls label{color:var(--soft);font-size:.875rem}
#filter p{min-height:2.25rem}
input[type=search],select,button{display:block;width:100%;padding:.3rem .5rem;font:1rem/1.4 system-ui,sans-serif;
color:var(--text);background:var(--page);border:1px solid var(--soft);border-radius:.3rem}
button{display:inline-block;width:auto}
input:focus-visible,select:focus-visible,button:focus-visible{outline:3px solid var(--link);outline-offset:1px}
.compare{max-width:32rem;margin-bottom:1rem}
.stack{position:relative;overflow:hidden;border:1px solid var(--line)}
.stack img{max-width:none;border:0}
.stack .actual{width:100%;position:absolute;top:0;left:0;height:100%;clip-path:inset(0 0 0 var(--cut,50%))}
.stack::after{content:"";position:absolute;top:0;bottom:0;left:calc(var(--cut,50%) - 1px);width:2px;
background:#fff;box-shadow:0 0 0 1px #000;pointer-events:none}
.stack input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;cursor:ew-resize;
touch-action:pan-y}
.stack:focus-within{outline:3px solid var(--link);outline-offset:2px}
.sides{display:flex;justify-content:space-between}
#blink:checked~.stack .actual{width:100%;clip-path:none;animation:blink 1s steps(1) infinite}
#blink:checked~.stack::after{display:none}
@keyframes blink{50%{opacity:0}}
[hidden]{display:none!important}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(18rem,100%),1fr));gap:1rem}
.card{border:1px solid var(--line);border-radius:.4rem;padding:.75rem}
.card h3{margin:0;font-size:1rem}
details{margin:.75rem 0}
summary{cursor:pointer;font-weight:600}
)css";

// The class of the style sheet for the badge of a verdict.
std::string_view BadgeClass(FailureClass verdict) {
  switch (verdict) {
    case FailureClass::kWrongImage:
    case FailureClass::kWrongBuffer:
    case FailureClass::kNonDeterministic:
      return "cool";
    case FailureClass::kRejected:
    case FailureClass::kInvalidOutput:
    case FailureClass::kHang:
      return "warn";
    default:
      return "bad";
  }
}

}  // namespace

std::string ReportPage(std::string_view title, std::string_view body, const PageScript& script) {
  // The policy allows only this script, whatever text a page contains. Images come from the test
  // folders.
  return format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src '{}'; style-src 'unsafe-inline'; img-src * data:\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}<script>{}</script>\n</body>\n"
      "</html>\n",
      script.hash, EscapeHtml(title), kStyle, body, script.text);
}

std::string Badge(std::string_view kind, std::string_view text) {
  return format("<span class=\"badge {}\">{}</span>", kind, EscapeHtml(text));
}

std::string Badges(const Bucket& bucket) {
  std::string badges = Badge(BadgeClass(bucket.verdict), TextOf(bucket.verdict));
  badges += Badge("", bucket.stage);
  if (!bucket.known.empty()) badges += Badge("", format("known: {}", bucket.known));
  if (bucket.muted) badges += Badge("", "muted");
  return badges;
}

std::string CountText(const ReportData& data, const Bucket& bucket) {
  if (bucket.sub.empty()) return Counted(bucket.count, "test");
  uint64_t failed = 0;
  for (const Bucket& other : RelativesOf(data, bucket)) failed += other.count;
  return format("{} of {} tests {} reduced to this bucket", bucket.count,
                std::max(failed, bucket.count), bucket.count == 1 ? "was" : "were");
}

std::vector<Bucket> RelativesOf(const ReportData& data, const Bucket& bucket) {
  const auto is_parent = [&](const Bucket& parent, const Bucket& sub) {
    const auto parents = data.parents.find(sub.id);
    return parents != data.parents.end() && parents->second.contains(parent.id);
  };
  std::vector<Bucket> relatives;
  for (const std::vector<Bucket>* buckets : {&data.buckets, &data.replaced}) {
    for (const Bucket& other : *buckets) {
      if (is_parent(other, bucket) || is_parent(bucket, other)) relatives.push_back(other);
    }
  }
  return relatives;
}

std::string FirstTestText(const Bucket& bucket) {
  return IsOriginalTest(bucket.first_test) ? "an unchanged reference"
                                           : format("test {}", bucket.first_test);
}

ReportGroup GroupOf(const Bucket& bucket) {
  if (bucket.muted) return ReportGroup::kMuted;
  if (bucket.own) return ReportGroup::kOwn;
  if (bucket.counted_only) return ReportGroup::kCounted;
  return bucket.known.empty() ? ReportGroup::kFinding : ReportGroup::kKnown;
}

std::span<const BucketTargetCount> TargetCountsOf(const ReportData& data, const Bucket& bucket) {
  const auto [first, last] = std::equal_range(
      data.bucket_target_counts.begin(), data.bucket_target_counts.end(),
      BucketTargetCount{bucket.id, {}, 0},
      [](const BucketTargetCount& a, const BucketTargetCount& b) { return a.bucket < b.bucket; });
  return {first, last};
}

std::vector<std::string> TargetsOf(const ReportData& data, const Bucket& bucket) {
  std::vector<std::string> targets;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(targets.begin(), targets.end(), name) == targets.end()) {
      targets.push_back(name);
    }
  };
  for (const BucketTargetCount& seen : TargetCountsOf(data, bucket)) add(seen.target);
  size_t begin = 0;
  const size_t end = KeptOf(data, bucket, &begin);
  for (size_t i = begin; i < end; ++i) add(data.kept[i].target);
  return targets;
}

size_t KeptOf(const ReportData& data, const Bucket& bucket, size_t* begin) {
  const auto by_bucket = [](const KeptTest& kept, int64_t id) { return kept.bucket < id; };
  const auto first = std::lower_bound(data.kept.begin(), data.kept.end(), bucket.id, by_bucket);
  const auto last = std::lower_bound(first, data.kept.end(), bucket.id + 1, by_bucket);
  *begin = static_cast<size_t>(first - data.kept.begin());
  return static_cast<size_t>(last - data.kept.begin());
}

bool IsRecommended(const ReportData& data, const Bucket& bucket) {
  size_t begin = 0;
  const size_t end = KeptOf(data, bucket, &begin);
  return std::any_of(data.kept.begin() + static_cast<std::ptrdiff_t>(begin),
                     data.kept.begin() + static_cast<std::ptrdiff_t>(end),
                     [](const KeptTest& kept) { return kept.recommended; });
}

const KeptTest* BestKept(const ReportData& data, const Bucket& bucket) {
  size_t begin = 0;
  const size_t end = KeptOf(data, bucket, &begin);
  const auto rank = [](const KeptTest& kept) {
    return std::tuple(!kept.recommended, kept.state != KeptState::kReduced, kept.confirmed == 0,
                      kept.instructions, kept.test);
  };
  const KeptTest* best = nullptr;
  for (size_t i = begin; i < end; ++i) {
    const KeptTest& kept = data.kept[i];
    if (!kept.folder.empty() && (best == nullptr || rank(kept) < rank(*best))) best = &kept;
  }
  return best;
}

}  // namespace campaign
}  // namespace refract
