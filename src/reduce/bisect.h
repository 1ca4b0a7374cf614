// SPDX-License-Identifier: Apache-2.0
// The default strategy: it finds the steps that matter by bisection, one after the other.
#pragma once

#include <memory>

#include "reduce/strategy.h"

namespace refract {
inline namespace reduce {

/// Implements MakeStrategy for Algorithm::kBisect.
std::unique_ptr<Strategy> MakeBisect(Subset all, std::shared_ptr<const DependencyLists> needs);

}  // namespace reduce
}  // namespace refract
