// SPDX-License-Identifier: Apache-2.0
#include "facts/facts.h"

#include <algorithm>
#include <deque>
#include <mutex>

#include "base/check.h"
#include "ir/types.h"

namespace refract {
inline namespace facts {

// Owns the step sets of a Facts object and of all its copies. Sets are only added while one of them
// exists.
class ReasonPool {
 public:
  const Steps* Add(const Steps& steps) {
    const std::lock_guard<std::mutex> lock(mutex_);
    sets_.push_back(steps);
    return &sets_.back();
  }

 private:
  std::mutex mutex_;
  std::deque<Steps> sets_;
};

void MergeSteps(Steps* steps, const Steps& more) {
  if (more.empty()) return;
  const size_t middle = steps->size();
  steps->insert(steps->end(), more.begin(), more.end());
  std::inplace_merge(steps->begin(), steps->begin() + static_cast<ptrdiff_t>(middle), steps->end());
  steps->erase(std::unique(steps->begin(), steps->end()), steps->end());
}

bool operator==(const Part& a, const Part& b) {
  return a.value == b.value && a.depth == b.depth &&
         std::equal(a.index, a.index + a.depth, b.index);
}

std::optional<Part> Part::Component(uint32_t i) const {
  if (depth == kMaxDepth || i > 0xffff) return std::nullopt;
  Part result = *this;
  result.index[result.depth++] = static_cast<uint16_t>(i);
  return result;
}

Id TypeOfPart(const Module& module, const Part& part) {
  Id type = module.TypeOf(part.value);
  for (uint16_t i = 0; i < part.depth && type != Id::kNone; ++i) {
    type = PartType(module, type, part.index[i]);
  }
  return type;
}

Facts::IdFacts& Facts::Own(Id id) {
  if (Index(id) >= by_id_.size()) by_id_.resize(Index(id) + 1, IdFacts{});
  return by_id_.Mutable(Index(id));
}

uint32_t Facts::AddReason(const Steps& why) {
  if (!pool_) pool_ = std::make_shared<ReasonPool>();
  if (reasons_.empty()) reasons_.push_back({});
  reasons_.push_back({pool_->Add(why)});
  return static_cast<uint32_t>(reasons_.size() - 1);
}

void Facts::Set(Id id, Field field, const Steps& why) {
  IdFacts& facts = Own(id);
  // Keep the derivation that depends on fewer steps.
  if (facts.*field != 0 && reasons_[facts.*field].steps->size() <= why.size()) return;
  facts.*field = AddReason(why);
}

const Steps* Facts::Get(Id id, Field field) const {
  if (Index(id) >= by_id_.size()) return nullptr;
  const uint32_t reason = by_id_[Index(id)].*field;
  return reason == 0 ? nullptr : reasons_[reason].steps;
}

const std::vector<KnownValue>& Facts::known_inputs() const {
  static const std::vector<KnownValue> kEmpty;
  return known_inputs_ ? *known_inputs_ : kEmpty;
}

void Facts::AddEdge(const Part& from, const Part& to, uint32_t reason) {
  if (edges_.empty()) edges_.push_back({});
  IdFacts& facts = Own(from.value);
  Edge edge{from, to, reason, facts.first_edge};
  facts.first_edge = static_cast<uint32_t>(edges_.size());
  edges_.push_back(edge);
}

void Facts::AddSynonym(const Part& a, const Part& b, const Steps& why) {
  if (a == b) return;
  const uint32_t reason = AddReason(why);
  AddEdge(a, b, reason);
  AddEdge(b, a, reason);
}

void Facts::UnlinkEdgesTo(Id from, Id to) {
  uint32_t before = 0;
  for (uint32_t e = by_id_[Index(from)].first_edge; e != 0; e = edges_[e].next) {
    if (edges_[e].to.value != to) {
      before = e;
    } else if (before == 0) {
      Own(from).first_edge = edges_[e].next;
    } else {
      edges_.Mutable(before).next = edges_[e].next;
    }
  }
}

void Facts::ForgetPlacementFacts(Id id) {
  if (Index(id) >= by_id_.size()) return;
  std::vector<Id> others;
  ForEachEquality(id,
                  [&](const Part&, const Part& to, const Steps&) { others.push_back(to.value); });
  for (Id other : others) UnlinkEdgesTo(other, id);
  IdFacts& facts = Own(id);
  facts.dead = facts.never_runs = facts.uniform = facts.first_edge = 0;
}

void Facts::ForgetEqualities(Id a, Id b) {
  if (Index(a) >= by_id_.size() || Index(b) >= by_id_.size()) return;
  UnlinkEdgesTo(a, b);
  UnlinkEdgesTo(b, a);
}

}  // namespace facts
}  // namespace refract
