// SPDX-License-Identifier: Apache-2.0
// Makes a control-flow program smaller by its spec instead of its words: a smaller tree, simpler
// options or a shorter plan, each made into a program again. So the expected output of each
// candidate is known.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "flesh/spec.h"

namespace refract::flesh {

/// Returns true if the program still shows the failure. An Error ends the reduction.
using ProgramSpecTest = std::function<Result<bool>(const ProgramSpec&, const Program&)>;

struct ReducedProgramSpec {
  ProgramSpec spec;
  Program program;
  uint64_t asked = 0;    ///< runs of the interestingness test
  bool minimal = false;  ///< true if no smaller spec is interesting, false if stopped before
};

/// Repeats the first of these changes after which the spec is still interesting, until there is
/// none: simpler options; a cut of the tree (cfg/cuts.h) with the seed of the spec or another
/// one; a shorter plan (shorter_plans.h), which becomes part of the spec until the next cut. `stop`
/// is called before each try. The spec itself must be interesting and is not tested. Fails with the
/// error of `is_interesting`, or if the program of the spec cannot be made.
Result<ReducedProgramSpec> ReduceProgramSpec(const ProgramSpec& spec,
                                             const ProgramSpecTest& is_interesting,
                                             const std::function<bool()>& stop);

}  // namespace refract::flesh
