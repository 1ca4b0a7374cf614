// SPDX-License-Identifier: Apache-2.0
// Everything that facts claim about a context, for the interpreter to prove wrong.
#pragma once

#include <optional>
#include <string>

#include "interp/interpreter.h"
#include "rules/context.h"

namespace refract::inline engine {

/// `as_given`: execution facts too, which hold on the inputs as they are given alone.
Audit AuditOf(const Context& context, bool as_given);
/// Functions that are said to be live-safe and have a body.
std::vector<Function> LiveSafeFunctions(const Context& context);

/// What is said to be equal though it is made in two functions: which run of the one belongs to
/// which of the other nothing says, so no run shows that it is wrong. Nullopt if there is no such
/// thing.
std::optional<std::string> EqualAcrossFunctions(const Context& context);
/// A function of which the module promises Pure or Const (SPIR-V 3.24) though that is not proven,
/// in words; nullopt if there is none. What `original` promises of the same function, and is not
/// proven there either, is its own affair.
std::optional<std::string> FindBrokenPromise(const Module& original, const Module& module);

}  // namespace refract::inline engine
