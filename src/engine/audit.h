// SPDX-License-Identifier: Apache-2.0
// Collects everything that the facts of a context claim, so that the interpreter can refute it.
#pragma once

#include <optional>
#include <string>

#include "interp/interpreter.h"
#include "rules/context.h"

namespace refract {
inline namespace engine {

/// Collects the facts of `context`. With `as_given` it includes execution facts, which hold only
/// for the inputs as they are given.
Audit AuditOf(const Context& context, bool as_given);
/// Returns the functions with a body that the facts call live-safe.
std::vector<Function> LiveSafeFunctions(const Context& context);
/// Whether the module has or had a live-safe function. After a step removed the function, its code
/// may still be in the module, inlined.
bool HadLiveSafeFunctions(const Context& context);

/// Finds two values of different functions that the facts call equal, and returns a message about
/// them; nullopt if not found. Executions cannot refute such a fact, because nothing relates
/// an execution of one function to an execution of the other.
std::optional<std::string> EqualAcrossFunctions(const Context& context);
/// Finds a function that is declared Pure or Const (SPIR-V 3.24) although that is not proven, and
/// returns a message about it; nullopt if not found. A declaration that `original` has too, and
/// that is not proven there either, does not count.
std::optional<std::string> FindBrokenPromise(const Module& original, const Module& module);

}  // namespace engine
}  // namespace refract
