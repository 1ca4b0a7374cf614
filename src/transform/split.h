// SPDX-License-Identifier: Apache-2.0
// Where a block may be cut in two (Editor::SplitBlock).
#pragma once

#include "transform/rule.h"

namespace refract {

/// Whether `before` may become the first instruction of a new block. `before` is any instruction.
Verdict MaySplitBefore(const Module& module, Inst before);

}  // namespace refract
