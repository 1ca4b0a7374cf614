// SPDX-License-Identifier: Apache-2.0
#include "engine/fuzz.h"

#include <algorithm>
#include <deque>

#include "base/check.h"
#include "base/random.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/version.h"
#include "engine/certifier.h"
#include "engine/collector.h"
#include "engine/declarations.h"
#include "engine/execution_facts.h"
#include "engine/run_checks.h"
#include "engine/take_back.h"
#include "ir/binary.h"
#include "message/info.h"
#include "transform/function/cost.h"
#include "transform/pass_needs.h"
#include "transform/registry.h"

namespace refract {
inline namespace engine {
namespace {

// After each pass the run continues with probability 1 - steps / kStopDivisor.
constexpr uint64_t kStopDivisor = 4000;
// A pass adds at most this many steps. If it offers more messages, a random part of them is taken.
constexpr size_t kStepsPerPass = 26;
// The run ends after this many passes in a row that change nothing.
constexpr int kMaxUnchangedPasses = 50;
// This percentage of the passes is preferred, if any are.
constexpr uint32_t kPreferredShare = 25;
// If the family `float` was asked for, this percentage of the passes is of this family.
constexpr uint32_t kOptInShare = 15;
constexpr uint64_t kMaxSizeGrowth = 16;  // limit on the number of words, relative to the original
// Limit on the estimated executed instructions, relative to the original.
constexpr double kMaxCostGrowth = 8;

struct FuzzerPass {
  size_t index;  // into the registry
  uint32_t chance;
};

// True if `name` is the name or the family of the transformation at `index` of the registry.
bool HasNameOrFamily(size_t index, std::string_view name) {
  const message::MessageInfo& info = message::MessageInfos()[index];
  return name == info.name || name == info.family;
}

// Returns all names that --passes accepts.
std::vector<std::string_view> NamesOfPasses() {
  std::vector<std::string_view> names;
  for (const message::MessageInfo& info : message::MessageInfos()) {
    names.push_back(info.name);
    names.push_back(info.family);
  }
  return names;
}

class Fuzzer {
 public:
  Fuzzer(const Original& original, const FuzzOptions& options)
      : original_(original),
        options_(options),
        random_(options.seed),
        note_(""),
        checks_(original, options, declarations_, &result_),
        certifier_(original.context, original.file),
        donors_(&options.donors) {
    result_.context = original.context;
    max_words_ =
        options.max_words != 0 ? options.max_words : kMaxSizeGrowth * original.words.size();
    // Only donated functions make a variant run much longer.
    if (HasDonors()) {
      max_cost_ = kMaxCostGrowth * Cost(View(original.context)).total();
    }
    for (const RegistryEntry& entry : Registry()) result_.statistics[std::string(entry.name)];
  }

  Result<FuzzResult> Run() {
    if (Status chosen = ChoosePasses(); !chosen) return chosen.error();
    FillHeader();
    TakeFacts();
    checks_.Begin();
    int unchanged_passes = 0;
    while (!passes_.empty() && !Finished() && unchanged_passes < kMaxUnchangedPasses) {
      const size_t before = steps().size();
      const FuzzerPass& pass = NextPass();
      if (Status ran = RunPass(pass); !ran) return ran.error();
      const bool changed = steps().size() != before;
      unchanged_passes = changed ? 0 : unchanged_passes + 1;
      if (!changed) continue;
      if (Status sound = checks_.CheckWhenDue(); !sound) return sound.error();
      QueueRecommendations(pass);
      const bool stops = random_.Below(kStopDivisor) < steps().size();
      if (stops && options_.stop_by_chance) break;
    }
    return Finish();
  }

 private:
  std::vector<message::Step>& steps() { return result_.recording.steps; }

  bool Finished() {
    return steps().size() >= options_.max_steps ||
           result_.context.module.word_count() >= max_words_;
  }

  Status ChoosePasses() {
    const std::span<const RegistryEntry> registry = Registry();
    if (Status known = CheckPasses(options_.passes); !known) return known;
    if (Status known = CheckPasses(options_.preferred); !known) return known;
    // Enables between a third and two thirds of the passes. With the same share in each run, all
    // runs would be alike (Groce et al., "Swarm testing", 2012).
    const uint32_t share = static_cast<uint32_t>(random_.Between(35, 75));
    for (size_t i = 0; i < registry.size(); ++i) {
      // Each pass has its own random numbers, so that a new transformation does not change what is
      // drawn for the others.
      uint64_t name = options_.seed;
      for (const char c : registry[i].name) name = Mix(name, static_cast<uint64_t>(c));
      Random dice(name);
      const Tuning& tuning = registry[i].rule->tuning;
      const uint32_t chance =
          static_cast<uint32_t>(dice.Between(tuning.chance.low, tuning.chance.high));
      bool enabled = dice.Percent(share);
      const bool preferred =
          std::any_of(options_.preferred.begin(), options_.preferred.end(),
                      [&](const std::string& name) { return HasNameOrFamily(i, name); });
      if (preferred) enabled = true;
      if (options_.all_passes) enabled = true;
      if (!MayFindOpportunity(registry[i].name, original_.context.module)) enabled = false;
      if (IsOptIn(i)) enabled = false;
      if (!options_.passes.empty()) {
        enabled = std::any_of(options_.passes.begin(), options_.passes.end(),
                              [&](const std::string& name) { return HasNameOrFamily(i, name); });
      }
      if (tuning.donors == DonorUse::kRequired && !HasDonors()) enabled = false;
      if (IsOptIn(i)) enabled = (enabled || options_.float_identities) && MayCertify();
      if (!enabled) continue;
      if (IsOptIn(i)) opt_in_ = passes_.size();
      if (preferred && options_.passes.empty()) preferred_.push_back(passes_.size());
      passes_.push_back({i, chance});
    }
    return {};
  }

  bool HasDonors() const { return !options_.donors.empty() || options_.read_donors; }

  // True if the interpreter can certify variants of the original.
  bool MayCertify() {
    if (certifier_.unavailable().empty()) return true;
    if (result_.notes.empty()) {
      result_.notes.push_back("no float identities: " + certifier_.unavailable());
    }
    return false;
  }

  void FillHeader() {
    message::Recording& recording = result_.recording;
    recording.tool = ToolVersion();
    recording.module_hash = original_.module_hash;
    recording.inputs_hash = original_.inputs_hash;
    recording.companion_hash = original_.companion_hash;
    recording.entry = original_.context.entry;
    recording.width = original_.width;
    recording.height = original_.height;
    recording.target_env = std::string(NameOf(original_.environment));
    recording.validator_options = NamesOf(original_.validation);
    recording.limits.max_steps = options_.max_steps;
    recording.limits.max_words = max_words_;
    recording.limits.growth = static_cast<uint32_t>(kMaxSizeGrowth);
    recording.limits.latest_shapes = original_.context.latest_shapes;
    recording.limits.no_recommendations = !options_.recommendations;
    recording.seed = options_.seed;
    for (const FuzzerPass& pass : passes_) {
      recording.passes.push_back({std::string(Registry()[pass.index].name), pass.chance});
    }
  }

  void TakeFacts() {
    if (!options_.execution_facts) return;
    std::string why_none;
    result_.recording.execution_facts = TakeExecutionFacts(original_, &why_none);
    if (!why_none.empty()) result_.notes.push_back("no execution facts: " + why_none);
    AddExecutionFacts(result_.recording.execution_facts, &result_.context);
  }

  const FuzzerPass& NextPass() {
    if (options_.recommendations && !queue_.empty() && random_.Percent(50)) {
      const size_t index = queue_.front();
      queue_.pop_front();
      return passes_[index];
    }
    if (opt_in_ != SIZE_MAX && random_.Percent(kOptInShare)) return passes_[opt_in_];
    if (!preferred_.empty() && random_.Percent(kPreferredShare)) {
      return passes_[preferred_[random_.Below(preferred_.size())]];
    }
    return passes_[random_.Below(passes_.size())];
  }

  void QueueRecommendations(const FuzzerPass& pass) {
    for (std::string_view name : Registry()[pass.index].rule->tuning.follow_ons) {
      if (name.empty()) continue;
      const int index = RegistryIndex(name);
      CHECK(index >= 0);
      for (size_t i = 0; i < passes_.size(); ++i) {
        if (passes_[i].index != static_cast<size_t>(index)) continue;
        if (queue_.size() < 64) queue_.push_back(i);
      }
    }
  }

  // Reads the donors before the first pass that uses them.
  Status ReadDonors() {
    if (!options_.read_donors || donors_ != &options_.donors) return {};
    Result<std::vector<AnyMessage>> read = options_.read_donors();
    if (!read) return read.error();
    read_donors_ = std::move(*read);
    donors_ = &read_donors_;
    return {};
  }

  Status RunPass(const FuzzerPass& pass) {
    const RegistryEntry& entry = Registry()[pass.index];
    if (entry.rule->tuning.donors != DonorUse::kNone) {
      if (Status read = ReadDonors(); !read) return read;
    }
    TypeStatistics& statistics = result_.statistics[std::string(entry.name)];
    note_.Set(format("seed {}, pass {}, after step {}", options_.seed, entry.name, steps().size()));
    Collector collector(View(result_.context), random_, pass.chance, max_cost_, *donors_);
    entry.rule->propose(collector);
    const std::vector<AnyMessage> messages = collector.Take(kStepsPerPass);
    if (IsOptIn(pass.index)) {
      ApplyCertified(messages, &statistics);
    } else {
      Apply(messages, &statistics);
    }
    return {};
  }

  void Apply(std::span<const AnyMessage> messages, TypeStatistics* statistics) {
    for (const AnyMessage& message : messages) {
      if (Finished()) break;
      ++statistics->offered;
      const uint32_t number = static_cast<uint32_t>(steps().size() + 1);
      StepOutcome outcome = ApplyStep(result_.context, number, message);
      if (!outcome.check_result) {
        ++statistics->refused[outcome.check_result.reason()];
        continue;
      }
      ++statistics->applied;
      declarations_.Note(result_.context.module, message);
      message::Step step;
      step.number = number;
      step.transformation = message;
      step.needs = std::move(outcome.needs);
      steps().push_back(std::move(step));
    }
  }

  // Applies messages whose result needs a certificate. If a small part of the outputs shows that
  // there will be none, takes all of them back, and tries each half.
  void ApplyCertified(std::span<const AnyMessage> messages, TypeStatistics* statistics) {
    const size_t before = steps().size();
    const Context context = result_.context;
    const Declarations declarations = declarations_;
    const TypeStatistics counted = *statistics;
    Apply(messages, statistics);
    if (steps().size() == before || !certifier_.FindUncertified(result_.context, false)) return;
    steps().resize(before);
    result_.context = context;
    declarations_ = declarations;
    *statistics = counted;
    if (messages.size() == 1) {
      ++statistics->offered;
      ++statistics->refused["the interpreter does not certify the result"];
      return;
    }
    const size_t half = messages.size() / 2;
    ApplyCertified(messages.first(half), statistics);
    ApplyCertified(messages.subspan(half), statistics);
  }

  Result<FuzzResult> Finish() {
    TakeBackUncertified(original_, certifier_, declarations_, &result_);
    result_.words = steps().empty() ? original_.words : WriteModule(result_.context.module);
    result_.recording.result_hash = HashOfWords(result_.words);
    result_.recording.result_inputs_hash = HashOfInputs(result_.context.inputs.get());
    checks_.CompleteRecording();
    if (Status sound = checks_.CheckResult(); !sound) return sound.error();
    return std::move(result_);
  }

  const Original& original_;
  const FuzzOptions& options_;
  Random random_;
  CheckNote note_;
  FuzzResult result_;
  Declarations declarations_;
  RunChecks checks_;
  Certifier certifier_;
  std::vector<FuzzerPass> passes_;
  size_t opt_in_ = SIZE_MAX;       // index into passes_ of the last pass of the family `float`
  std::vector<size_t> preferred_;  // indices into passes_
  std::deque<size_t> queue_;       // indices into passes_
  const std::vector<AnyMessage>* donors_;
  std::vector<AnyMessage> read_donors_;
  uint64_t max_words_;
  double max_cost_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Status CheckPasses(const std::vector<std::string>& names) {
  const size_t all = Registry().size();
  for (const std::string& name : names) {
    size_t i = 0;
    while (i < all && !HasNameOrFamily(i, name)) ++i;
    if (i == all) {
      return Error{format("unknown transformation or family '{}'; `refract list` prints all{}",
                          name, DidYouMean(name, NamesOfPasses())),
                   ErrorKind::kUsage};
    }
  }
  return {};
}

Result<FuzzResult> Fuzz(const Original& original, const FuzzOptions& options) {
  return Fuzzer(original, options).Run();
}

}  // namespace engine
}  // namespace refract
