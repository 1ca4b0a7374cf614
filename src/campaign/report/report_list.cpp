// SPDX-License-Identifier: Apache-2.0
#include "campaign/report/report_list.h"

#include <algorithm>
#include <set>

#include "base/counted.h"
#include "base/escape_html.h"
#include "base/text.h"
#include "campaign/original_tests.h"
#include "campaign/report/html.h"
#include "campaign/report/report_page.h"

namespace refract {
inline namespace campaign {
namespace {

constexpr size_t kMaxNamed = 4;  // targets in an entry

// The value of the attribute data-state, and its name in the controls.
struct StateName {
  ReportGroup group;
  std::string_view value, name;
};
constexpr StateName kStates[] = {
    {ReportGroup::kFinding, "open", "open"},
    {ReportGroup::kOwn, "own", "Refract's own error"},
    {ReportGroup::kKnown, "known", "known"},
    {ReportGroup::kMuted, "muted", "muted"},
    {ReportGroup::kCounted, "counted", "counted only"},
};

std::string_view StateValue(const Bucket& bucket) {
  const ReportGroup group = GroupOf(bucket);
  return std::find_if(std::begin(kStates), std::end(kStates),
                      [&](const StateName& state) { return state.group == group; })
      ->value;
}

// The state of a kept test as text.
std::string Progress(const KeptTest& kept) {
  if (kept.state == KeptState::kFound) return "; not run again yet";
  if (kept.state == KeptState::kNotRepeated) {
    return format("; not reproduced in {} runs", kept.runs);
  }
  std::string text = format("; reproduced in {} of {} runs", kept.confirmed, kept.runs);
  if (IsOriginalTest(kept.test)) {
    if (!kept.detail.empty()) text += format("; {}", EscapeHtml(kept.detail));
  } else if (HasReduction(kept.state)) {
    text += format("; reduced to {}, {}", Counted(kept.reduced_steps, "step"),
                   Counted(kept.instructions, "instruction"));
  } else {
    text += kept.state == KeptState::kFailed ? "; cannot be reduced" : "; not reduced yet";
  }
  return text;
}

// "; seen on a, b and 3 more targets", unless the badge of the stage says it.
std::string SeenOn(const Bucket& bucket, const std::vector<std::string>& targets) {
  if (targets.empty() || (targets.size() == 1 && targets[0] == bucket.stage)) return {};
  std::string names;
  for (size_t i = 0; i < std::min(targets.size(), kMaxNamed); ++i) {
    names += format("{}{}", i == 0 ? "" : ", ", targets[i]);
  }
  if (targets.size() > kMaxNamed) {
    names += format(" and {}", Counted(targets.size() - kMaxNamed, "more target"));
  }
  return "; seen on " + EscapeHtml(names);
}

std::string Option(std::string_view value, std::string_view name) {
  return format("<option value=\"{}\">{}</option>\n", EscapeHtml(value), EscapeHtml(name));
}

std::string Choice(std::string_view id, std::string_view label, const std::string& options) {
  return format(
      "<label>{}<select id=\"filter-{}\">\n<option value=\"\">all</option>\n{}</select></label>\n",
      label, id, options);
}

}  // namespace

BucketLists::BucketLists(const ReportData& data) : data_(data) {
  for (const CampaignTarget& target : data.targets) AddTarget(target.name);
  for (const Bucket& bucket : data.buckets) {
    for (const std::string& target : TargetsOf(data, bucket)) AddTarget(target);
  }
}

void BucketLists::AddTarget(const std::string& name) {
  if (target_numbers_.emplace(name, targets_.size()).second) targets_.push_back(name);
}

std::string BucketLists::Entry(const Bucket& bucket) const {
  const std::vector<std::string> targets = TargetsOf(data_, bucket);
  std::string numbers;
  for (const std::string& target : targets) {
    numbers += format("{}{}", numbers.empty() ? "" : " ", target_numbers_.at(target));
  }
  std::string text =
      format("<li data-on=\"{}\" data-failure=\"{}\" data-state=\"{}\"><a href=\"{}\">{}</a>",
             numbers, TextOf(bucket.verdict), StateValue(bucket), BucketPageName(bucket),
             EscapeHtml(bucket.signature));
  if (!bucket.sub.empty()) {
    text += format("<br><span class=\"soft\">{}</span>", EscapeHtml(bucket.sub));
  }
  text += "<br>" + Badges(bucket);
  if (IsRecommended(data_, bucket)) text += Badge("", "look first");
  text += format("<span class=\"soft\">{}, first seen after {} ({})", CountText(data_, bucket),
                 DurationText(bucket.first_seen), FirstTestText(bucket));
  const KeptTest* best = BestKept(data_, bucket);
  if (best != nullptr) text += Progress(*best);
  text += SeenOn(bucket, targets);
  if (best != nullptr && !best->blame.empty()) {
    text += format("<br>Blame: {}", EscapeHtml(best->blame));
  }
  return text + "</span></li>\n";
}

std::string BucketLists::List(const std::vector<const Bucket*>& buckets, size_t most) const {
  std::string items;
  for (size_t i = 0; i < std::min(buckets.size(), most); ++i) items += Entry(*buckets[i]);
  std::string text = format("<ol class=\"buckets\">\n{}</ol>\n", items);
  if (buckets.size() > most) {
    text += format("<p>{} more buckets have pages in this folder.</p>\n", buckets.size() - most);
  }
  return text;
}

std::string BucketLists::Filter() const {
  std::set<std::string_view> failures, states;
  std::set<std::string> seen;
  for (const Bucket& bucket : data_.buckets) {
    failures.insert(TextOf(bucket.verdict));
    states.insert(StateValue(bucket));
    for (std::string& target : TargetsOf(data_, bucket)) seen.insert(std::move(target));
  }
  if (data_.buckets.size() < 2) return {};
  std::string target_options, failure_options, state_options;
  for (size_t i = 0; i < targets_.size(); ++i) {
    if (seen.contains(targets_[i])) target_options += Option(format("{}", i), targets_[i]);
  }
  for (const std::string_view failure : failures) failure_options += Option(failure, failure);
  for (const StateName& state : kStates) {
    if (states.contains(state.value)) state_options += Option(state.value, state.name);
  }
  return format(
      "<div id=\"filter\" role=\"search\" hidden>\n<div class=\"controls\">\n"
      "<label>Search<input id=\"filter-text\" type=\"search\" placeholder=\"text of the "
      "entry\"></label>\n{}{}{}</div>\n<p><span id=\"filter-count\" role=\"status\"></span> "
      "<button id=\"filter-all\" type=\"button\" hidden>Show all</button></p>\n</div>\n",
      Choice("target", "Target", target_options), Choice("failure", "Failure", failure_options),
      Choice("state", "State", state_options));
}

}  // namespace campaign
}  // namespace refract
