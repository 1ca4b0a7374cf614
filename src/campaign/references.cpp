// SPDX-License-Identifier: Apache-2.0
#include "campaign/references.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/text.h"
#include "campaign/findings/failing_original.h"
#include "target/finding.h"
#include "target/time_limits.h"

namespace refract {
inline namespace campaign {
namespace {

constexpr int kRuns = 3;
// Time limit for the interpreter's verdict on a reference. It is short, so that the tests begin
// soon.
constexpr double kVerdictSeconds = 5;
// A target that hangs on this number of references, and has no other result, is not used.
constexpr uint32_t kHangs = 3;

void AddText(const std::string& bytes, std::string* all) {
  *all += format("{}:", bytes.size());
  *all += bytes;
}

// A target that does not accept the module of a reference has not failed.
bool IsRefusal(RunOutcome verdict) {
  return verdict == RunOutcome::kRejected || verdict == RunOutcome::kUnsupported ||
         verdict == RunOutcome::kNotUsable;
}

bool Hung(const Baseline& baseline) {
  return baseline.state == BaselineState::kFails &&
         baseline.detail.starts_with(TextOf(FailureClass::kHang));
}

}  // namespace

std::string OutputsHash(const Outputs& outputs) {
  if (outputs.targets.empty() && outputs.buffers.empty() && outputs.images.empty()) return {};
  std::string all;
  for (const ColourTarget& target : outputs.targets) {
    all += format("target {} {} {}x{} ", target.location, static_cast<int>(target.format),
                  target.width, target.height);
    AddText(target.texels, &all);
  }
  for (const BoundBuffer& buffer : outputs.buffers) {
    all += format("buffer {} {} ", buffer.set, buffer.binding);
    if (buffer.element != 0) all += format("element {} ", buffer.element);
    AddText(buffer.bytes, &all);
  }
  for (const BoundImage& image : outputs.images) {
    all += format("image {} {} ", image.set, image.binding);
    if (image.element != 0) all += format("element {} ", image.element);
    AddText(image.texels, &all);
  }
  return ContentHash(all);
}

References::References(const CampaignSetup& setup, Store& store)
    : setup_(setup), store_(store), states_(setup.sources.size()), tallies_(setup.targets.size()) {
  for (State& state : states_) state.baselines.resize(setup.targets.size());
}

Result<std::unique_ptr<References>> References::Make(const CampaignSetup& setup, Store& store) {
  std::unique_ptr<References> references(new References(setup, store));
  const Result<std::vector<CampaignTarget>> before = store.Targets();
  if (!before) return before.error();
  const Result<std::vector<CampaignReference>> known = store.References();
  if (!known) return known.error();
  const Result<std::vector<Baseline>> baselines = store.Baselines();
  if (!baselines) return baselines.error();
  for (size_t i = 0; i < setup.sources.size(); ++i) {
    for (const CampaignReference& record : *known) {
      if (record.name == setup.sources[i].name && record.hash == setup.sources[i].hash) {
        references->states_[i].record = record;
        if (IsPutAside(record.stability)) {
          references->asides_.push_back(format("{}: {}", record.name, record.detail));
        }
      }
    }
    for (size_t t = 0; t < setup.targets.size(); ++t) {
      const VersionedTarget& target = setup.targets[t];
      const bool same = std::any_of(before->begin(), before->end(), [&](const CampaignTarget& was) {
        return was.name == target.target.name && was.version == target.version;
      });
      for (const Baseline& baseline : *baselines) {
        // A hang is not taken over: the machine may have been too busy then.
        if (same && !Hung(baseline) && baseline.reference == setup.sources[i].name &&
            baseline.target == target.target.name) {
          references->states_[i].baselines[t] = baseline;
        }
      }
    }
  }
  return references;
}

RunSettings References::settings() const {
  RunSettings settings;
  settings.time_limit = setup_.time_limit;
  settings.interpreter_limit = kVerdictSeconds;
  settings.zero_inputs = setup_.zero_inputs;
  settings.stop = stop_;
  return settings;
}

void References::Interpret(size_t reference, bool schedules) {
  State& state = states_[reference];
  if (state.interpreted) return;
  state.interpreted = true;
  Result<Interpretation> made =
      Interpretation::Of(*setup_.sources[reference].original, settings(), schedules);
  if (made) state.interpretation = std::move(*made);
}

Result<CampaignReference> References::Evaluate(size_t reference) {
  const CampaignSource& source = setup_.sources[reference];
  CampaignReference record;
  record.name = source.name;
  record.hash = source.hash;
  const Result<Interpretation> made =
      Interpretation::Of(*source.original, settings(), /*schedules=*/true);
  if (!made && made.error().kind == ErrorKind::kFailed) return made.error();
  if (!made) {
    // If the interpreter does not support the reference, it is unknown whether the reference is
    // well defined, so differences are not meaningful. Any other error is one of the reference.
    record.stability = made.error().kind == ErrorKind::kUnavailable ? ReferenceStability::kUnknown
                                                                    : ReferenceStability::kUnusable;
    record.crash_only = true;
    record.detail = made.error().message;
    return record;
  }
  const OriginalCheck& judged = made->check();
  if (!judged.well_defined()) {
    record.stability = ReferenceStability::kUndefined;
    record.crash_only = true;
    record.detail = judged.undefined.front();
    return record;
  }
  record.stability = StabilityOf(judged.stability);
  if (!judged.extent.is_whole()) {
    record.stability = ReferenceStability::kSampled;
    record.detail = format("the interpreter ran only {}", ExtentText(judged.extent));
  }
  if (!judged.deterministic) {
    record.crash_only = true;
    record.detail = format("the output depends on the schedule: {}", judged.varies_with);
  } else if (judged.stability == Stability::kUnstable) {
    record.stability = StabilityOf(judged.stability);
    record.crash_only = true;
    record.detail = format("allowed rounding changes a level by up to {}", judged.largest_change);
  }
  State& state = states_[reference];
  if (!state.interpreted) {
    state.interpreted = true;
    state.interpretation = *made;
  }
  return record;
}

Status References::Check(size_t reference, Harness& harness) {
  State& state = states_[reference];
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!std::exchange(state.checked, true)) ++checked_;
  if (!state.record) {
    Result<CampaignReference> record = Evaluate(reference);
    if (!record) return record.error();
    if (harness.IsStopped()) return Error{"the check was stopped", ErrorKind::kFailed};
    const bool aside = IsPutAside(record->stability);
    if (Status set = aside ? PutAside(*record) : store_.SetReference(*record); !set) return set;
    state.record = std::move(*record);
  }
  if (IsPutAside(state.record->stability)) return CheckRemaining();
  for (size_t t = 0; t < setup_.targets.size(); ++t) {
    const Target& target = setup_.targets[t].target;
    if (state.baselines[t] || harness.IsLost(target)) continue;
    Result<Baseline> baseline = RunOn(reference, t, harness);
    if (!baseline) return baseline.error();
    if (harness.IsStopped()) return Error{"the check was stopped", ErrorKind::kFailed};
    // A lost device says nothing about the reference.
    if (harness.IsLost(target) && !RunsVariants(baseline->state)) continue;
    CountBaseline(t, *baseline);
    if (Status set = store_.SetBaseline(*baseline); !set) return set;
    if (Status told = AddBaselineEvent(*baseline); !told) return told;
    state.baselines[t] = std::move(*baseline);
  }
  return {};
}

Status References::PutAside(const CampaignReference& record) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    asides_.push_back(format("{}: {}", record.name, record.detail));
  }
  return StoreReference(record, "put_aside");
}

