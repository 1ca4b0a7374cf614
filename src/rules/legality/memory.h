// SPDX-License-Identifier: Apache-2.0
// Checks of which memory a transformation may read or write, and through which pointers.
#pragma once

#include "ir/module.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// True if the memory model has logical addresses: pointers are no numbers (SPIR-V 2.16.1).
bool HasLogicalAddresses(const Module& module);
/// The type that the pointer points to; `pointer` is an id of pointer type.
Id PointeeOf(const Module& module, Id pointer);

/// True if the pointer is a variable, a parameter, or an access chain from one of these.
/// Transformations do not touch other pointers, not even in dead blocks. All functions below
/// require it.
bool IsPartOfVariable(const Module& module, Id pointer);
/// True if all indices of the access chain are in range: constants, or values that the operations
/// which compute them keep in range.
bool AreIndicesInRange(const Module& module, Inst chain);
/// True if the pointer is valid wherever it is available, because its indices are in range.
bool IsAlwaysValid(const Module& module, Id pointer);
bool IsVolatileOrCoherent(const Module& module, Id pointer);
/// True if the root of a pointer is an input that can be read with a plain load without side
/// effects. Loads of some other built-ins must be volatile, change when the invocation is demoted,
/// or change how often a fragment shader runs.
bool IsPlainInput(const Module& module, Id root);
/// True if the storage class of the pointer supports ordinary loads and stores: not images, not the
/// memory of ray tracing or mesh shaders, and not generic memory.
bool HasOrdinaryStorageClass(const Module& module, Id pointer);

/// Checks that the memory may be read: it belongs to the invocation, or nothing writes to it. If
/// `dead` is true, the load is in a block that never runs, and others may write to the memory too.
CheckResult MayLoad(const Module& module, Id pointer, bool dead);
/// True if some instruction reads that member of the block that the pointer points to, so that the
/// inputs give its value. Inputs need not give what no instruction reads (input/resolve.h).
bool IsMemberRead(const Module& module, Id pointer, uint32_t member);
/// Checks that the storage class and the decorations of the memory allow writes. Whether something
/// depends on the contents is not checked.
CheckResult MayStore(const Module& module, Id pointer);

/// True if one more use of the pointer's variable in `function` is not the first use by any entry
/// point: a first use would change the interface of the shader. Private variables are not part of
/// the interface, and built-ins that steps have added may be used by every entry point that lists
/// them.
bool MayBeUsedIn(const Module& module, Id pointer, Function function);

}  // namespace rules
}  // namespace refract
