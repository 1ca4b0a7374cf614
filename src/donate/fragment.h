// SPDX-License-Identifier: Apache-2.0
// Cuts fragments out of donated functions: consecutive instructions, and regions with a single
// entry and a single exit. A fragment has the form of a donated function itself, so it is checked,
// built and shrunk like one.
#pragma once

#include <functional>
#include <optional>

#include "message/add_function.h"

namespace refract {
inline namespace donate {

/// Chooses a number below n.
using PickNumber = std::function<size_t(size_t n)>;

/// Cuts a fragment at a random place. It begins at an instruction of some block and passes up to
/// two constructs, each as a whole. Values that it uses and does not compute become parameters
/// under their local numbers, and variables become parameters that are pointers; a variable with an
/// initializer stays a variable. Calls are left out, and their results become parameters. The
/// fragment returns one of its values, or nothing. Returns nullopt if there is no fragment at that
/// place. A cut fragment can still be invalid (CheckFragment). The result is not live-safe and has
/// the origin of the function.
std::optional<message::AddFunction> CutFragment(const message::AddFunction& function,
                                                const PickNumber& pick);

/// How many loops the fragment contains.
size_t LoopsOf(const message::AddFunction& fragment);
/// What one run of a live-safe fragment costs at most, roughly, in the unit of
/// transform/function/cost.h.
double CostOfFragment(const message::AddFunction& fragment);

}  // namespace donate
}  // namespace refract
