// SPDX-License-Identifier: Apache-2.0
// Measures how much of a module's code another one also has, so that the references are not many
// copies of one shader.
//
// A line is an instruction inside a function, except what any code has: labels, variables, merge
// instructions, plain branches and returns, debug lines, and the beginnings and ends of functions.
// Lines do not contain ids. A type is identified by what it is, a constant by its value, a variable
// or value by how many lines ago it was last mentioned (at most sixteen). So the code that a front
// end makes of `i += 1` is the same everywhere, but the lines around it are the same only if they
// do the same to the same values. Shared lines are in runs of at least four lines that both modules
// have.
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

/// For each line of `a`, whether `b` shares it.
std::vector<bool> SharedLines(const CodeLines& a, const CodeLines& b);
/// The percentage of the lines of `a` that `b` shares.
double SharedPercent(const CodeLines& a, const CodeLines& b);
/// The lines of `a`, which is made from `module`, that `b` shares, a paragraph for each run of
/// lines.
std::string SharedText(const Module& module, const CodeLines& a, const CodeLines& b);

}  // namespace refract::measure
