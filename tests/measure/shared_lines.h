// SPDX-License-Identifier: Apache-2.0
// How much of one module's code another one has too, so that sixty references are not one shader
// sixty times.
//
// A line is an instruction inside a function, without what any code has: labels, variables, merge
// instructions, plain branches, debug lines and the beginnings and ends of functions. It is said
// without ids: types by what they are, constants by their values, the result of one of the eight
// lines before by how far before it stands, any other id as `%`. Shared are the lines in runs of
// at least four that stand one after the other in both.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace refract::measure {

/// A line each, as its hash.
using CodeLines = std::vector<uint64_t>;
CodeLines LinesOf(const Module& module);

/// Percent of the lines of `a` that `b` shares.
double SharedPercent(const CodeLines& a, const CodeLines& b);

}  // namespace refract::measure
