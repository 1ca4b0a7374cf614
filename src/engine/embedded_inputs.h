// SPDX-License-Identifier: Apache-2.0
// Builds the inputs of a module into the module. The result can be passed to tools that take a
// module and no inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/inputs.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace engine {

/// Returns the words of the module with its inputs built in. Uniform blocks and push constants
/// become private variables that are initialised with the input values. Specialisation constants
/// get the input values as defaults. Storage buffers, images and samplers stay, because results are
/// written there. Blocks that the inputs do not give become zero. Fails with kUnavailable for
/// arrays sized by specialisation constants and for pointers to uniforms that are used for anything
/// but simple loads. Error messages call the module `file`.
Result<std::vector<uint32_t>> WithInputsEmbedded(const Module& module, const EntryPoint& entry,
                                                 const Inputs& inputs, const std::string& file);

}  // namespace engine
}  // namespace refract
