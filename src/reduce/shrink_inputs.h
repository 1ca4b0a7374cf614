// SPDX-License-Identifier: Apache-2.0
// Makes the inputs of a module smaller: fewer pixels, workgroups and values, and plainer numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "input/inputs.h"

namespace refract {
inline namespace reduce {

/// Whether the module is interesting with these inputs; no answer ends the shrinking.
using InterestingInputs = std::function<std::optional<bool>(const std::shared_ptr<const Inputs>&)>;

/// Returns the smallest inputs that were interesting, or `inputs` itself. `inputs` must be
/// interesting and is not tested. First, `$expected` is left out, because it is about the old
/// outputs. Then the frame, the grid, the vertices and the workgroups get smaller, values are left
/// out, arrays get shorter, and numbers become 0 or 1.
std::shared_ptr<const Inputs> ShrinkInputs(std::shared_ptr<const Inputs> inputs,
                                           const InterestingInputs& interesting);

/// Returns how many pixels, cells of a grid, drawn vertices and workgroups the inputs have.
uint64_t InvocationsOf(const Inputs& inputs);

}  // namespace reduce
}  // namespace refract
