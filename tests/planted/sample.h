// SPDX-License-Identifier: Apache-2.0
// What a module leaves behind on a sample of its invocations, by the interpreter: whether an
// optimiser's output still does what its input did.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/original.h"
#include "interp/interpreter.h"

namespace refract::planted {

/// Runs the module, made of an original or of a variant of it, with the inputs of `context`: 64
/// quads spread over the frame, or two workgroups. The report says where it was stopped.
Result<RunReport> RunSample(const std::vector<uint32_t>& words, const Context& context,
                            const std::string& name);

/// What is wrong with `words`, what an optimiser made of a module that left `before`: invalid, or
/// it leaves something else. Empty if nothing is.
std::string FindFault(const std::vector<uint32_t>& words, const RunReport& before,
                      const Original& original, const Context& context);

}  // namespace refract::planted
