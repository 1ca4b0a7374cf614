// SPDX-License-Identifier: Apache-2.0
// What a region that becomes a function takes and gives (outline_function).
#pragma once

#include <vector>

#include "rules/legality/region.h"
#include "rules/rule.h"

namespace refract::inline transform {

class OutlinePlan {
 public:
  OutlinePlan(const View& view, const RegionEnds& ends);

  /// Whether the region may be a function; then the lists are there, each in such an order that
  /// what is computed stands behind what it is computed from. Once.
  Verdict Make();

  const std::vector<Id>& inputs() const { return inputs_; }      ///< values, variables, parameters
  const std::vector<Id>& pointers() const { return pointers_; }  ///< computed from inputs inside
  const std::vector<Id>& results() const { return results_; }    ///< of any kind
  const std::vector<Id>& values() const { return values_; }      ///< of them what is returned
  /// How many ids the region makes.
  size_t size() const { return made_.size(); }
  /// Whether the function returns for the caller's, which does so directly behind the call: the
  /// exit's OpReturn goes into the function, too.
  bool returns() const { return returns_; }

 private:
  bool IsInside(Id id) const;
  bool MayComputeAgain(Id pointer) const;
  bool IsPassed(Id value) const;
  void AddReturn();
  void RefuseIfUsedUnreached(Id id);
  void AddResult(Id id);
  void AddInputsOf(Inst inst);
  void AddInput(Id id);
  void AddPointer(Id pointer);
  void Refuse(Verdict verdict);
  void RefuseIfMuch(const std::vector<Id>& list);
  template <class Visit>
  void ForEachOperand(Inst inst, Visit visit) const;

  const Module& module_;
  const Facts& facts_;
  const Region region_;
  const Block exit_;
  std::vector<Id> inputs_, pointers_, results_, values_;
  std::vector<Id> made_;  // inside, sorted
  bool returns_ = false;
  Verdict verdict_ = Yes();
};

}  // namespace refract::inline transform
