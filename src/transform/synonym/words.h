// SPDX-License-Identifier: Apache-2.0
// Values seen as ints of 32 bits, one for each number or boolean in them: what is only to be used,
// not to be kept, becomes operands of one kind.
#pragma once

#include <cstdint>
#include <vector>

#include "message/values.h"
#include "rules/context_editor.h"

namespace refract::inline transform {

/// The type of a word by value.
message::Type WordType();
/// Whether each number and boolean in a value of this ordinary type can be a word: it is one, or
/// what is needed on the way can be declared.
bool AreWords(const Module& module, Id type);
/// The words of such a value, made before `before` and named by `role` and the value; ints of 32
/// bits are themselves, signed or not, and of wider numbers it is the low half.
std::vector<Id> WordsOf(ContextEditor& editor, Inst before, Id value, uint64_t role);

}  // namespace refract::inline transform
