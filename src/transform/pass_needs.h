// SPDX-License-Identifier: Apache-2.0
// Fuzzer passes that only act on what few modules have, such as images or subgroup operations. A
// run on a module without these things leaves the passes out, so they cost no draws and do not
// change what a seed gives.
#pragma once

#include <string_view>

#include "ir/module.h"

namespace refract {
inline namespace transform {

/// False if the fuzzer pass `name` finds nothing to change in the module. True for passes about
/// which nothing is known.
bool MayFindOpportunity(std::string_view name, const Module& module);

}  // namespace transform
}  // namespace refract
