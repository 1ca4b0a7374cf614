// SPDX-License-Identifier: Apache-2.0
#include "campaign/feedback.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/random.h"
#include "base/text.h"
#include "campaign/counts.h"
#include "campaign/setup.h"
#include "campaign/store/store.h"

namespace refract {
inline namespace campaign {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kOne = 16;  // a use or a hit
constexpr size_t kMostSeeds = 16;
constexpr uint32_t kSeedPercent = 25;    // of tests, with the seed of a hit
constexpr uint32_t kPreferPercent = 50;  // of tests, with preferred transformations
constexpr size_t kPreferred = 3;
// A test that is cut off runs other blocks when it is repeated.
constexpr double kTimeLimit = 120;

Json Runs(const std::vector<bool>& bits) {
  Json runs = Json::array();
  bool current = false;
  uint64_t length = 0;
  for (const bool bit : bits) {
    if (bit != current) {
      runs.push_back(std::exchange(length, 0));
      current = bit;
    }
    ++length;
  }
  runs.push_back(length);
  return runs;
}

std::vector<bool> BitsOf(const Json& runs) {
  std::vector<bool> bits;
  bool current = false;
  for (const Json& length : runs) {
    bits.insert(bits.end(), length.get<size_t>(), current);
    current = !current;
  }
  return bits;
}

HitRate RateOf(const Json& json) {
  return {json.at(0).get<uint64_t>(), json.at(1).get<uint64_t>()};
}

// An index, with the chance that its weight gives.
size_t Draw(const std::vector<uint64_t>& weights, Random* random) {
  uint64_t sum = 0;
  for (const uint64_t weight : weights) sum += weight;
  uint64_t left = random->Below(sum);
  size_t i = 0;
  while (left >= weights[i]) left -= weights[i++];
  return i;
}

std::vector<std::string> DrawPreferred(const FeedbackState& state, Random* random) {
  std::vector<std::string> names;
  std::vector<uint64_t> weights;
  for (const auto& [name, rate] : state.types) {
    names.push_back(name);
    weights.push_back(rate.weight());
  }
  std::vector<std::string> drawn;
  while (drawn.size() < kPreferred && drawn.size() < names.size()) {
    const size_t i = Draw(weights, random);
    weights[i] = 0;
    drawn.push_back(names[i]);
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace

void HitRate::Add(bool hit) {
  hits = hits * 7 / 8 + (hit ? kOne : 0);
  uses = uses * 7 / 8 + kOne;
}

uint64_t HitRate::weight() const {
  const uint64_t share = 1000 * (hits + kOne) / (uses + kOne);
  return share * share;
}

std::string FeedbackText(const FeedbackState& state) {
  Json json = {{"program", state.program},
               {"rounds", state.rounds},
               {"lines", state.lines},
               {"all_lines", state.all_lines},
               {"new_lines", state.new_lines}};
  Json& references = json["references"] = Json::array();
  for (const HitRate& rate : state.references) references.push_back({rate.hits, rate.uses});
  Json& types = json["types"] = Json::object();
  for (const auto& [name, rate] : state.types) types[name] = {rate.hits, rate.uses};
  Json& seeds = json["seeds"] = Json::array();
  for (const HitSeed& seed : state.seeds) seeds.push_back({seed.seed, seed.reference});
  json["ran"] = Runs(state.ran);
  return json.dump();
}

Result<FeedbackState> ParseFeedback(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  const Error wrong{"the state of the feedback cannot be read"};
  if (!json.is_object()) return wrong;
  for (const char* key : {"rounds", "lines", "all_lines", "new_lines"}) {
    if (!json.contains(key) || !json[key].is_number_unsigned()) return wrong;
  }
  const auto numbers = [](const Json& list) {
    return list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& number) {
             return number.is_number_unsigned();
           });
  };
  const auto pairs = [&](const Json& list) {
    return list.is_structured() && std::all_of(list.begin(), list.end(), [&](const Json& pair) {
             return numbers(pair) && pair.size() == 2;
           });
  };
  if (!json.contains("program") || !json["program"].is_string() || !json.contains("references") ||
      !pairs(json["references"]) || !json.contains("types") || !pairs(json["types"]) ||
      !json.contains("seeds") || !pairs(json["seeds"]) || !json.contains("ran") ||
      !numbers(json["ran"])) {
    return wrong;
  }
  FeedbackState state;
  state.program = json["program"].get<std::string>();
  state.rounds = json["rounds"].get<uint64_t>();
  state.lines = json["lines"].get<uint64_t>();
  state.all_lines = json["all_lines"].get<uint64_t>();
  state.new_lines = json["new_lines"].get<uint64_t>();
  for (const Json& rate : json["references"]) state.references.push_back(RateOf(rate));
  for (const auto& [name, rate] : json["types"].items()) state.types[name] = RateOf(rate);
  for (const Json& seed : json["seeds"]) {
    state.seeds.push_back({seed[0].get<uint64_t>(), seed[1].get<size_t>()});
  }
  state.ran = BitsOf(json["ran"]);
  return state;
}

Result<std::optional<CoverageCount>> ReadCoverageCount(Store& store) {
  const Result<std::string> text = store.Feedback();
  if (!text) return text.error();
  if (text->empty()) return std::optional<CoverageCount>();
  const Result<FeedbackState> state = ParseFeedback(*text);
  if (!state) return state.error();
  return std::optional<CoverageCount>(
      {state->rounds, state->lines, state->all_lines, state->new_lines});
}

TestPlan PlanByFeedback(const FeedbackState& state, uint64_t campaign_seed, uint64_t index,
                        TestPlan plan) {
  Random random(Mix(Mix(campaign_seed, 3), index));
  const bool is_first =
      plan.reference < state.references.size() && state.references[plan.reference].uses == 0;
  if (!plan.program && !is_first && !state.references.empty()) {
    std::vector<uint64_t> weights;
    for (const HitRate& rate : state.references) weights.push_back(rate.weight());
    plan.reference = Draw(weights, &random);
    if (!state.seeds.empty() && random.Percent(kSeedPercent)) {
      const HitSeed& hit = state.seeds[random.Below(state.seeds.size())];
      if (hit.reference != plan.reference) plan.seed = hit.seed;
    }
  }
  if (plan.varied && random.Percent(kPreferPercent)) {
    plan.preferred = DrawPreferred(state, &random);
  }
  return plan;
}

Status CoverageFeedback::Begin(const CampaignSetup& setup, Store& store,
                               const std::set<uint64_t>& done) {
  const std::lock_guard lock(mutex_);
  setup_ = &setup;
  store_ = &store;
  if (Status begun = store.BeginFeedback(); !begun) return begun;
  const Result<std::string> text = store.Feedback();
  if (!text) return text.error();
  if (!text->empty()) {
    Result<FeedbackState> state = ParseFeedback(*text);
    if (!state) return state.error();
    state_ = std::move(*state);
  }
  state_.references.resize(setup.sources.size());
  const Result<std::vector<FeedbackPlan>> plans = store.FeedbackPlans();
  if (!plans) return plans.error();
  for (const FeedbackPlan& plan : *plans) plans_[plan.test] = plan.plan;
  finished_.insert(done.lower_bound(state_.rounds * per_round_), done.end());
  return CloseRounds();
}

TestPlan CoverageFeedback::PlanOf(uint64_t index) const {
  const std::lock_guard lock(mutex_);
  return Decided(index);
}

// Called with the mutex held.
TestPlan CoverageFeedback::Decided(uint64_t index) const {
  TestPlan plan = PlanWithoutFeedback(*setup_, index);
  const auto found = plans_.find(index);
  if (found == plans_.end()) return plan;
  plan.reference = found->second.reference;
  plan.seed = found->second.seed;
  plan.preferred = found->second.preferred;
  return plan;
}

bool CoverageFeedback::MayStart(uint64_t index) const {
  const std::lock_guard lock(mutex_);
  return index / per_round_ <= state_.rounds + 1;
}

Status CoverageFeedback::Run(uint64_t index, const std::vector<std::string>& types, Job job) {
  job.time_limit = std::max(job.time_limit, kTimeLimit);
  const Result<std::vector<bool>> marks = targets_.MarksOf(job);
  if (!marks) return marks.error();
  TestBlocks ran{index, {}, types};
  {
    const std::lock_guard lock(mutex_);
    if (state_.program.empty()) state_.program = targets_.program();
    if (state_.program != targets_.program()) {
      return Error{"--coverage: the program was built again since the campaign began",
                   ErrorKind::kFailed};
    }
    for (size_t i = 0; i < marks->size(); ++i) {
      const bool is_new = i >= state_.ran.size() || !state_.ran[i];
      if ((*marks)[i] && is_new) ran.blocks.push_back(static_cast<uint32_t>(i));
    }
  }
  return store_->SetTestBlocks(ran);
}

Status CoverageFeedback::Finish(uint64_t index) {
  const std::lock_guard lock(mutex_);
  if (index / per_round_ >= state_.rounds) finished_.insert(index);
  return CloseRounds();
}

// Ends all rounds whose tests have ended.
Status CoverageFeedback::CloseRounds() {
  for (;;) {
    const uint64_t first = state_.rounds * per_round_, end = first + per_round_;
    const auto begin = finished_.lower_bound(first), last = finished_.lower_bound(end);
    if (static_cast<uint64_t>(std::distance(begin, last)) < per_round_) return {};
    const Result<std::vector<TestBlocks>> rows = store_->TestBlocksBefore(end);
    if (!rows) return rows.error();
    std::map<uint64_t, TestBlocks> ran;
    for (const TestBlocks& row : *rows) ran[row.test] = row;
    if (Status closed = CloseRound(ran); !closed) return closed;
    finished_.erase(finished_.begin(), finished_.lower_bound(end));
  }
}

Status CoverageFeedback::CloseRound(const std::map<uint64_t, TestBlocks>& ran) {
  FeedbackState next = state_;
  const uint64_t first = state_.rounds * per_round_;
  for (uint64_t test = first; test < first + per_round_; ++test) {
    const TestPlan plan = Decided(test);
    const auto found = ran.find(test);
    bool hit = false;
    if (found != ran.end()) {
      for (const uint32_t block : found->second.blocks) {
        if (block >= next.ran.size()) next.ran.resize(block + 1);
        hit = hit || !next.ran[block];
        next.ran[block] = true;
      }
      for (const std::string& type : found->second.types) next.types[type].Add(hit);
    }
    if (plan.program) continue;
    next.references[plan.reference].Add(hit);
    if (hit) next.seeds.push_back({plan.seed, plan.reference});
  }
  if (next.seeds.size() > kMostSeeds) {
    next.seeds.erase(next.seeds.begin(), next.seeds.end() - kMostSeeds);
  }
  const Result<std::pair<size_t, size_t>> lines = targets_.CountLines(next.program, next.ran);
  if (!lines) return lines.error();
  next.new_lines = lines->first - state_.lines;
  next.lines = lines->first;
  next.all_lines = lines->second;
  ++next.rounds;
  std::vector<FeedbackPlan> plans;
  for (uint64_t test = first + 2 * per_round_; decides_ && test < first + 3 * per_round_; ++test) {
    plans.push_back(
        {test, PlanByFeedback(next, setup_->seed, test, PlanWithoutFeedback(*setup_, test))});
  }
  const Status stored = store_->EndFeedbackRound(FeedbackText(next), plans, first + per_round_);
  if (!stored) return stored;
  for (FeedbackPlan& plan : plans) plans_[plan.test] = std::move(plan.plan);
  state_ = std::move(next);
  return {};
}

}  // namespace campaign
}  // namespace refract
