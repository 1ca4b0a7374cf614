// SPDX-License-Identifier: Apache-2.0
// What it means to entry points that a function comes to call another one.
#pragma once

#include <vector>

#include "rules/rule.h"

namespace refract::inline transform {

struct Reach {
  std::vector<Inst> entries;  ///< entry points that will reach the function and do not yet
  std::vector<Id> privates;   ///< private variables used there, each once
  bool uses_outside = false;  ///< other global variables
  std::vector<Inst> bound;    ///< instructions that are for some stages only, or convergent
};

/// Of a call in `caller` of a function that reaches `reached`, itself first. What is used is only
/// looked for if there are new entry points.
Reach ReachOf(const Module& module, Function caller, const std::vector<Function>& reached);
/// Whether the call may be: entry points that come to reach the function meet nothing of the
/// outside in it, and nothing that their stage does not have. Private variables have to be added to
/// their interfaces.
Verdict CheckReach(const Module& module, const Reach& reach);

}  // namespace refract::inline transform
