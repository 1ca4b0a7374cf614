// SPDX-License-Identifier: Apache-2.0
// Which memory a transformation may read or write, and through which pointers.
#pragma once

#include "ir/module.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// What a pointer points to; `pointer` is an id of pointer type.
Id PointeeOf(const Module& module, Id pointer);

/// Whether the pointer is a variable, a parameter, or a chain of indices from one: other pointers
/// are left alone, also where nothing runs. For all below, it is.
bool IsPartOfVariable(const Module& module, Id pointer);
/// Whether the indices of an access chain are all in range: constants, or cut off by what computes
/// them.
bool AreIndicesInRange(const Module& module, Inst chain);
/// Whether the pointer is good wherever it is available: its indices are in range.
bool IsAlwaysGood(const Module& module, Id pointer);
bool IsVolatileOrCoherent(const Module& module, Id pointer);
/// Whether the root of a pointer is an input that other uses read without a word about memory or
/// sampling: loads of some built-ins have to be volatile, change when the invocation is demoted, or
/// change how often a fragment shader runs.
bool IsPlainInput(const Module& module, Id root);
/// Whether the pointer is to memory of a class that loads and stores know: not to images, to what
/// ray tracing or mesh shaders have, or to generic memory.
bool IsOfOrdinaryClass(const Module& module, Id pointer);

/// Whether the memory may be read: it is nobody's but the invocation's, or nobody writes to it.
/// `dead`: in a block that never runs others may write to it, too.
Verdict MayLoad(const Module& module, Id pointer, bool dead);
/// Whether something reads that member of the block that the pointer is to, so that the inputs say
/// what is there: of what nothing reads they need not (input/resolve.h).
bool IsMemberRead(const Module& module, Id pointer, uint32_t member);
/// Whether the memory may be written to, as far as class and decorations go: not whether something
/// depends on it.
Verdict MayStore(const Module& module, Id pointer);

/// Whether one more use of the pointer's variable in `function` is not the first that some entry
/// point makes of it: that would change how the shader meets the outside. Private variables are
/// inside, and built-ins that steps have added are for whoever lists them.
bool MayBeUsedIn(const Module& module, Id pointer, Function function);

}  // namespace refract::inline rules
