// SPDX-License-Identifier: Apache-2.0
// Computes the closure of synonym facts when it is needed: a breadth-first search from one part of
// a value, over the facts about it and about what contains it, and over composites whose parts are
// all equal. The search is bounded, because constants may have thousands of synonyms. So the answer
// may be "not known" although a longer search would find a derivation.
#include <algorithm>

#include "facts/facts.h"
#include "ir/types.h"

namespace refract {
inline namespace facts {
namespace {

// Limits on the number of parts that a search finds. The index is how often the rule "equal if all
// parts are equal" may still be nested in it.
constexpr size_t kSearchLimits[] = {32, 64, 512};
constexpr int kWholeDepth = 2;
constexpr uint32_t kMostParts = 16;  // of a composite that is compared part by part
// The limit on visits of parts in a search and all searches inside it. Classes of dozens of vectors
// that consist of components of each other would take millions of visits. Usual classes take less
// than a thousand.
constexpr uint32_t kMostVisits = 4096;

bool StartsWith(const Part& part, const Part& prefix) {
  return part.value == prefix.value && part.depth >= prefix.depth &&
         std::equal(prefix.index, prefix.index + prefix.depth, part.index);
}

// Returns `part` with its prefix `from` replaced by `to`.
std::optional<Part> Rebase(const Part& part, const Part& from, const Part& to) {
  Part result = to;
  for (uint16_t i = from.depth; i < part.depth; ++i) {
    const std::optional<Part> next = result.Component(part.index[i]);
    if (!next) return std::nullopt;
    result = *next;
  }
  return result;
}

uint64_t HashOf(const Part& part) {
  uint64_t hash = Mix(uint64_t{Index(part.value)}, uint64_t{part.depth});
  for (uint16_t i = 0; i < part.depth; ++i) hash = Mix(hash, uint64_t{part.index[i]});
  return hash;
}

}  // namespace

class SynonymSearch {
 public:
  static constexpr uint32_t kNoParent = 0xffffffffu;
  static constexpr uint32_t kNotFound = 0xffffffffu;

  /// `visits` counts the visits of parts so far. All searches for one answer share it.
  SynonymSearch(const Facts& facts, const Module& module, int depth, uint32_t* visits)
      : facts_(facts), module_(module), depth_(depth), visits_(visits) {}

  /// Finds up to `limit` parts, `from` first. Ends early if it finds `wanted`.
  void Run(const Part& from, const Part* wanted, size_t limit) {
    limit_ = std::min(limit, kSearchLimits[depth_]);
    wanted_ = wanted;
    Add(from, kNoParent, {});
    // Comparison of parts is expensive, so it comes only when no more facts apply.
    uint32_t facts_of = 0, parts_of = 0;
    while (!Done()) {
      if (facts_of < found_.size()) {
        if (LeadsOn(facts_of)) FollowFacts(Part(found_[facts_of].part), facts_of);
        ++facts_of;
      } else if (depth_ > 0 && parts_of < found_.size()) {
        if (LeadsOn(parts_of)) FollowParts(Part(found_[parts_of].part), parts_of);
        ++parts_of;
      } else {
        break;
      }
    }
  }

  size_t size() const { return found_.size(); }
  const Part& operator[](size_t i) const { return found_[i].part; }
  bool found_wanted() const { return found_wanted_; }
  /// True if there may be more parts than the search found.
  bool gave_up() const { return found_.size() >= limit_ || *visits_ >= kMostVisits; }

  /// Returns the position of a part that was found, or kNotFound.
  uint32_t Position(const Part& part) const {
    if (slots_.empty()) {
      for (uint32_t i = 0; i < found_.size(); ++i) {
        if (found_[i].part == part) return i;
      }
      return kNotFound;
    }
    for (size_t slot = HashOf(part);; ++slot) {
      const uint32_t i = slots_[slot & (slots_.size() - 1)];
      if (i == kNotFound || found_[i].part == part) return i;
    }
  }

  /// Adds the steps on which the derivation of the i-th part depends.
  void AddSteps(uint32_t i, Steps* steps) const {
    for (; i != kNoParent; i = found_[i].parent) MergeSteps(steps, StepsOf(found_[i]));
  }

 private:
  // Why a part equals its parent: a fact, or equal parts (an index into wholes_).
  struct Reason {
    uint32_t fact = 0;
    uint32_t whole = 0;
  };
  struct Found {
    Part part;
    uint32_t parent;
    Reason reason;
  };

  bool Done() const { return found_wanted_ || gave_up(); }

  // Values of dead blocks are never computed and may be replaced by anything, so their equalities
  // need not hold. No derivation goes through them.
  bool LeadsOn(uint32_t at) const {
    if (at == 0) return true;
    const Block block = module_.BlockOf(module_.Definition(found_[at].part.value));
    return !module_.IsBasicBlock(block) || facts_.Dead(module_.LabelId(block)) == nullptr;
  }

  const Steps& StepsOf(const Found& found) const {
    static const Steps kNone;
    if (found.parent == kNoParent) return kNone;
    return found.reason.fact != 0 ? *facts_.reasons_[found.reason.fact].steps
                                  : wholes_[found.reason.whole];
  }

  void Add(const Part& part, uint32_t parent, Reason reason) {
    ++*visits_;
    if (Position(part) != kNotFound) return;
    found_.push_back({part, parent, reason});
    found_wanted_ |= wanted_ != nullptr && part == *wanted_;
    // Most searches end before a hash table is worthwhile.
    constexpr size_t kLinear = 12;
    if (found_.size() <= kLinear) return;
    if (slots_.size() < 2 * found_.size()) {
      slots_.assign(found_.size() <= 64 ? 128 : 2048, kNotFound);
      static_assert(2048 >= 2 * kSearchLimits[kWholeDepth]);
      for (uint32_t i = 0; i < found_.size(); ++i) Insert(i);
    } else {
      Insert(static_cast<uint32_t>(found_.size() - 1));
    }
  }

  void Insert(uint32_t i) {
    size_t slot = HashOf(found_[i].part);
    while (slots_[slot & (slots_.size() - 1)] != kNotFound) ++slot;
    slots_[slot & (slots_.size() - 1)] = i;
  }

  void FollowFacts(const Part& part, uint32_t at) {
    if (!facts_.MayHaveSynonyms(part.value)) return;
    for (uint32_t e = facts_.by_id_[Index(part.value)].first_edge; e != 0 && !Done();
         e = facts_.edges_[e].next) {
      const Facts::Edge& edge = facts_.edges_[e];
      if (!StartsWith(part, edge.from)) continue;
      if (const auto other = Rebase(part, edge.from, edge.to)) {
        Add(*other, at, {edge.reason, 0});
      }
    }
  }

  // Adds values whose parts all equal the parts of `part`. The candidates are the composites that
  // contain an equal of one part; the part with the fewest equals is used.
  void FollowParts(const Part& part, uint32_t at) {
    if (!facts_.MayHaveSynonyms(part.value)) return;
    const Id type = TypeOfPart(module_, part);
    const uint32_t count = type == Id::kNone ? 0 : PartCount(module_, type).value_or(0);
    if (count == 0 || count > kMostParts || part.depth == Part::kMaxDepth) return;
    std::vector<SynonymSearch> classes;
    uint32_t rarest = 0;
    for (uint32_t i = 0; i < count; ++i) {
      classes.emplace_back(facts_, module_, depth_ - 1, visits_);
      classes[i].Run(*part.Component(i), nullptr, kSearchLimits[depth_ - 1]);
      if (classes[i].size() == 1) return;
      if (classes[i].size() < classes[rarest].size()) rarest = i;
    }
    for (uint32_t c = 1; c < classes[rarest].size() && !Done(); ++c) {
      Part whole = classes[rarest][c];
      if (whole.depth == 0 || whole.index[whole.depth - 1] != rarest) continue;
      --whole.depth;
      if (whole == part || TypeOfPart(module_, whole) != type) continue;
      AddWhole(whole, at, classes);
    }
  }

  void AddWhole(const Part& whole, uint32_t at, const std::vector<SynonymSearch>& classes) {
    Steps why;
    for (uint32_t i = 0; i < classes.size(); ++i) {
      const uint32_t position = classes[i].Position(*whole.Component(i));
      if (position == kNotFound) return;
      classes[i].AddSteps(position, &why);
    }
    wholes_.push_back(std::move(why));
    Add(whole, at, {0, static_cast<uint32_t>(wholes_.size() - 1)});
  }

  const Facts& facts_;
  const Module& module_;
  int depth_;
  uint32_t* visits_;
  size_t limit_ = 0;
  const Part* wanted_ = nullptr;
  bool found_wanted_ = false;
  std::vector<Found> found_;
  std::vector<uint32_t> slots_;  // positions in found_ by hash; empty while found_ is short
  std::vector<Steps> wholes_;
};

// Returns the last fact that directly says a == b, which a search would find first. Each fact is in
// the lists of both values. Both lists are read in step until the shorter one ends, because one of
// the values may be a constant with thousands of facts.
uint32_t Facts::DirectReason(const Part& a, const Part& b) const {
  if (!MayHaveSynonyms(a.value) || !MayHaveSynonyms(b.value)) return 0;
  const auto leads = [&](uint32_t e, const Part& from, const Part& to) {
    return StartsWith(from, edges_[e].from) && Rebase(from, edges_[e].from, edges_[e].to) == to;
  };
  uint32_t at_a = by_id_[Index(a.value)].first_edge, at_b = by_id_[Index(b.value)].first_edge;
  while (at_a != 0 && at_b != 0) {
    if (leads(at_a, a, b)) return edges_[at_a].reason;
    if (leads(at_b, b, a)) return edges_[at_b].reason;
    at_a = edges_[at_a].next;
    at_b = edges_[at_b].next;
  }
  return 0;
}

std::optional<Steps> Facts::Synonymous(const Module& module, const Part& a, const Part& b) const {
  if (a == b) return Steps{};
  if (const uint32_t reason = DirectReason(a, b); reason != 0) return *reasons_[reason].steps;
  // Search from both sides, because one may be a constant with more synonyms than the limit.
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    uint32_t visits = 0;
    SynonymSearch search(*this, module, kWholeDepth, &visits);
    search.Run(*from, to, kSearchLimits[kWholeDepth]);
    if (search.found_wanted()) {
      Steps why;
      search.AddSteps(search.Position(*to), &why);
      return why;
    }
    if (!search.gave_up()) return std::nullopt;
  }
  return std::nullopt;
}

std::vector<Facts::Synonym> Facts::SynonymsOf(const Module& module, const Part& part,
                                              size_t limit) const {
  // A proposal need not find everything that a check finds.
  uint32_t visits = 0;
  SynonymSearch search(*this, module, kWholeDepth - 1, &visits);
  search.Run(part, nullptr, limit + 1);
  std::vector<Synonym> synonyms;
  for (uint32_t i = 1; i < search.size() && synonyms.size() < limit; ++i) {
    Synonym synonym{search[i], {}};
    search.AddSteps(i, &synonym.why);
    synonyms.push_back(std::move(synonym));
  }
  return synonyms;
}

}  // namespace facts
}  // namespace refract
