// SPDX-License-Identifier: Apache-2.0
// What is known beyond the module: dead blocks, irrelevant values and pointees, live-safe
// functions, synonyms, known input values, and what an execution showed. Every fact carries its
// provenance: the steps of the recording it rests on. Facts are about handles of one module; they
// are copied with it (Context).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "input/known_value.h"
#include "ir/cow_vector.h"
#include "ir/module.h"

namespace refract::inline facts {

/// Step numbers, ascending, each once.
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
  /// Part `i` of this part; nullopt if that is deeper or wider than parts go.
  std::optional<Part> Component(uint32_t i) const;
};

/// The type of a part; kNone if the indices do not fit the value's type.
Id TypeOfPart(const Module& module, const Part& part);

class Facts {
 public:
  // --- dead blocks: never executed, on any input
  void SetDead(Id label, const Steps& why) { Set(label, &IdFacts::dead, why); }
  /// The steps it rests on; nullptr if not known to be dead.
  const Steps* Dead(Id label) const { return Get(label, &IdFacts::dead); }

  // --- irrelevant values: any other value of the type would do
  void SetIrrelevant(Id value, const Steps& why) { Set(value, &IdFacts::irrelevant, why); }
  const Steps* Irrelevant(Id value) const { return Get(value, &IdFacts::irrelevant); }

  // --- irrelevant pointees: what this pointer points to may be overwritten with anything
  void SetIrrelevantPointee(Id pointer, const Steps& why) { Set(pointer, &IdFacts::pointee, why); }
  const Steps* IrrelevantPointee(Id pointer) const { return Get(pointer, &IdFacts::pointee); }

  // --- live-safe functions: may be called from anywhere with anything
  void SetLiveSafe(Id function, const Steps& why) { Set(function, &IdFacts::live_safe, why); }
  const Steps* LiveSafe(Id function) const { return Get(function, &IdFacts::live_safe); }

  // --- synonyms: equal wherever both are available and executed: in dead blocks anything is
  void AddSynonym(const Part& a, const Part& b, const Steps& why);
  /// Whether the closure has a == b, and the steps a short derivation rests on. The closure is
  /// by reflexivity, symmetry, transitivity, parts of equal values are equal, and values are equal
  /// if all their parts are; but not through values of dead blocks. It does not depend on the order
  /// in which facts were added.
  std::optional<Steps> Synonymous(const Module& module, const Part& a, const Part& b) const;
  /// Whether SynonymsOf(Part(value)) can be anything but empty: cheap.
  bool MayHaveSynonyms(Id value) const {
    return Index(value) < by_id_.size() && by_id_[Index(value)].first_edge != 0;
  }
  struct Synonym {
    Part part;
    Steps why;
  };
  /// Calls `visit(part of value, what it equals, why)` for each equality that was added for parts
  /// of `value`; the last added first. The visitor must not add any.
  template <class Visit>
  void ForEachEquality(Id value, Visit visit) const {
    if (Index(value) >= by_id_.size()) return;
    for (uint32_t e = by_id_[Index(value)].first_edge; e != 0; e = edges_[e].next) {
      visit(edges_[e].from, edges_[e].to, *reasons_[edges_[e].reason].steps);
    }
  }
  /// Parts known to be equal to `part` (itself not), up to `limit`: those that facts lead to,
  /// nearest first, then some that equal it part by part.
  std::vector<Synonym> SynonymsOf(const Module& module, const Part& part, size_t limit) const;

  // --- execution facts: of the inputs as they are given, of the entry point under test only
  /// The block that starts at `label` never runs. It is not dead: on other inputs it may run.
  void SetNeverRuns(Id label, const Steps& why) { Set(label, &IdFacts::never_runs, why); }
  const Steps* NeverRuns(Id label) const { return Get(label, &IdFacts::never_runs); }
  /// The value is exact, and the same each time it is computed, in every invocation.
  void SetUniform(Id value, const Steps& why) { Set(value, &IdFacts::uniform, why); }
  const Steps* Uniform(Id value) const { return Get(value, &IdFacts::uniform); }

  /// Takes back what holds of an instruction or label only as long as it is executed when it was:
  /// that it never is, that its value is always the same or equals others. Irrelevance stays.
  void ForgetWhereItWas(Id id);
  /// Takes back all that was said of parts of one being equal to parts of the other: they are in
  /// two functions now, and which run of the one belongs to which of the other nothing says.
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
    uint32_t first_edge = 0;  // into edges_, 0: none
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
  // Shared and never changed once there, so a copy of Facts copies pointers only.
  struct Reason {
    const Steps* steps = nullptr;
  };
  CowVector<Reason> reasons_;
  std::shared_ptr<class ReasonPool> pool_;
  std::shared_ptr<const std::vector<KnownValue>> known_inputs_;
};

}  // namespace refract::inline facts
