// SPDX-License-Identifier: Apache-2.0
// What a region that becomes a function (outline_function) receives as arguments and returns.
#pragma once

#include <vector>

#include "rules/legality/region.h"
#include "rules/rule.h"

namespace refract {
inline namespace transform {

class OutlinePlan {
 public:
  OutlinePlan(const View& view, const RegionEnds& ends);

  /// Checks that the region can become a function, and fills the lists. In each list, a value comes
  /// after the values that it is computed from. Call it once.
  CheckResult Make();

  const std::vector<Id>& inputs() const { return inputs_; }      ///< values, variables, parameters
  const std::vector<Id>& pointers() const { return pointers_; }  ///< computed inside from inputs
  const std::vector<Id>& results() const { return results_; }    ///< of any kind
  const std::vector<Id>& values() const { return values_; }      ///< results returned as values
  /// The number of ids that the region defines.
  size_t size() const { return made_.size(); }
  /// True if the function contains the OpReturn of the region's exit. The caller then returns
  /// directly after the call.
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
  void Refuse(CheckResult check_result);
  void RefuseIfMuch(const std::vector<Id>& list);
  template <class Visit>
  void ForEachOperand(Inst inst, Visit visit) const;

  const Module& module_;
  const Facts& facts_;
  const Region region_;
  const Block exit_;
  std::vector<Id> inputs_, pointers_, results_, values_;
  std::vector<Id> made_;  // ids defined inside, sorted
  bool returns_ = false;
  CheckResult check_result_ = Yes();
};

}  // namespace transform
}  // namespace refract
