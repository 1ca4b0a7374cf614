// SPDX-License-Identifier: Apache-2.0
// The outputs of a module on a sample of its invocations, from the interpreter. They show whether
// an optimiser's output is still equivalent to its input.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/original.h"
#include "interp/interpreter.h"

namespace refract::planted {

/// Runs the module, which was made from an original or a variant of it, with the inputs of
/// `context`: 64 quads spread over the frame, or two workgroups. The report says where the run
/// stopped.
Result<RunReport> RunSample(const std::vector<uint32_t>& words, const Context& context,
                            const std::string& name);

/// What is wrong with `words`, the optimiser's output for a module whose run gave `before`:
/// invalid, or other outputs. Empty if nothing is.
std::string FindFault(const std::vector<uint32_t>& words, const RunReport& before,
                      const Original& original, const Context& context);

}  // namespace refract::planted
