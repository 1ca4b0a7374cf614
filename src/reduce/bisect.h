// SPDX-License-Identifier: Apache-2.0
// The strategy by default: bisection for the steps that matter, one after the other.
#pragma once

#include <memory>

#include "reduce/strategy.h"

namespace refract::inline reduce {

/// As MakeStrategy.
std::unique_ptr<Strategy> MakeBisect(Subset all, std::shared_ptr<const Needs> needs);

}  // namespace refract::inline reduce
