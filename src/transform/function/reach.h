// SPDX-License-Identifier: Apache-2.0
// How a new call changes which functions and variables the entry points reach.
#pragma once

#include <vector>

#include "rules/rule.h"

namespace refract {
inline namespace transform {

struct Reach {
  std::vector<Inst> entries;      ///< entry points that will reach the function and do not yet
  std::vector<Id> privates;       ///< private variables used there, without duplicates
  bool uses_outside = false;      ///< whether other global variables are used
  bool needs_workgroups = false;  ///< an instruction has the scope Workgroup
  std::vector<Inst> bound;  ///< instructions that only some stages allow, or that are convergent
};

/// The effect of a call in `caller` of a function that reaches `reached`; the function itself comes
/// first. Uses are collected only if new entry points reach the function.
Reach ReachOf(const Module& module, Function caller, const std::vector<Function>& reached);
/// Checks that the call is allowed: the entry points that newly reach the function find no other
/// global variable in it, and no instruction that their stage does not allow. The caller must add
/// the private variables to their interfaces.
CheckResult CheckReach(const Module& module, const Reach& reach);

}  // namespace transform
}  // namespace refract
