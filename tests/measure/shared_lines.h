// SPDX-License-Identifier: Apache-2.0
// How much of one module's code another one has too, so that sixty references are not one shader
// sixty times.
//
// A line is an instruction inside a function, without what any code has: labels, variables, merge
// instructions, plain branches and returns, debug lines, the beginnings and ends of functions. It
// is said without ids: types by what they are, constants by their values, variables and values by
// how many lines ago they were last mentioned (sixteen: or more, or never). So what one front end
// makes of `i += 1` is alike wherever it stands, but the lines around it are only where the same
// was done with the same. Shared are the lines in runs of at least four that both have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"

namespace refract::measure {

struct CodeLine {
  uint64_t hash = 0;
  Inst inst = Inst::kNone;
};
using CodeLines = std::vector<CodeLine>;
CodeLines LinesOf(const Module& module);

/// For each line of `a` whether `b` shares it.
std::vector<bool> SharedLines(const CodeLines& a, const CodeLines& b);
/// Percent of the lines of `a` that `b` shares.
double SharedPercent(const CodeLines& a, const CodeLines& b);
/// The lines of `a`, which is of `module`, that `b` shares, a paragraph for each run.
std::string SharedText(const Module& module, const CodeLines& a, const CodeLines& b);

}  // namespace refract::measure
