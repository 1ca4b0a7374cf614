// SPDX-License-Identifier: Apache-2.0
// Facts: dead blocks, irrelevant values and pointees, live-safe functions, synonyms, known input
// values, and results of an execution. Each fact has its provenance, the steps of the recording on
// which it depends. Facts refer to handles of one module and are copied with it (Context).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "input/known_value.h"
#include "ir/cow_vector.h"
#include "ir/module.h"

namespace refract {
inline namespace facts {

/// Step numbers, ascending and distinct.
using Steps = std::vector<uint32_t>;
/// Adds `more` to `steps`.
void MergeSteps(Steps* steps, const Steps& more);

/// A value, or a part of one: `value[index[0]][index[1]]...`.
struct Part {
  static constexpr uint32_t kMaxDepth = 5;
  Id value = Id::kNone;
  uint16_t depth = 0;
  uint16_t index[kMaxDepth] = {};

  Part() = default;
  explicit Part(Id whole) : value(whole) {}
  friend bool operator==(const Part& a, const Part& b);
  /// Returns part `i` of this part; nullopt if its depth or index exceeds the limits.
  std::optional<Part> Component(uint32_t i) const;
};

/// Returns the type of a part; kNone if the indices do not fit the type of the value.
Id TypeOfPart(const Module& module, const Part& part);

class Facts {
 public:
  // --- dead blocks: never executed, on any input
  void SetDead(Id label, const Steps& why) { Set(label, &IdFacts::dead, why); }
  /// Returns the steps that the fact depends on; nullptr if the block is not known to be dead.
  const Steps* Dead(Id label) const { return Get(label, &IdFacts::dead); }

  // --- irrelevant values: any other value of the type may replace them
  void SetIrrelevant(Id value, const Steps& why) { Set(value, &IdFacts::irrelevant, why); }
  const Steps* Irrelevant(Id value) const { return Get(value, &IdFacts::irrelevant); }

  // --- irrelevant pointees: what the pointer points to may be overwritten with anything
  void SetIrrelevantPointee(Id pointer, const Steps& why) { Set(pointer, &IdFacts::pointee, why); }
  const Steps* IrrelevantPointee(Id pointer) const { return Get(pointer, &IdFacts::pointee); }

  // --- live-safe functions: may be called anywhere, with any arguments
  void SetLiveSafe(Id function, const Steps& why) { Set(function, &IdFacts::live_safe, why); }
  const Steps* LiveSafe(Id function) const { return Get(function, &IdFacts::live_safe); }

  // --- synonyms: equal wherever both are available and executed (in dead blocks nothing is
  // executed)
  void AddSynonym(const Part& a, const Part& b, const Steps& why);
  /// If the closure of the synonyms has a == b, returns the steps of a short derivation; else
  /// nullopt. The closure is reflexive, symmetric and transitive; parts of equal values are equal,
  /// and values are equal if all their parts are. Values of dead blocks are not used on the way.
  /// The result does not depend on the order in which facts were added.
  std::optional<Steps> Synonymous(const Module& module, const Part& a, const Part& b) const;
  /// A cheap test: false only if SynonymsOf(Part(value)) is empty.
  bool MayHaveSynonyms(Id value) const {
    return Index(value) < by_id_.size() && by_id_[Index(value)].first_edge != 0;
  }
  struct Synonym {
    Part part;
    Steps why;
  };
  /// Calls `visit(part of value, equal part, steps)` for each equality that was added for parts of
  /// `value`, the last one first. The visitor must not add equalities.
  template <class Visit>
  void ForEachEquality(Id value, Visit visit) const {
    if (Index(value) >= by_id_.size()) return;
    for (uint32_t e = by_id_[Index(value)].first_edge; e != 0; e = edges_[e].next) {
      visit(edges_[e].from, edges_[e].to, *reasons_[edges_[e].reason].steps);
    }
  }
  /// Returns up to `limit` other parts known to be equal to `part`: first those that follow from
  /// facts, nearest first, then some whose own parts are equal one by one.
  std::vector<Synonym> SynonymsOf(const Module& module, const Part& part, size_t limit) const;

  // --- execution facts: hold only for the given inputs and the entry point under test
  /// The block that starts at `label` is never executed. It is not dead: other inputs may reach it.
  void SetNeverRuns(Id label, const Steps& why) { Set(label, &IdFacts::never_runs, why); }
  const Steps* NeverRuns(Id label) const { return Get(label, &IdFacts::never_runs); }
  /// The value is exact, and the same whenever it is computed, in every invocation.
  void SetUniform(Id value, const Steps& why) { Set(value, &IdFacts::uniform, why); }
  const Steps* Uniform(Id value) const { return Get(value, &IdFacts::uniform); }

  /// Removes the facts about an instruction or label that hold only for the place where it was:
  /// that it is never executed, that its value is uniform, or that it equals others. Irrelevance
  /// stays.
  void ForgetPlacementFacts(Id id);
  /// Removes all equalities between parts of `a` and parts of `b`. They now belong to different
  /// functions, and nothing relates an execution of one to an execution of the other.
  void ForgetEqualities(Id a, Id b);

  // --- known inputs
  void SetKnownInputs(std::shared_ptr<const std::vector<KnownValue>> known) {
    known_inputs_ = std::move(known);
  }
  const std::vector<KnownValue>& known_inputs() const;

 private:
  struct IdFacts {
    // Indices into reasons_; 0: not known.
    uint32_t dead = 0, irrelevant = 0, pointee = 0, live_safe = 0;
    uint32_t never_runs = 0, uniform = 0;
    uint32_t first_edge = 0;  // index into edges_; 0: none
  };
  struct Edge {
    Part from, to;
    uint32_t reason = 0;
    uint32_t next = 0;
  };
  using Field = uint32_t IdFacts::*;

  void Set(Id id, Field field, const Steps& why);
  const Steps* Get(Id id, Field field) const;
  IdFacts& Own(Id id);
  uint32_t AddReason(const Steps& why);
  void AddEdge(const Part& from, const Part& to, uint32_t reason);
  void UnlinkEdgesTo(Id from, Id to);
  uint32_t DirectReason(const Part& a, const Part& b) const;
  friend class SynonymSearch;

  CowVector<IdFacts> by_id_;
  CowVector<Edge> edges_;
  // Shared and never changed, so that a copy of Facts copies only pointers.
  struct Reason {
    const Steps* steps = nullptr;
  };
  CowVector<Reason> reasons_;
  std::shared_ptr<class ReasonPool> pool_;
  std::shared_ptr<const std::vector<KnownValue>> known_inputs_;
};

}  // namespace facts
}  // namespace refract
