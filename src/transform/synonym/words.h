// SPDX-License-Identifier: Apache-2.0
// Views values as 32-bit ints ("words"), one for each number or boolean in them. The words have one
// type, but the value cannot be restored from them.
#pragma once

#include <cstdint>
#include <vector>

#include "message/values.h"
#include "rules/context_editor.h"

namespace refract {
inline namespace transform {

/// The type of a word.
message::Type WordType();
/// True if each number and boolean in a value of this ordinary type can become a word: it is one
/// already, or the types needed for the conversion can be declared.
bool AreWords(const Module& module, Id type);
/// The words of a value, inserted before `before` and named by `role` and the value. 32-bit ints,
/// signed or not, keep their bits; wider numbers give their low half.
std::vector<Id> WordsOf(ContextEditor& editor, Inst before, Id value, uint64_t role);

}  // namespace transform
}  // namespace refract
