// SPDX-License-Identifier: Apache-2.0
// Operations that are undefined for some operands, made so that they never get those: an operand
// that may be bad is replaced by one that is not where it is. What they compute otherwise stays.
#pragma once

#include "ir/edit/editor.h"

namespace refract::inline donate {

/// Whether the result is defined in words, but NaN or infinite, or what an implementation makes of
/// it, for operands that are not small.
bool MayBeNan(const Module& module, Inst inst);
/// Whether MakeDefined knows how.
bool MayBeMadeDefined(const Module& module, Inst inst);
/// Puts before the instruction what keeps its operands good. The names are made of `role`, the
/// instruction's name and a count.
void MakeDefined(Editor& editor, Inst inst, uint64_t role);

}  // namespace refract::inline donate
