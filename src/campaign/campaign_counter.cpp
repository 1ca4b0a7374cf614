// SPDX-License-Identifier: Apache-2.0
#include "campaign/campaign_counter.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "campaign/replaced_buckets.h"
#include "signature/signature.h"
#include "transform/registry.h"

namespace refract {
inline namespace campaign {
namespace {

constexpr double kReadSeconds = 1;
constexpr double kMinute = 60;
constexpr size_t kEvents = 20;  // as many as any screen shows

// Adds `count` outcomes of a target.
void AddOutcomes(const OutcomeVerdict& verdict, uint64_t count, double seconds,
                 TargetCounts* target) {
  target->runs += count;
  target->seconds += seconds;
  if (!verdict) return;
  (IsBug(*verdict) ? target->failures : target->counted_only) += count;
}

}  // namespace

Status CampaignCounter::Begin() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Result<std::vector<VerdictCount>> verdicts = store_.Verdicts();
  if (!verdicts) return verdicts.error();
  for (const VerdictCount& count : *verdicts) {
    AddOutcomes(count.verdict, count.count, count.seconds, &targets_[count.target]);
  }
  const Result<std::vector<std::string>> types = store_.StepTypes();
  if (!types) return types.error();
  types_.insert(types->begin(), types->end());
  return {};
}

void CampaignCounter::AddTest(const CampaignTest& test) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++tests_;
  types_.insert(test.types.begin(), test.types.end());
  for (const Outcome& outcome : test.outcomes) {
    TargetCounts& target = targets_[outcome.target];
    AddOutcomes(outcome.verdict, 1, outcome.seconds, &target);
    target.use =
        outcome.verdict == FailureClass::kNotUsable ? TargetUse::kNotUsable : TargetUse::kInUse;
  }
}

Status CampaignCounter::ReadBuckets() {
  const Result<std::vector<Bucket>> buckets = CountedBuckets(store_);
  if (!buckets) return buckets.error();
  last_.buckets = CountBuckets(*buckets);
  const Result<std::vector<KeptTest>> kept = store_.Kept();
  if (!kept) return kept.error();
  last_.reduced = static_cast<uint64_t>(std::count_if(
      kept->begin(), kept->end(), [](const KeptTest& one) { return HasReduction(one.state); }));
  return {};
}

Status CampaignCounter::ReadReferences() {
  const Result<std::vector<CampaignReference>> references = store_.References();
  if (!references) return references.error();
  last_.crash_only = static_cast<uint64_t>(
      std::count_if(references->begin(), references->end(), [](const CampaignReference& reference) {
        return reference.crash_only && !IsPutAside(reference.stability);
      }));
  const Result<std::vector<Baseline>> baselines = store_.Baselines();
  if (!baselines) return baselines.error();
  std::map<std::string, bool> runs_somewhere, has_reference;  // by reference, by target
  for (const Baseline& baseline : *baselines) {
    runs_somewhere[baseline.reference] |= RunsVariants(baseline.state);
    has_reference[baseline.target] |= RunsVariants(baseline.state);
  }
  last_.put_aside =
      static_cast<uint64_t>(std::count_if(runs_somewhere.begin(), runs_somewhere.end(),
                                          [](const auto& reference) { return !reference.second; }));
  // These references have no baselines.
  last_.put_aside += static_cast<uint64_t>(std::count_if(
      references->begin(), references->end(),
      [](const CampaignReference& reference) { return IsPutAside(reference.stability); }));
  without_reference_.clear();
  for (const auto& [target, any] : has_reference) {
    if (!any) without_reference_.insert(target);
  }
  return {};
}

Status CampaignCounter::ReadEvents() {
  const Result<std::vector<CampaignEvent>> events = store_.Events(last_event_);
  if (!events) return events.error();
  for (const CampaignEvent& event : *events) {
    last_event_ = event.id;
    std::string text = EventInWords(event);
    if (!text.empty()) last_.events.push_back(std::move(text));
  }
  if (last_.events.size() > kEvents) {
    last_.events.erase(last_.events.begin(), last_.events.end() - kEvents);
  }
  return {};
}

Status CampaignCounter::ReadStore() {
  if (Status counted = ReadBuckets(); !counted) return counted;
  if (Status read = ReadEvents(); !read) return read;
  const Result<std::optional<CoverageCount>> coverage = ReadCoverageCount(store_);
  if (!coverage) return coverage.error();
  last_.coverage = *coverage;
  const Result<std::vector<CampaignTarget>> targets = store_.Targets();
  if (!targets) return targets.error();
  last_.targets.clear();
  for (const CampaignTarget& target : *targets) {
    if (target.kind.empty()) continue;  // not in --targets: faults of Refract
    last_.targets.emplace_back().name = target.name;
  }
  return {};
}

Result<CampaignCounts> CampaignCounter::Counts(double now, uint64_t checked) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!read_at_ || now - *read_at_ >= kReadSeconds) {
    read_at_ = now;
    if (Status read = ReadStore(); !read) return read.error();
    if (std::exchange(checked_, checked) != checked) {
      if (Status counted = ReadReferences(); !counted) return counted.error();
    }
  }
  CampaignCounts counts = last_;
  for (TargetCounts& target : counts.targets) {
    const std::string name = target.name;
    if (const auto found = targets_.find(name); found != targets_.end()) target = found->second;
    target.name = name;
    if (without_reference_.contains(name) && target.runs == 0) target.use = TargetUse::kNoReference;
  }
  for (const transform::RegistryEntry& entry : transform::Registry()) {
    if (!types_.contains(std::string(entry.name))) counts.missing_types.emplace_back(entry.name);
  }
  counts.types = transform::Registry().size() - counts.missing_types.size();
  std::sort(counts.missing_types.begin(), counts.missing_types.end());
  return counts;
}

void CampaignCounter::Forget() {
  const std::lock_guard<std::mutex> lock(mutex_);
  read_at_.reset();
  checked_.reset();
}

Status CampaignCounter::Complete(CampaignProgress* progress, const Hangs& hangs, bool last) {
  const double now = MonotonicSeconds();
  if (last) Forget();
  progress->recent_tests_per_second = TestsPerSecond(now);
  Result<CampaignCounts> counts = Counts(now, progress->checked);
  if (!counts) return counts.error();
  progress->counts = std::move(*counts);
  for (TargetCounts& target : progress->counts.targets) {
    if (hangs.IsSkipped(target.name)) target.use = TargetUse::kSkipped;
  }
  return {};
}

double CampaignCounter::TestsPerSecond(double now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (minute_.empty() || now - minute_.back().first >= kReadSeconds) {
    minute_.emplace_back(now, tests_);
  }
  while (minute_.size() > 1 && now - minute_[1].first >= kMinute) minute_.pop_front();
  const auto [since, before] = minute_.front();
  return now > since ? static_cast<double>(tests_ - before) / (now - since) : 0;
}

Result<CampaignCounts> CountCampaign(Store& store) {
  CampaignCounter counter(store);
  if (Status begun = counter.Begin(); !begun) return begun.error();
  return counter.Counts(0, 0);
}

}  // namespace campaign
}  // namespace refract
