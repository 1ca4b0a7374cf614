// SPDX-License-Identifier: Apache-2.0
#include "facts/facts.h"

#include <algorithm>
#include <deque>
#include <mutex>

#include "base/check.h"
#include "ir/types.h"

namespace refract {

// Owns the step sets of a Facts and of all its copies. Only ever grows while one of them lives.
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

namespace {

constexpr size_t kSearchLimit = 512;
// How often "equal if all parts are" may be applied inside itself.
constexpr int kWholeDepth = 2;
constexpr size_t kNoParent = ~size_t{0};

bool StartsWith(const Part& part, const Part& prefix) {
  return part.value == prefix.value && part.depth >= prefix.depth &&
         std::equal(prefix.index, prefix.index + prefix.depth, part.index);
}

// `part`, whose beginning is `from`, with that beginning replaced by `to`.
std::optional<Part> Rebase(const Part& part, const Part& from, const Part& to) {
  Part result = to;
  for (uint16_t i = from.depth; i < part.depth; ++i) {
    const std::optional<Part> next = result.Component(part.index[i]);
    if (!next) return std::nullopt;
    result = *next;
  }
  return result;
}

}  // namespace

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
  // Keep the derivation that rests on less.
  if (facts.*field != 0 && reasons_[facts.*field].steps->size() <= why.size()) return;
  facts.*field = AddReason(why);
}

const Steps* Facts::Get(Id id, Field field) const {
  if (Index(id) >= by_id_.size()) return nullptr;
  const uint32_t reason = by_id_[Index(id)].*field;
  return reason == 0 ? nullptr : reasons_[reason].steps;
}

const std::vector<KnownInput>& Facts::known_inputs() const {
  static const std::vector<KnownInput> kEmpty;
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

namespace {
template <class Found>
bool Seen(const std::vector<Found>& found, const Part& part) {
  return std::any_of(found.begin(), found.end(), [&](const Found& f) { return f.part == part; });
}
}  // namespace

void Facts::Visit(const Module& module, const Part& part, size_t parent, int depth,
                  std::vector<Found>* found) const {
  if (Index(part.value) >= by_id_.size()) return;
  for (uint32_t e = by_id_[Index(part.value)].first_edge; e != 0; e = edges_[e].next) {
    const Edge& edge = edges_[e];
    if (!StartsWith(part, edge.from)) continue;
    const std::optional<Part> other = Rebase(part, edge.from, edge.to);
    if (other && !Seen(*found, *other)) {
      found->push_back({*other, parent, *reasons_[edge.reason].steps});
    }
  }
  if (depth > 0) VisitWholes(module, part, parent, depth, found);
}

// Values whose parts all equal the parts of `part`: candidates are the wholes around what the first
// part equals.
void Facts::VisitWholes(const Module& module, const Part& part, size_t parent, int depth,
                        std::vector<Found>* found) const {
  const Id type = TypeOfPart(module, part);
  if (type == Id::kNone) return;
  const std::optional<uint32_t> count = PartCount(module, type);
  if (!count || *count == 0 || *count > 16) return;
  const std::optional<Part> first = part.Component(0);
  if (!first) return;
  for (const Found& candidate : Search(module, *first, nullptr, kSearchLimit, depth - 1)) {
    const Part& c = candidate.part;
    if (c.depth == 0 || c.index[c.depth - 1] != 0) continue;
    Part whole = c;
    --whole.depth;
    if (Seen(*found, whole) || TypeOfPart(module, whole) != type) continue;
    Steps why;
    bool equal = true;
    for (uint32_t i = 0; i < *count && equal; ++i) {
      const Part wanted = *whole.Component(i);
      const std::vector<Found> path =
          Search(module, *part.Component(i), &wanted, kSearchLimit, depth - 1);
      equal = !path.empty() && path.back().part == wanted;
      if (!equal) break;
      for (size_t at = path.size() - 1; at != kNoParent; at = path[at].parent) {
        MergeSteps(&why, path[at].why);
      }
    }
    if (equal) found->push_back({whole, parent, why});
  }
}

std::vector<Facts::Found> Facts::Search(const Module& module, const Part& from, const Part* wanted,
                                        size_t limit, int depth) const {
  std::vector<Found> found{{from, kNoParent, {}}};
  for (size_t at = 0; at < found.size() && found.size() < limit; ++at) {
    const Part part = found[at].part;
    size_t checked = found.size();
    Visit(module, part, at, depth, &found);
    if (wanted == nullptr) continue;
    if (at == 0 && from == *wanted) {
      found.resize(1);
      return found;
    }
    for (; checked < found.size(); ++checked) {
      if (found[checked].part == *wanted) {
        found.resize(checked + 1);
        return found;
      }
    }
  }
  return found;
}

std::optional<Steps> Facts::Synonymous(const Module& module, const Part& a, const Part& b) const {
  if (a == b) return Steps{};
  const std::vector<Found> found = Search(module, a, &b, kSearchLimit, kWholeDepth);
  if (!(found.back().part == b)) return std::nullopt;
  Steps why;
  for (size_t at = found.size() - 1; at != kNoParent; at = found[at].parent) {
    MergeSteps(&why, found[at].why);
  }
  return why;
}

std::vector<Facts::Synonym> Facts::SynonymsOf(const Module& module, const Part& part,
                                              size_t limit) const {
  const std::vector<Found> found =
      Search(module, part, nullptr, std::min(limit + 1, kSearchLimit), kWholeDepth);
  std::vector<Synonym> synonyms;
  for (size_t i = 1; i < found.size() && synonyms.size() < limit; ++i) {
    Synonym synonym{found[i].part, {}};
    for (size_t at = i; at != kNoParent; at = found[at].parent) {
      MergeSteps(&synonym.why, found[at].why);
    }
    synonyms.push_back(std::move(synonym));
  }
  return synonyms;
}

}  // namespace refract
