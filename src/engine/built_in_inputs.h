// SPDX-License-Identifier: Apache-2.0
// A module that needs no inputs any more: their values are in it. For tools that are given a module
// and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/inputs.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract::inline engine {

/// Uniform blocks and push constants become private variables with their values as initialisers,
/// and specialisation constants have the given values by themselves. Storage buffers, images and
/// samplers stay: they are where results go. What is read but not given is zero. kUnavailable for
/// what cannot be built in: arrays sized by specialisation constants, and pointers to uniforms that
/// are not simply loaded from. `file` is what errors call the module.
Result<std::vector<uint32_t>> WithInputsBuiltIn(const Module& module, const EntryPoint& entry,
                                                const Inputs& inputs, const std::string& file);

}  // namespace refract::inline engine
