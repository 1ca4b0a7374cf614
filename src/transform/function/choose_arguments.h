// SPDX-License-Identifier: Apache-2.0
// Binds the free values and variables of a fragment to those of the recipient, by type.
#pragma once

#include <vector>

#include "base/name.h"
#include "message/add_function.h"
#include "rules/rule.h"

namespace refract {
inline namespace transform {

/// Chooses an argument for most parameters of the fragment `body` that is inserted before `before`,
/// at random from the values and variables nearby that have the right type. Parameters for which
/// nothing fits get an empty name. Outside dead blocks only arguments are chosen that are allowed
/// there.
std::vector<Name> ChooseArguments(Proposer& proposer, Inst before,
                                  const message::AddFunction& body);

/// True if the fragment uses this parameter, or a value that it computes from it, as an index. A
/// constant argument may then be an index out of range (rules/legality/index_range.h).
bool IsIndexOf(const message::AddFunction& body, const message::DonatedParameter& parameter);

}  // namespace transform
}  // namespace refract