Status References::CheckRemaining() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (asides_.size() < states_.size() || setup_.shares.sum() > 0) return {};
  return Error{format("no reference can be used; the first of {}: {}", asides_.size(),
                      *std::min_element(asides_.begin(), asides_.end())),
               ErrorKind::kFailed};
}

Status References::StoreSkipped() {
  const Result<std::vector<CampaignReference>> known = store_.References();
  if (!known) return known.error();
  for (const SkippedReference& skipped : setup_.skipped) {
    CampaignReference record;
    record.name = skipped.name;
    record.stability = ReferenceStability::kUnusable;
    record.crash_only = true;
    record.detail = skipped.why;
    const bool is_known =
        std::any_of(known->begin(), known->end(), [&](const CampaignReference& before) {
          return before.name == record.name && before.stability == record.stability &&
                 before.detail == record.detail;
        });
    if (is_known) continue;
    if (Status stored = StoreReference(record, "skipped"); !stored) return stored;
  }
  return {};
}

// Stores a reference that no test uses, and an event about it.
Status References::StoreReference(const CampaignReference& record, const char* event) {
  if (Status set = store_.SetReference(record); !set) return set;
  const nlohmann::ordered_json json = {{"event", event},
                                       {"reference", record.name},
                                       {"state", TextOf(record.stability)},
                                       {"detail", record.detail}};
  return store_.AddEvent(
      0, json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
}

// The interpretation of a reference whose outputs every target must compute in every bit. Null if
// the reference is not exact.
const Interpretation* References::ExactInterpretationOf(size_t reference) {
  const CampaignReference& record = *states_[reference].record;
  if (record.crash_only || record.stability != ReferenceStability::kExact) return nullptr;
  Interpret(reference, false);
  const std::optional<Interpretation>& made = states_[reference].interpretation;
  if (!made || !made->undefined().empty() || !made->check().extent.is_whole()) return nullptr;
  return &*made;
}

Status References::FileFailure(size_t reference, const Target& target, const RunResult& ran) {
  if (!file_) return {};
  const std::optional<Outcome> outcome =
      OutcomeOfOriginal(target, ran, ExactInterpretationOf(reference));
  return outcome ? file_(reference, *outcome) : Status();
}

bool References::IsAside(size_t reference) {
  State& state = states_[reference];
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.record && IsPutAside(state.record->stability);
}

bool References::HasBaseline(size_t reference, size_t target) {
  State& state = states_[reference];
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.baselines[target].has_value();
}

Status References::AddBaselineEvent(const Baseline& baseline) {
  if (baseline.state == BaselineState::kOk || baseline.state == BaselineState::kUnsupported) {
    return {};
  }
  const nlohmann::ordered_json event = {{"event", "baseline"},
                                        {"reference", baseline.reference},
                                        {"target", baseline.target},
                                        {"state", TextOf(baseline.state)},
                                        {"detail", baseline.detail}};
  return store_.AddEvent(
      0, event.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
}

bool References::HangsAlways(size_t target) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return tallies_[target].hung >= kHangs && tallies_[target].others == 0;
}

void References::CountBaseline(size_t target, const Baseline& baseline) {
  if (baseline.state == BaselineState::kUnsupported) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  ++(Hung(baseline) ? tallies_[target].hung : tallies_[target].others);
}

// Runs an original. If it is over the time limit, it runs again (TimeLimits::Repeat), and is ok if
// it then ends within the limit. On a machine that other programs use too, its processor time must
// be within the limit.
Result<RunResult> References::RunOriginal(const Target& target, const Job& job, Harness& harness) {
  Result<RunResult> ran = harness.Run(target, job);
  if (!ran || ran->verdict != RunOutcome::kHang || target.kind == Target::Kind::kInterpreter) {
    return ran;
  }
  RunResult again = TimeLimits(harness, target, 0, job.time_limit).Repeat(job, *ran);
  if (again.verdict == RunOutcome::kOurError) return Error{again.detail, ErrorKind::kFailed};
  const double used = std::min(again.seconds, again.cpu_seconds);
  if (again.verdict == RunOutcome::kSlow && used <= job.time_limit) {
    again.verdict = RunOutcome::kOk;
  }
  return again;
}

Result<Baseline> References::RunOn(size_t reference, size_t target, Harness& harness) {
  const Original& original = *setup_.sources[reference].original;
  const Target& where = setup_.targets[target].target;
  Baseline baseline;
  baseline.reference = setup_.sources[reference].name;
  baseline.target = where.name;
  if (HangsAlways(target)) {
    baseline.state = BaselineState::kUnsupported;
    baseline.detail = format("not run: the target hung on each of the first {} references", kHangs);
    return baseline;
  }
  const Result<Job> job = JobOf(original, original.context.module, original.words,
                                original.context.inputs.get(), settings());
  if (!job) {
    baseline.state = BaselineState::kUnsupported;
    baseline.detail = job.error().message;
    return baseline;
  }
  RunResult first;
  for (int i = 0; i < kRuns; ++i) {
    Result<RunResult> ran = RunOriginal(where, *job, harness);
    if (!ran) {
      if (ran.error().kind == ErrorKind::kFailed) return ran.error();
      baseline.state = BaselineState::kUnsupported;
      baseline.detail = ran.error().message;
      return baseline;
    }
    baseline.seconds = std::max(baseline.seconds, ran->seconds);
    if (ran->verdict != RunOutcome::kOk) {
      const bool no = i == 0 && IsRefusal(ran->verdict);
      // A flaky failure, too: it would be found again in every variant.
      baseline.state = no ? BaselineState::kUnsupported : BaselineState::kFails;
      baseline.detail = Signature(*ran);
      if (Status filed = FileFailure(reference, where, *ran); !filed) return filed.error();
      return baseline;
    }
    if (i == 0) {
      first = std::move(*ran);
    } else if (!(ran->outputs == first.outputs)) {
      baseline.state = BaselineState::kVaries;
      baseline.detail = "the output is not always the same";
      // At least one of them is wrong if only one output is correct.
      for (const RunResult* each : {&first, &*ran}) {
        if (Status filed = FileFailure(reference, where, *each); !filed) return filed.error();
      }
      return baseline;
    }
  }
  baseline.state = BaselineState::kOk;
  if (states_[reference].record->crash_only) return baseline;
  baseline.outputs_hash = OutputsHash(first.outputs);
  if (baseline.outputs_hash.empty()) return baseline;
  Interpret(reference, false);
  const std::optional<Interpretation>& interpretation = states_[reference].interpretation;
  if (!interpretation) return baseline;
  RunResult as_interpreted;
  const OriginalCheck& check = interpretation->check();
  as_interpreted.outputs = check.report.outputs;
  if (!check.extent.is_whole()) {
    // It is unknown which part of the memory a sample wrote.
    if (!first.outputs.buffers.empty() || !first.outputs.images.empty()) return baseline;
    CopyUnsampled(check.sample, first.outputs, job->bindings.samples, &as_interpreted.outputs);
  }
  // Not by bounds: the original on the target itself shows whether they hold there.
  const Finding finding = FindingOf(where.name, as_interpreted, first, PlainRuleOf(reference),
                                    interpretation->layouts(), {"the interpreter", "the target"});
  if (finding.verdict) {
    baseline.state = BaselineState::kDiffers;
    baseline.detail = finding.what;
    if (Status filed = FileFailure(reference, where, first); !filed) return filed.error();
  }
  return baseline;
}

bool References::IsCompared(size_t reference, size_t target) const {
  const Baseline& baseline = BaselineOf(reference, target);
  return !Record(reference).crash_only && baseline.state == BaselineState::kOk &&
         !baseline.outputs_hash.empty();
}

ComparisonRule References::PlainRuleOf(size_t reference) const {
  const ReferenceStability stability = Record(reference).stability;
  ComparisonRule rule = stability == ReferenceStability::kSampled  ? CompareRule::kSpatial
                        : stability == ReferenceStability::kStable ? CompareRule::kStable
                                                                   : CompareRule::kExact;
  rule.thresholds = setup_.thresholds;
  return rule;
}

ComparisonRule References::RuleOf(size_t reference) {
  ComparisonRule rule = PlainRuleOf(reference);
  const Interpretation* interpretation =
      rule.kind == CompareRule::kExact ? nullptr : InterpretationOf(reference);
  if (interpretation == nullptr) return rule;
  rule.bounds = interpretation->rule().bounds;
  if (rule.bounds == nullptr) return rule;
  rule.rest = rule.kind;
  rule.kind = CompareRule::kBounded;
  return rule;
}

const Interpretation* References::InterpretationOf(size_t reference) {
  State& state = states_[reference];
  const std::lock_guard<std::mutex> lock(state.mutex);
  Interpret(reference, false);
  if (!state.interpretation || !state.interpretation->undefined().empty()) return nullptr;
  return &*state.interpretation;
}

}  // namespace campaign
}  // namespace refract
